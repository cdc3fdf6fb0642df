//! Requests to the API server over kept connections to `kubectl proxy`, which is started again when it has ended.

use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossover_page::terminal::message;
use crossover_telemetry::http::answer::{self, Answer, Unanswered};

use super::proxy::{Proxy, Stream};

/// How long a request may take.
const LIMIT: Duration = Duration::from_secs(10);
/// Most connections that are kept without a request. kube-scheduler binds several pods at the same time.
const MOST_IDLE: usize = 16;
/// Time from a failed start of the proxy to the next one.
const PAUSE: Duration = Duration::from_secs(1);

/// The API server, for all threads.
pub(crate) struct ApiServer(Mutex<Connections>);

/// The proxy, and connections to it.
struct Connections {
    /// `None` after a start that failed.
    proxy: Option<Proxy>,
    idle: Vec<Stream>,
    /// The last failed start: its time and its reason.
    failure: Option<(Instant, String)>,
}

/// An answer of the API server.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// Whether the same request was sent before and its answer lost: the API server may have carried it out.
    pub(super) is_repeated: bool,
}

/// Why a request failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// One line.
    pub(super) why: String,
    /// Whether the API server may have carried it out: it was sent, and not refused.
    pub(super) may_be_done: bool,
}

impl ApiServer {
    /// Starts the proxy.
    ///
    /// # Errors
    /// It does not start; one line.
    pub(crate) fn start() -> Result<Self, String> {
        let proxy = Some(Proxy::start()?);
        Ok(Self(Mutex::new(Connections { proxy, idle: Vec::new(), failure: None })))
    }

    /// Posts JSON. If the connection is lost, the request is sent once more.
    ///
    /// # Errors
    /// There is no answer.
    pub(super) fn post(&self, path: &str, body: &str) -> Result<Posted, Failure> {
        self.post_within(LIMIT, path, body)
    }

    fn post_within(&self, limit: Duration, path: &str, body: &str) -> Result<Posted, Failure> {
        let deadline = Instant::now() + limit;
        let mut is_repeated = false;
        loop {
            let taken = self.connections().take();
            let mut stream = taken.map_err(|why| Failure { why, may_be_done: is_repeated })?;
            // Another request may have started the proxy meanwhile.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let why = format!("no connection to kubectl proxy within {} s", limit.as_secs());
                return Err(Failure { why, may_be_done: is_repeated });
            }
            match exchange(&mut stream, path, body, left) {
                Ok(Answer { status, body, is_kept }) => {
                    if is_kept {
                        self.connections().keep(stream);
                    }
                    return Ok(Posted { status, body, is_repeated });
                }
                Err(Unanswered::Late) => {
                    let why = format!("the API server did not answer within {} s", limit.as_secs());
                    return Err(Failure { why, may_be_done: true });
                }
                Err(Unanswered::Broken(_)) if !is_repeated => is_repeated = true,
                Err(Unanswered::Broken(why)) => {
                    return Err(Failure { why: format!("kubectl proxy: {why}"), may_be_done: true });
                }
            }
        }
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    /// An idle connection, or a new one; starts the proxy again if it has ended.
    fn take(&mut self) -> Result<Stream, String> {
        while let Some(stream) = self.idle.pop() {
            if is_open(&stream) {
                return Ok(stream);
            }
        }
        let running = self.proxy.as_ref().filter(|proxy| !proxy.has_ended());
        if let Some(Ok(stream)) = running.map(Proxy::connect) {
            return Ok(stream);
        }
        self.restart()?.connect().map_err(|why| format!("kubectl proxy: {why}"))
    }

    fn keep(&mut self, stream: Stream) {
        if self.idle.len() < MOST_IDLE {
            self.idle.push(stream);
        }
    }

