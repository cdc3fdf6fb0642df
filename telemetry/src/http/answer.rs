//! Answers of HTTP/1.1 servers, read up to their end within limits of time and size.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crossover_quantity::text::shortened;

/// Longest part of a foreign text in a message.
pub(super) const SHOWN: usize = 80;
/// Largest answer: an exporter of eight GPUs sends 100 kB.
const MOST_BYTES: usize = 16 << 20;
/// Most header fields.
const MOST_FIELDS: usize = 100;
/// Bytes of one read.
const PIECE: usize = 64 << 10;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status code.
    pub status: u16,
    /// All of its body.
    pub body: Vec<u8>,
    /// Whether the connection can take a further request.
    pub is_kept: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// The deadline has passed.
    Late,
    /// The connection ended before the answer did, or the answer is not HTTP; one line.
    Broken(String),
}

/// A stream that can be read within a limit of time.
pub trait TimedRead: Read {
    /// Sets the longest time of a read.
    ///
    /// # Errors
    /// The system refuses it.
    fn limit_read(&self, limit: Duration) -> io::Result<()>;
}

impl TimedRead for TcpStream {
    fn limit_read(&self, limit: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(limit))
    }
}

#[cfg(unix)]
impl TimedRead for UnixStream {
    fn limit_read(&self, limit: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(limit))
    }
}

/// What is known of an answer before its body.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    status: u16,
    /// Bytes of the head itself.
    bytes: usize,
    body: Body,
    /// Whether the server keeps the connection.
    is_kept: bool,
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

/// Reads the answer to the one request that was sent on a stream; all of it has to arrive before the deadline.
///
/// # Errors
/// It did not arrive, or is not HTTP.
pub fn receive(stream: &mut impl TimedRead, deadline: Instant) -> Result<Answer, Unanswered> {
    let mut bytes = Vec::new();
    loop {
        let is_end = !more(stream, &mut bytes, deadline)?;
        if let Some(answer) = complete(&bytes, is_end).map_err(Unanswered::Broken)? {
            return Ok(answer);
        }
    }
}

/// Reads some bytes; returns whether there were any before the end.
fn more(stream: &mut impl TimedRead, bytes: &mut Vec<u8>, deadline: Instant) -> Result<bool, Unanswered> {
    if bytes.len() > MOST_BYTES {
        return Err(Unanswered::Broken(format!("it sent more than {MOST_BYTES} bytes")));
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Unanswered::Late);
    }
    stream.limit_read(left).map_err(|why| Unanswered::Broken(why.to_string()))?;
    let mut piece = vec![0; PIECE];
    match stream.read(&mut piece) {
        Ok(count) => {
            bytes.extend_from_slice(&piece[..count]);
            Ok(count > 0)
        }
        Err(why) if why.kind() == ErrorKind::Interrupted => Ok(true),
        Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Err(Unanswered::Late),
        Err(why) => Err(Unanswered::Broken(format!("the connection was lost: {why}"))),
    }
}

/// The answer, once all of it is there.
fn complete(bytes: &[u8], is_end: bool) -> Result<Option<Answer>, String> {
    let broken = || Err("the connection ended in the middle of an answer".to_owned());
    let mut rest = bytes;
    let head = loop {
        let Some(head) = head(rest)? else { return if is_end { broken() } else { Ok(None) } };
        rest = &rest[head.bytes..];
        // An interim answer, such as 100 Continue, has no body and is followed by the final one.
        if !(100..200).contains(&head.status) {
            break head;
        }
    };
    let found = match head.body {
        Body::Bytes(length) => rest.get(..length).map(|body| (body.to_vec(), length)),
        Body::Chunks => dechunked(rest, is_end)?,
        Body::Connection => is_end.then(|| (rest.to_vec(), rest.len())),
    };
    let Some((body, length)) = found else { return if is_end { broken() } else { Ok(None) } };
    // Bytes after the answer belong to no request.
    let is_kept = head.is_kept && !is_end && length == rest.len();
    Ok(Some(Answer { status: head.status, body, is_kept }))
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
    let status = response.code.unwrap_or_default();
    let mut body = Body::Connection;
    let mut is_kept = response.version == Some(1);
    for field in &*response.headers {
        let value = std::str::from_utf8(field.value).unwrap_or_default().trim();
        if field.name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            body = Body::Chunks;
        } else if field.name.eq_ignore_ascii_case("content-length") && body != Body::Chunks {
            let length = value.parse().ok().filter(|length: &usize| *length <= MOST_BYTES);
            let wrong =
                || format!("its Content-Length is “{}”; expected at most {MOST_BYTES}", shortened(value, SHOWN));
            body = Body::Bytes(length.ok_or_else(wrong)?);
        } else if field.name.eq_ignore_ascii_case("connection") {
            is_kept &= !value.split(',').any(|option| option.trim().eq_ignore_ascii_case("close"));
        }
    }
    // RFC 9112, 6.3: these never have a body.
    if matches!(status, 204 | 304) {
        body = Body::Bytes(0);
    }
    Ok(Some(Head { status, bytes: length, body, is_kept }))
}

