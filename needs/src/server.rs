//! A server on loopback, for tests of what reads pages over HTTP.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

/// The address of a server, `http://127.0.0.1:PORT`. An answer depends on the number of connections before it and on the first line of the
/// request, such as `GET /metrics HTTP/1.1`. The server ends with the process, or if `answer` panics.
///
/// # Panics
/// If no port is free, or no thread can be started.
#[must_use]
pub fn http_server(answer: impl Fn(usize, &str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let serve = move || {
        for (count, stream) in listener.incoming().flatten().enumerate() {
            let mut reader = BufReader::new(stream);
            let Some(head) = request_head(&mut reader) else { continue };
            let body = answer(count, head.lines().next().unwrap_or_default());
            let text = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            // The client may have ended.
            _ = reader.get_mut().write_all(text.as_bytes());
        }
    };
    thread::Builder::new().name("server".to_owned()).spawn(serve).expect("a thread");
    address
}

/// The head of a request; none if the client ends before it is complete.
fn request_head(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    Some(head)
}
