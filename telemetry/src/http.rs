//! One page of an HTTP server as text, within limits of time and size.
//!
//! Exporters and Prometheus in a cluster serve plain HTTP; where they do not, a proxy on this machine adds TLS.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use crossover_quantity::text::shortened;
use url::Url;

/// Largest answer: an exporter of eight GPUs sends 100 kB.
const MOST_BYTES: usize = 16 << 20;
/// Most header fields.
const MOST_FIELDS: usize = 100;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// Longest part of a foreign text in a message.
const SHOWN: usize = 80;

/// What is known of an answer before its body.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    /// Bytes of the head itself.
    bytes: usize,
    body: Body,
}

/// Where a body ends.
#[derive(Debug, PartialEq, Eq)]
enum Body {
    /// After so many bytes.
    Bytes(usize),
    /// After a chunk of no bytes.
    Chunks,
    /// With the connection.
    Connection,
}

/// An address that can be read, with the usual path of such servers if it has none.
///
/// # Errors
/// It is not one of plain HTTP, or would send a password; one line.
pub fn address(text: &str, usual_path: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|why| format!("“{text}” is not an address: {why}"))?;
    match url.scheme() {
        "http" => {}
        "https" => {
            return Err(format!(
                "“{text}”: only plain HTTP is read; use a local proxy that terminates TLS, and name its http:// address"
            ));
        }
        _ => return Err(format!("“{text}” is not an address of an HTTP server; expected http://HOST:PORT")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user name or a password is not supported: plain HTTP would show it".to_owned());
    }
    if url.host_str().is_none() {
        return Err(format!("“{text}” has no host"));
    }
    if url.path() == "/" {
        url.set_path(usual_path);
    }
    Ok(url)
}

/// The text at an address; all of it has to arrive within the time limit.
///
/// # Errors
/// It did not arrive, is not HTTP, or has another status than 200; one line.
pub fn get(url: &Url, limit: Duration) -> Result<String, String> {
    let deadline = Instant::now() + limit;
    let late = || format!("no answer within {} s", limit.as_secs_f64());
    let host = url.host_str().unwrap_or_default();
    let authority = format!("{host}:{}", url.port_or_known_default().unwrap_or(80));
    let mut stream = connect(&authority, deadline)?.ok_or_else(late)?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let request = format!(
        "GET {}{query} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: crossover\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        url.path()
    );
    stream.set_write_timeout(Some(limit)).map_err(|why| why.to_string())?;
    stream.write_all(request.as_bytes()).map_err(|why| format!("the connection was lost: {why}"))?;
    let mut bytes = Vec::new();
    let body = loop {
        let is_end = !more(&mut stream, &mut bytes, deadline)?.ok_or_else(late)?;
        if let Some(body) = complete(&bytes, is_end)? {
            break body;
        }
    };
    String::from_utf8(body).map_err(|_| "it sent no UTF-8 text".to_owned())
}

/// Connects to the first address that takes it; none after the deadline.
fn connect(authority: &str, deadline: Instant) -> Result<Option<TcpStream>, String> {
    let addresses = authority.to_socket_addrs().map_err(|why| format!("cannot resolve the host name: {why}"))?;
    let mut problem = "the host name has no address".to_owned();
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(Some(stream)),
            Err(why) if why.kind() == ErrorKind::TimedOut => return Ok(None),
            Err(why) => problem = format!("cannot connect: {why}"),
        }
    }
    Err(problem)
}

/// Reads some bytes: whether there were any before the end; none after the deadline.
fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>, deadline: Instant) -> Result<Option<bool>, String> {
    if bytes.len() > MOST_BYTES {
        return Err(format!("it sent more than {MOST_BYTES} bytes"));
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(None);
    }
    stream.set_read_timeout(Some(left)).map_err(|why| why.to_string())?;
    let mut piece = vec![0; PIECE];
    match stream.read(&mut piece) {
        Ok(count) => {
            bytes.extend_from_slice(&piece[..count]);
            Ok(Some(count > 0))
        }
        Err(why) if why.kind() == ErrorKind::Interrupted => Ok(Some(true)),
        Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(None),
        Err(why) => Err(format!("the connection was lost: {why}")),
    }
}