/// A body that came in chunks, once all of it is there, and how many bytes it took.
fn dechunked(bytes: &[u8], is_end: bool) -> Result<Option<(Vec<u8>, usize)>, String> {
    let wrong = || "one of its chunks has no valid size".to_owned();
    let mut body = Vec::new();
    let mut used = 0;
    loop {
        let rest = &bytes[used..];
        let (start, size) = match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete(chunk)) => chunk,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(wrong()),
        };
        if size == 0 {
            // An empty line ends the fields after the last chunk. A server that closes the connection may leave it out.
            let behind = &rest[start..];
            let fields =
                if behind.starts_with(b"\r\n") { Some(0) } else { place(behind, b"\r\n\r\n").map(|at| at + 2) };
            let end = fields.map(|fields| fields + 2).or_else(|| is_end.then_some(behind.len()));
            return Ok(end.map(|end| (body, used + start + end)));
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MOST_BYTES).ok_or_else(wrong)?;
        // Each chunk ends with an end of line.
        if rest.len() < start + size + 2 {
            return Ok(None);
        }
        body.extend_from_slice(&rest[start..start + size]);
        used += start + size + 2;
    }
}

/// Where a text first occurs.
fn place(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answer: &str, is_end: bool) -> Result<Option<String>, String> {
        let answer = complete(answer.as_bytes(), is_end)?;
        Ok(answer.map(|answer| String::from_utf8(answer.body).expect("text")))
    }

    #[test]
    fn a_body_ends_by_its_length_its_chunks_or_the_connection() {
        let with_length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(text(with_length, false), Ok(Some("hello".to_owned())));
        assert_eq!(text(&with_length[..40], false), Ok(None));
        // RFC 9112, 7.1: sizes are hexadecimal, with extensions after a semicolon; fields may follow the last chunk.
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nb\r\n0123456789a\r\n0\r\n\r\n";
        assert_eq!(text(chunked, false), Ok(Some("hello0123456789a".to_owned())));
        assert_eq!(text(&chunked[..chunked.len() - 8], false), Ok(None));
        let unended = &chunked[..chunked.len() - 2];
        assert_eq!(text(unended, false), Ok(None));
        assert_eq!(text(unended, true), Ok(Some("hello0123456789a".to_owned())));
        let with_field = format!("{unended}Checksum: 1\r\n");
        assert_eq!(text(&with_field, false), Ok(None));
        assert_eq!(text(&format!("{with_field}\r\n"), false), Ok(Some("hello0123456789a".to_owned())));
        let until_end = "HTTP/1.0 200 OK\r\n\r\nhel";
        assert_eq!((text(until_end, false), text(until_end, true)), (Ok(None), Ok(Some("hel".to_owned()))));
        assert_eq!(text("HTTP/1.1 204 No Content\r\n\r\n", false), Ok(Some(String::new())));
        let interim = format!("HTTP/1.1 100 Continue\r\n\r\n{with_length}");
        assert_eq!(text(&interim, false), Ok(Some("hello".to_owned())));
    }

    #[test]
    fn an_answer_that_is_cut_or_no_http_is_named() {
        for (answer, expected) in [
            ("", "the connection ended in the middle of an answer"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", "the connection ended in the middle of an answer"),
            ("SSH-2.0-OpenSSH_9.6\r\n", "it is not an HTTP server; it sent “SSH-2.0-OpenSSH_9.6"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
                "its Content-Length is “99999999999”; expected at most 16777216",
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "one of its chunks has no valid size"),
        ] {
            let problem = text(answer, true).expect_err(answer);
            assert!(problem.starts_with(expected), "{answer:?}: {problem}");
        }
    }

    /// RFC 9112, 9.3: HTTP/1.1 keeps a connection unless a field says otherwise.
    #[test]
    fn a_connection_is_kept_where_nothing_ends_it() {
        let is_kept = |answer: &str| complete(answer.as_bytes(), false).map(|found| found.map(|found| found.is_kept));
        for (answer, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive, Close\r\n\r\na", false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", false),
        ] {
            assert_eq!(is_kept(answer), Ok(Some(expected)), "{answer:?}");
        }
    }
}
