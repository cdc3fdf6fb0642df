//! A server of HTTP on this machine that answers as a test wants, also badly.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// What is asked. Names are without percent signs.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: BTreeMap<String, String>,
    pub(super) headers: BTreeMap<String, String>,
}

/// What is answered.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    /// Comes in chunks, without a length.
    pub(super) is_chunked: bool,
    /// The connection is lost after so many bytes of the body.
    pub(super) cut: Option<usize>,
    /// The server never responds, and waits until the client disconnects.
    pub(super) is_silent: bool,
}

impl Answer {
    pub(super) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A server; it ends with its value.
pub(super) struct Loopback {
    /// `http://127.0.0.1:PORT`
    pub(super) address: String,
    requests: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Loopback {
    pub(super) fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("a port"));
        let (requests, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (noted, over, answer) = (Arc::clone(&requests), Arc::clone(&is_over), Arc::new(answer));
        let serve = move || {
            for stream in listener.incoming() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                let one = move || {
                    let Some(request) = read(&stream) else { return };
                    noted.lock().expect("no panic").push(format!("{} {}", request.method, request.path));
                    write(stream, &request, &answer(&request));
                };
                thread::Builder::new().name("answer".to_owned()).spawn(one).expect("a thread");
            }
        };
        let thread = thread::Builder::new().name("loopback".to_owned()).spawn(serve).expect("a thread");
        Self { address, requests, is_over, thread: Some(thread) }
    }

    /// How many requests came whose method and path begin so.
    pub(super) fn count(&self, start: &str) -> usize {
        self.requests.lock().expect("no panic").iter().filter(|request| request.starts_with(start)).count()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // Wakes the one that waits for connections.
        drop(TcpStream::connect(self.address.trim_start_matches("http://")));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let headers = lines.map_while(Result::ok).take_while(|line| !line.is_empty());
    let headers = headers
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (plain(name), plain(value))
    };
    let query = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
    Some(Request { method, path: plain(path), query, headers: headers.collect() })
}

/// Text without percent signs.
fn plain(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' && after.len() >= 2 {
            let digits = std::str::from_utf8(&after[..2]).expect("digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("digits"));
            rest = &after[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

fn write(mut stream: TcpStream, request: &Request, answer: &Answer) {
    if answer.is_silent {
        // The end of the connection, or an error, which is an end as well.
        _ = stream.read(&mut [0]);
        return;
    }
    let mut head = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = answer.body.len();
    head.push_str(&if answer.is_chunked {
        "Transfer-Encoding: chunked\r\n\r\n".to_owned()
    } else {
        format!("Content-Length: {length}\r\n\r\n")
    });
    let mut bytes = head.into_bytes();
    if request.method != "HEAD" {
        let body = &answer.body[..answer.cut.unwrap_or(length).min(length)];
        for piece in body.chunks(4096) {
            if answer.is_chunked {
                bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            }
            bytes.extend(piece);
            if answer.is_chunked {
                bytes.extend(b"\r\n");
            }
        }
        if answer.is_chunked && answer.cut.is_none() {
            bytes.extend(b"0\r\n\r\n");
        }
    }
    // The client may have disconnected.
    _ = stream.write_all(&bytes);
}
