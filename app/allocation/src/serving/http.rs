//! An HTTP/1.1 server for small programs: a thread for each connection, bounded requests, deadlines, a token, and TLS.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossover_network::secured::{ServerConfig, Wire};

/// Largest body: 5,000 nodes of 12 kB.
const LARGEST_BODY: usize = 64 << 20;
/// Largest head of a request.
const LARGEST_HEAD: usize = 16 << 10;
/// Most header fields.
const MOST_FIELDS: usize = 64;
/// Most connections at the same time.
const MOST_CONNECTIONS: usize = 256;
/// How long a connection may be idle between two requests.
const IDLE: Duration = Duration::from_mins(2);
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(30);
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// A request whose sender is allowed.
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

/// What answers requests, on several threads.
pub(crate) type Answering = dyn Fn(&Request) -> Answer + Send + Sync;

/// How a request came in.
enum Incoming {
    /// With whether the connection is kept.
    Complete(Request, bool),
    /// The other side has closed, or sent nothing for too long.
    End,
    Bad(Answer),
}

/// Counts as a connection until it is dropped, also by a panic.
struct OpenConnection(Arc<AtomicUsize>);

impl OpenConnection {
    fn new(connections: &Arc<AtomicUsize>) -> Self {
        connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(connections))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The head of a request.
struct Head {
    method: String,
    path: String,
    is_kept: bool,
    has_token: bool,
    awaits_continue: bool,
    body_bytes: usize,
    /// Bytes of the head itself.
    bytes: usize,
}

impl Answer {
    /// JSON.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self { status: 200, content_type: "application/json", body }
    }

    /// One line about what is wrong.
    pub(crate) fn problem(status: u16, text: &str) -> Self {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self { status, content_type: "text/plain; charset=utf-8", body: format!("{line}\n").into_bytes() }
    }
}

/// Pause after a connection that could not be taken.
const AFTER_FAILURE: Duration = Duration::from_millis(20);

/// Who is let in.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// What the header `Authorization: Bearer` must have, if anything.
    pub(crate) token: Option<Arc<str>>,
    /// Settings of TLS; none: connections are in clear.
    pub(crate) tls: Option<Arc<ServerConfig>>,
}

/// Answers requests until the process ends.
pub(crate) fn serve(listener: &TcpListener, access: &Access, answer: &Arc<Answering>) {
    let connections = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        // A client that has left before it was accepted is no reason to end.
        let Ok(stream) = stream else {
            // Without free descriptors the next one fails at once, too.
            thread::sleep(AFTER_FAILURE);
            continue;
        };
        if connections.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
            // A handshake takes longer than a refusal may.
            if access.tls.is_none() {
                let problem = Answer::problem(503, "too many connections; try again");
                _ = write(&mut Wire::plain(stream), &problem, false);
            }
            continue;
        }
        let open = OpenConnection::new(&connections);
        let (answer, access) = (Arc::clone(answer), access.clone());
        let started = thread::Builder::new().name("connection".to_owned()).spawn(move || {
            // Ends with the connection; what its other side does wrong concerns no other one.
            _ = converse(stream, &access, answer.as_ref());
            drop(open);
        });
        // Without a thread the connection is closed, and kube-scheduler tries again.
        if started.is_err() {
            thread::sleep(AFTER_FAILURE);
        }
    }
}

fn converse(stream: TcpStream, access: &Access, answer: &Answering) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(ARRIVAL))?;
    let mut wire = Wire::plain(stream);
    if let Some(settings) = &access.tls {
        wire.accept_tls(settings)?;
    }
    let mut unread = Vec::new();
    loop {
        match receive(&mut wire, &mut unread, access.token.as_deref())? {
            Incoming::End => return Ok(()),
            Incoming::Bad(problem) => return write(&mut wire, &problem, false),
            Incoming::Complete(request, is_kept) => {
                write(&mut wire, &answer(&request), is_kept)?;
                if !is_kept {
                    return Ok(());
                }
            }
        }
    }
}

/// Reads one request; `unread` has what came behind the one before.
fn receive(wire: &mut Wire, unread: &mut Vec<u8>, token: Option<&str>) -> io::Result<Incoming> {
    let mut deadline = Instant::now() + if unread.is_empty() { IDLE } else { ARRIVAL };
    let head = loop {
        match parse(unread, token) {
            Ok(Some(head)) => break head,
            Ok(None) => {}
            Err(problem) => return Ok(Incoming::Bad(problem)),
        }
        let was_empty = unread.is_empty();
        if !more(wire, unread, deadline)? {
            return Ok(Incoming::End);
        }
        if was_empty {
            deadline = Instant::now() + ARRIVAL;
        }
    };
    if !head.has_token {
        let problem = Answer::problem(401, "the header “Authorization: Bearer TOKEN” is absent or has another token");
        return Ok(Incoming::Bad(problem));
    }
    if head.awaits_continue {
        wire.write_all(b"HTTP/1.1 100 Continue\r\n\r\n", deadline)?;
    }
    let end = head.bytes + head.body_bytes;
    while unread.len() < end {
        if !more(wire, unread, deadline)? {
            return Ok(Incoming::End);
        }
    }
    let rest = unread.split_off(end);
    let mut body = std::mem::replace(unread, rest);
    body.drain(..head.bytes);
    Ok(Incoming::Complete(Request { method: head.method, path: head.path, body }, head.is_kept))
}