    fn restart(&mut self) -> Result<&Proxy, String> {
        if let Some((at, why)) = &self.failure
            && at.elapsed() < PAUSE
        {
            return Err(why.clone());
        }
        if let Some(ended) = self.proxy.take() {
            let why = ended.last_line().map(|line| format!(" ({line})")).unwrap_or_default();
            message(format!("kubectl proxy has ended{why}; it is started again"));
        }
        match Proxy::start() {
            Ok(proxy) => {
                self.failure = None;
                Ok(self.proxy.insert(proxy))
            }
            Err(why) => {
                self.failure = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }
}

/// Whether a connection without a request is still open: nothing can be read from it, not even its end.
fn is_open(mut stream: &Stream) -> bool {
    let mut byte = [0];
    stream.set_nonblocking(true).is_ok()
        && stream.read(&mut byte).is_err_and(|why| why.kind() == ErrorKind::WouldBlock)
        && stream.set_nonblocking(false).is_ok()
}

/// Sends a request and reads its answer within a time limit above zero.
fn exchange(stream: &mut Stream, path: &str, body: &str, limit: Duration) -> Result<Answer, Unanswered> {
    let deadline = Instant::now() + limit;
    let length = body.len();
    // The proxy accepts requests to this host only, so that no page in a browser can send one.
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: crossover\r\nAccept: application/json\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.set_write_timeout(Some(limit)).map_err(|why| Unanswered::Broken(why.to_string()))?;
    stream.write_all(request.as_bytes()).map_err(|why| match why.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Unanswered::Late,
        _ => Unanswered::Broken(format!("the connection was lost: {why}")),
    })?;
    answer::receive(stream, deadline)
}

#[cfg(all(test, unix))]
mod tests {
    use std::thread;

    use super::*;

    const PATH: &str = "/api/v1/namespaces/ns/pods/a/binding";
    const ENOUGH: Duration = Duration::from_mins(1);

    /// The outcome of a request that the other side reads and answers so. That side then closes, or waits until this side closes.
    fn exchanged(answer: &'static str, closes: bool, limit: Duration) -> (Result<Answer, Unanswered>, String) {
        let (mut ours, mut theirs) = Stream::pair().expect("a pair");
        let server = thread::Builder::new().name("server".to_owned()).spawn(move || {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n{}") {
                let mut byte = [0];
                theirs.read_exact(&mut byte).expect("a request");
                request.push(byte[0]);
            }
            theirs.write_all(answer.as_bytes()).expect("written");
            if !closes {
                assert_eq!(theirs.read(&mut [0]).expect("an end"), 0);
            }
            String::from_utf8(request).expect("text")
        });
        let answer = exchange(&mut ours, PATH, "{}", limit);
        drop(ours);
        (answer, server.expect("a thread").join().expect("no panic"))
    }

    #[test]
    fn a_request_has_a_host_that_the_proxy_accepts_and_the_length_of_its_body() {
        let created = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
        let (answer, request) = exchanged(created, false, ENOUGH);
        assert_eq!(answer, Ok(Answer { status: 201, body: b"{}".to_vec(), is_kept: true }));
        let mut lines = request.lines();
        assert_eq!(lines.next(), Some("POST /api/v1/namespaces/ns/pods/a/binding HTTP/1.1"));
        for field in ["Host: localhost", "Content-Type: application/json", "Content-Length: 2"] {
            assert!(lines.clone().any(|line| line == field), "{field}: {request}");
        }
    }

    #[test]
    fn half_an_answer_is_broken_and_none_is_late() {
        for part in ["", "HTTP/1.1 201 Cre", "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{}"] {
            let (answer, _) = exchanged(part, true, ENOUGH);
            assert!(matches!(answer, Err(Unanswered::Broken(_))), "{part:?}: {answer:?}");
            let (answer, _) = exchanged(part, false, Duration::from_millis(50));
            assert_eq!(answer, Err(Unanswered::Late), "{part:?}");
        }
    }

    #[test]
    fn a_request_for_which_no_time_is_left_is_not_sent() {
        let (ours, mut theirs) = Stream::pair().expect("a pair");
        let server = ApiServer(Mutex::new(Connections { proxy: None, idle: vec![ours], failure: None }));
        let failure = server.post_within(Duration::ZERO, PATH, "{}").expect_err("no time");
        let why = "no connection to kubectl proxy within 0 s".to_owned();
        assert_eq!(failure, Failure { why, may_be_done: false });
        assert_eq!(theirs.read(&mut [0]).expect("an end"), 0);
    }

    #[test]
    fn an_idle_connection_is_open_until_the_other_side_closes_or_writes() {
        let (ours, mut theirs) = Stream::pair().expect("a pair");
        assert!(is_open(&ours) && is_open(&ours));
        theirs.write_all(b"HTTP").expect("written");
        assert!(!is_open(&ours));
        let (ours, theirs) = Stream::pair().expect("a pair");
        drop(theirs);
        assert!(!is_open(&ours));
    }
}