/// The body of an answer, once all of it is there.
fn complete(bytes: &[u8], is_end: bool) -> Result<Option<Vec<u8>>, String> {
    let broken = || Err("the connection ended in the middle of an answer".to_owned());
    let Some(head) = head(bytes)? else { return if is_end { broken() } else { Ok(None) } };
    let rest = &bytes[head.bytes..];
    let body = match head.body {
        Body::Bytes(length) => rest.get(..length).map(<[u8]>::to_vec),
        Body::Chunks => dechunked(rest)?,
        Body::Connection => is_end.then(|| rest.to_vec()),
    };
    let Some(body) = body else { return if is_end { broken() } else { Ok(None) } };
    if head.status == 200 {
        return Ok(Some(body));
    }
    let said = shortened(String::from_utf8_lossy(&body).trim(), SHOWN);
    let said = if said.is_empty() { said } else { format!(": {said}") };
    Err(format!("it answered with status {}{said}", head.status))
}

fn head(bytes: &[u8]) -> Result<Option<Head>, String> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let length = match response.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => {
            let said = shortened(&String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]), SHOWN);
            return Err(format!("it is not an HTTP server; it sent “{said}”"));
        }
    };
    let mut body = Body::Connection;
    for field in &*response.headers {
        let value = std::str::from_utf8(field.value).unwrap_or_default().trim();
        if field.name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            body = Body::Chunks;
        } else if field.name.eq_ignore_ascii_case("content-length") && body != Body::Chunks {
            let length = value.parse().ok().filter(|length: &usize| *length <= MOST_BYTES);
            body =
                Body::Bytes(length.ok_or_else(|| format!("its answer has a length of “{}”", shortened(value, SHOWN)))?);
        }
    }
    Ok(Some(Head { status: response.code.unwrap_or_default(), bytes: length, body }))
}

/// A body that came in chunks, once all of it is there.
fn dechunked(mut rest: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let wrong = || "its chunks have no valid size".to_owned();
    let mut body = Vec::new();
    loop {
        let (start, size) = match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete(chunk)) => chunk,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(wrong()),
        };
        if size == 0 {
            return Ok(Some(body));
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES).ok_or_else(wrong)?;
        // Behind each chunk is an end of line.
        let Some(after) = rest.get(start + size + 2..) else { return Ok(None) };
        body.extend_from_slice(&rest[start..start + size]);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: &str, is_end: bool) -> Result<Option<String>, String> {
        let body = complete(answer.as_bytes(), is_end)?;
        Ok(body.map(|body| String::from_utf8(body).expect("text")))
    }

    #[test]
    fn a_body_ends_by_its_length_its_chunks_or_the_connection() {
        let with_length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(text(with_length, false), Ok(Some("hello".to_owned())));
        assert_eq!(text(&with_length[..40], false), Ok(None));
        // RFC 9112, 7.1: sizes are hexadecimal, with extensions after a semicolon.
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nb\r\n0123456789a\r\n0\r\n\r\n";
        assert_eq!(text(chunked, false), Ok(Some("hello0123456789a".to_owned())));
        assert_eq!(text(&chunked[..chunked.len() - 8], false), Ok(None));
        let until_end = "HTTP/1.0 200 OK\r\n\r\nhel";
        assert_eq!((text(until_end, false), text(until_end, true)), (Ok(None), Ok(Some("hel".to_owned()))));
    }

    #[test]
    fn an_answer_that_is_cut_refused_or_no_http_is_named() {
        for (answer, expected) in [
            ("", "the connection ended in the middle of an answer"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "the connection ended in the middle of an answer"),
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found", "it answered with status 404: not found"),
            ("SSH-2.0-OpenSSH_9.6\r\n", "it is not an HTTP server; it sent “SSH-2.0-OpenSSH_9.6"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "its answer has a length of “99999999999”"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "its chunks have no valid size"),
        ] {
            let problem = text(answer, true).expect_err(answer);
            assert!(problem.starts_with(expected), "{answer:?}: {problem}");
        }
    }

    #[test]
    fn only_addresses_of_plain_http_are_read() {
        let of = |text: &str| address(text, "/metrics").map(|url| url.to_string());
        assert_eq!(of("http://node1:9400"), Ok("http://node1:9400/metrics".to_owned()));
        assert_eq!(of("http://[::1]:9400/m?a=b"), Ok("http://[::1]:9400/m?a=b".to_owned()));
        for (text, problem) in [
            ("https://node1", "only plain HTTP is read"),
            ("http://me:secret@node1", "a user name or a password is not supported"),
            ("file:///etc/passwd", "is not an address of an HTTP server"),
            ("node1", "is not an address"),
        ] {
            assert!(of(text).expect_err(text).contains(problem), "{text}");
        }
    }
}
