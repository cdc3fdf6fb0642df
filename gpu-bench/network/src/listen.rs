//! The machine that listens: answers messages, takes data and counts it, sends data. One measurement at a time.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::end;
use super::secured::{ServerConfig, Wire};
use super::wire::{
    COUNT, Count, END, Greeting, Hello, PING, Purpose, VERSION, Welcome, nonce, payload, proof, random, read_line,
    read_message, send_line,
};

/// How a listener behaves.
#[derive(Debug, Clone)]
pub struct Listening {
    /// What the other machine has to know, if anything.
    pub token: Option<String>,
    /// Settings of TLS of control connections; none: they are in clear.
    pub tls: Option<Arc<ServerConfig>>,
    /// Whether it goes on after a measurement.
    pub is_kept: bool,
    /// Time limit for a hello.
    pub hello_limit: Duration,
    /// Time limit between two messages or pieces of data.
    pub idle_limit: Duration,
}

impl Default for Listening {
    fn default() -> Self {
        Self {
            token: None,
            tls: None,
            is_kept: false,
            hello_limit: Duration::from_secs(10),
            idle_limit: Duration::from_secs(30),
        }
    }
}

/// Most connections at the same time.
const MOST_CONNECTIONS: usize = 192;
/// Longest measurement.
const LONGEST: Duration = Duration::from_mins(30);
/// Polling interval for new connections.
const POLL: Duration = Duration::from_millis(10);
/// Time limit for a refusal.
const REFUSAL: Duration = Duration::from_secs(10);
/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// What all connections share.
struct Shared {
    options: Listening,
    data: Vec<u8>,
    running: Mutex<Option<Arc<Measurement>>>,
    connections: AtomicUsize,
    is_done: AtomicBool,
}

/// The measurement that runs.
struct Measurement {
    number: u64,
    began: Instant,
    received: AtomicU64,
    has_ended: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

/// Counts as a connection until it is dropped, also by a panic.
struct OpenConnection(Arc<Shared>);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends the measurement with its control connection, however that ends.
struct Running<'a> {
    shared: &'a Shared,
    measurement: Arc<Measurement>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.shared.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.measurement.has_ended.store(true, Ordering::Release);
        for stream in self.measurement.streams.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // The other machine may have closed it.
            _ = stream.shutdown(Shutdown::Both);
        }
        self.shared.is_done.store(true, Ordering::Release);
    }
}

impl Shared {
    /// Begins a measurement, unless one runs.
    fn begin(&self) -> Option<Running<'_>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.is_some() {
            return None;
        }
        let measurement = Arc::new(Measurement {
            number: random(),
            began: Instant::now(),
            received: AtomicU64::new(0),
            has_ended: AtomicBool::new(false),
            streams: Mutex::default(),
        });
        *running = Some(Arc::clone(&measurement));
        Some(Running { shared: self, measurement })
    }

    /// Makes a connection a stream of the measurement with this number.
    fn join(&self, number: u64, stream: &TcpStream) -> Option<Arc<Measurement>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let measurement = running.as_ref().filter(|measurement| measurement.number == number)?;
        let copy = stream.try_clone().ok()?;
        measurement.streams.lock().unwrap_or_else(PoisonError::into_inner).push(copy);
        Some(Arc::clone(measurement))
    }
}

impl Measurement {
    fn count(&self) -> Count {
        let nanoseconds = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Count { bytes: self.received.load(Ordering::Relaxed), nanoseconds }
    }
}