/// Reads some bytes; `false` at the end, or where none came until the deadline.
fn more(wire: &mut Wire, unread: &mut Vec<u8>, deadline: Instant) -> io::Result<bool> {
    let before = unread.len();
    unread.resize(before + PIECE, 0);
    let read = wire.read_until(&mut unread[before..], deadline);
    unread.truncate(before + read.as_ref().map_or(0, |count| *count));
    match read {
        Ok(count) => Ok(count > 0),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The head of a request, once all of it is there.
fn parse(bytes: &[u8], token: Option<&str>) -> Result<Option<Head>, Answer> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= LARGEST_HEAD => length,
        Ok(httparse::Status::Partial) if bytes.len() <= LARGEST_HEAD => return Ok(None),
        Ok(_) => return Err(Answer::problem(431, "the head of the request is larger than 16 KiB")),
        Err(problem) => return Err(Answer::problem(400, &format!("not a request of HTTP/1.1: {problem}"))),
    };
    let method = request.method.unwrap_or_default().to_owned();
    let target = request.path.unwrap_or_default();
    let path = target.split_once('?').map_or(target, |(path, _)| path).to_owned();
    let mut head = Head {
        method,
        path,
        is_kept: request.version == Some(1),
        has_token: token.is_none(),
        awaits_continue: false,
        body_bytes: 0,
        bytes: length,
    };
    let mut lengths = 0;
    for field in &*request.headers {
        let value = std::str::from_utf8(field.value).unwrap_or_default().trim();
        match field.name.to_ascii_lowercase().as_str() {
            "content-length" => {
                lengths += 1;
                let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                let bytes = value.parse().ok().filter(|_| is_number && lengths == 1);
                head.body_bytes = bytes.ok_or_else(|| Answer::problem(400, "Content-Length is not one number"))?;
            }
            "transfer-encoding" => {
                return Err(Answer::problem(411, "send the body with Content-Length, not in chunks"));
            }
            "connection" if value.eq_ignore_ascii_case("close") => head.is_kept = false,
            "expect" if value.eq_ignore_ascii_case("100-continue") => head.awaits_continue = true,
            "authorization" => {
                let given = value.strip_prefix("Bearer ").map(str::trim);
                head.has_token |= token.zip(given).is_some_and(|(token, given)| is_same(token, given));
            }
            _ => {}
        }
    }
    if head.body_bytes > LARGEST_BODY {
        let problem = format!("the body has {} bytes; at most {LARGEST_BODY} are read", head.body_bytes);
        return Err(Answer::problem(413, &problem));
    }
    Ok(Some(head))
}

/// Whether two texts are the same, in a time that does not say where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |differing, (a, b)| differing | (a ^ b));
    one.len() == other.len() && differing == 0
}

fn write(wire: &mut Wire, answer: &Answer, is_kept: bool) -> io::Result<()> {
    let reason = match answer.status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    };
    let connection = if is_kept { "keep-alive" } else { "close" };
    let head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
        answer.status,
        answer.content_type,
        answer.body.len()
    );
    let mut bytes = head.into_bytes();
    bytes.extend_from_slice(&answer.body);
    wire.write_all(&bytes, Instant::now() + ARRIVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str, token: Option<&str>) -> Result<Option<Head>, u16> {
        parse(text.as_bytes(), token).map_err(|problem| problem.status)
    }

    #[test]
    fn a_head_is_read_once_it_is_complete() {
        let text = "POST /filter?x=1 HTTP/1.1\r\nContent-Length: 12\r\nConnection: close\r\n\r\n";
        assert!(matches!(head(&text[..30], None), Ok(None)));
        let head = head(text, None).ok().flatten().expect("complete");
        assert_eq!((head.method.as_str(), head.path.as_str(), head.body_bytes), ("POST", "/filter", 12));
        assert!(!head.is_kept && head.bytes == text.len());
    }

    #[test]
    fn a_bad_head_has_its_status() {
        let of = |fields: &str| head(&format!("POST / HTTP/1.1\r\n{fields}\r\n"), None).err();
        assert_eq!(of("Content-Length: 1e3\r\n"), Some(400));
        assert_eq!(of("Content-Length: +3\r\n"), Some(400));
        assert_eq!(of("Content-Length: 3\r\nContent-Length: 4\r\n"), Some(400));
        assert_eq!(of("Content-Length: 99999999999\r\n"), Some(413));
        assert_eq!(of("Transfer-Encoding: chunked\r\n"), Some(411));
        assert_eq!(of(&format!("A: {}\r\n", "x".repeat(LARGEST_HEAD))), Some(431));
        assert_eq!(head("\u{1}\u{2}\r\n\r\n", None).err(), Some(400));
    }

    #[test]
    fn only_the_same_token_is_let_in() {
        let with = |field: &str| {
            let head = head(&format!("GET / HTTP/1.1\r\n{field}\r\n"), Some("secret"));
            head.ok().flatten().expect("complete").has_token
        };
        assert!(with("Authorization: Bearer secret\r\n"));
        for field in ["", "Authorization: Bearer secret2\r\n", "Authorization: Bearer\r\n", "Authorization: secret\r\n"]
        {
            assert!(!with(field), "{field}");
        }
    }
}