/// Answers measurements, one after the other; the first ends it unless it is kept. `note` gets a line for the user whenever a
/// measurement begins or a connection is refused.
///
/// # Errors
/// The socket cannot be used.
pub fn serve(listener: &TcpListener, options: &Listening, note: fn(&str)) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let shared = Arc::new(Shared {
        options: options.clone(),
        data: payload(),
        running: Mutex::default(),
        connections: AtomicUsize::new(0),
        is_done: AtomicBool::new(false),
    });
    while options.is_kept || !shared.is_done.load(Ordering::Acquire) {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // None is there, or one left before it was accepted: no reason to end.
            Err(_) => {
                thread::sleep(POLL);
                continue;
            }
        };
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let open = OpenConnection(Arc::clone(&shared));
        if before >= MOST_CONNECTIONS {
            continue;
        }
        let work = move || {
            let from = stream.peer_addr().map_or_else(|_| "a connection".to_owned(), |address| address.to_string());
            if let Err(problem) = converse(stream, &open.0, note, &from) {
                note(&format!("{from}: {problem}"));
            }
        };
        // Without a thread the connection is closed.
        _ = thread::Builder::new().name("connection".to_owned()).spawn(work);
    }
    Ok(())
}

/// One connection, to its end. The error is for the user of this machine.
fn converse(stream: TcpStream, shared: &Shared, note: fn(&str), from: &str) -> Result<(), String> {
    let options = &shared.options;
    let broken = |error: io::Error| format!("the connection was lost: {error}");
    // Some systems pass the mode of the listener on.
    stream.set_nonblocking(false).map_err(broken)?;
    stream.set_nodelay(true).map_err(broken)?;
    stream.set_write_timeout(Some(options.idle_limit)).map_err(broken)?;
    let mut wire = Wire::plain(stream);
    let greeting = Greeting {
        crossover_network: VERSION,
        nonce: nonce(),
        needs_token: options.token.is_some(),
        needs_tls: options.tls.is_some(),
    };
    send_line(&mut wire, &greeting, options.hello_limit).map_err(broken)?;
    if let Some(settings) = options.tls.as_ref().filter(|_| begins_tls(wire.socket(), options.hello_limit)) {
        wire.accept_tls(settings).map_err(broken)?;
    }
    let line = read_line(&mut wire, options.hello_limit).map_err(|no_line| match no_line.why.kind() {
        ErrorKind::TimedOut => format!("no handshake within {} s", options.hello_limit.as_secs_f64()),
        _ => "closed before the handshake; connect with “gpu-bench network HOST:PORT”".to_owned(),
    })?;
    let purpose = match admit(&line, &greeting, options.token.as_deref()) {
        Ok(purpose) => purpose,
        Err(problem) => return refuse(&mut wire, problem),
    };
    match purpose {
        Purpose::Control => {
            if options.tls.is_some() && !wire.is_encrypted() {
                return refuse(&mut wire, "TLS is required");
            }
            let Some(running) = shared.begin() else {
                return refuse(&mut wire, "another measurement is running; try again");
            };
            note(&format!("{from} measures the network to this machine"));
            let welcome = Welcome::Begun { measurement: running.measurement.number, end: end::of(wire.socket()) };
            send_line(&mut wire, &welcome, options.hello_limit).map_err(broken)?;
            control(&mut wire, &running.measurement, options.idle_limit).map_err(broken)
        }
        Purpose::Echo(number) | Purpose::ToListener(number) | Purpose::FromListener(number) => {
            let Some(measurement) = shared.join(number, wire.socket()) else {
                return refuse(&mut wire, "the measurement has ended");
            };
            send_line(&mut wire, &Welcome::Joined, options.hello_limit).map_err(broken)?;
            let ended = match purpose {
                Purpose::Echo(_) => echo(&mut wire, &measurement, options.idle_limit),
                Purpose::FromListener(_) => send(wire.socket(), &measurement, &shared.data),
                Purpose::ToListener(_) | Purpose::Control => receive(wire.socket(), &measurement, options.idle_limit),
            };
            // A stream ends when the other machine closes it, in the middle of its data.
            _ = ended;
            Ok(())
        }
    }
}

/// Whether the other machine goes on by TLS: a record of a handshake begins with 22, a hello with “{”.
fn begins_tls(socket: &TcpStream, limit: Duration) -> bool {
    let mut first = [0];
    let is_waiting = socket.set_read_timeout(Some(limit)).is_ok();
    is_waiting && matches!(socket.peek(&mut first), Ok(1)) && first[0] == 22
}

/// What a connection is for, if its hello is right.
fn admit(line: &str, greeting: &Greeting, token: Option<&str>) -> Result<Purpose, &'static str> {
    let hello: Hello = serde_json::from_str(line).map_err(|_| "not a handshake of “gpu-bench network”")?;
    if hello.crossover_network != VERSION {
        return Err("another version of the protocol; use the same release on both machines");
    }
    let expected = token.map(|token| proof(&greeting.nonce, token));
    // A digest of a nonce is used once: comparing it in a varying time reveals nothing.
    if expected.is_some() && hello.proof != expected {
        return Err("the token is missing or wrong");
    }
    Ok(hello.purpose)
}

/// Tells both sides why a connection is closed.
fn refuse(wire: &mut Wire, problem: &str) -> Result<(), String> {
    // It may have closed already.
    _ = send_line(wire, &Welcome::Refused(problem.to_owned()), REFUSAL);
    Err(format!("refused: {problem}"))
}

/// Answers messages until the other machine ends the measurement.
fn control(wire: &mut Wire, measurement: &Measurement, idle_limit: Duration) -> io::Result<()> {
    while measurement.began.elapsed() < LONGEST {
        let message = match read_message(wire, idle_limit) {
            Ok(message) => message,
            // The program on the other machine was ended.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        match message[0] {
            COUNT => wire.write_all(&measurement.count().message(), Instant::now() + idle_limit)?,
            END => return Ok(()),
            _ => return Err(io::Error::new(ErrorKind::InvalidData, "an unknown message")),
        }
    }
    Err(ErrorKind::TimedOut.into())
}

/// Sends messages back until the measurement or the connection ends.
fn echo(wire: &mut Wire, measurement: &Measurement, idle_limit: Duration) -> io::Result<()> {
    while !measurement.has_ended.load(Ordering::Acquire) {
        let message = read_message(wire, idle_limit)?;
        if message[0] != PING {
            return Err(io::Error::new(ErrorKind::InvalidData, "an unknown message"));
        }
        wire.write_all(&message, Instant::now() + idle_limit)?;
    }
    Ok(())
}

/// Counts data until its end.
fn receive(mut stream: &TcpStream, measurement: &Measurement, idle_limit: Duration) -> io::Result<()> {
    stream.set_read_timeout(Some(idle_limit))?;
    let mut piece = vec![0; PIECE];
    while !measurement.has_ended.load(Ordering::Acquire) {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => _ = measurement.received.fetch_add(count as u64, Ordering::Relaxed),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Sends data until the other machine closes the stream.
fn send(mut stream: &TcpStream, measurement: &Measurement, data: &[u8]) -> io::Result<()> {
    while !measurement.has_ended.load(Ordering::Acquire) {
        stream.write_all(data)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting() -> Greeting {
        Greeting { crossover_network: VERSION, nonce: "n".to_owned(), needs_token: true, needs_tls: false }
    }

    fn hello(version: u32, token: Option<&str>) -> String {
        let proof = token.map(|token| proof("n", token));
        serde_json::to_string(&Hello { crossover_network: version, proof, purpose: Purpose::Control }).unwrap()
    }

    #[test]
    fn only_a_hello_of_this_version_with_the_token_is_let_in() {
        let admitted = |line: &str, token: Option<&str>| admit(line, &greeting(), token).map(|_| ());
        assert_eq!(admitted(&hello(VERSION, Some("secret")), Some("secret")), Ok(()));
        assert_eq!(admitted(&hello(VERSION, None), None), Ok(()));
        for (line, problem) in [
            (hello(VERSION, Some("other")), "the token is missing or wrong"),
            (hello(VERSION, None), "the token is missing or wrong"),
            (hello(VERSION + 1, Some("secret")), "another version of the protocol"),
            ("GET / HTTP/1.1\r".to_owned(), "not a handshake"),
        ] {
            let refused = admitted(&line, Some("secret")).expect_err("refused");
            assert!(refused.starts_with(problem), "{line}: {refused}");
        }
    }
}
