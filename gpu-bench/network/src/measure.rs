//! The machine that measures: round trips first, on an idle connection, then data with one connection and with several.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossover_harness::tool::Tool;
use crossover_measured::network::{
    Measures, NETWORK_SCHEMA, NetworkDirection, NetworkEnd, NetworkReport, RoundTrips, Throughput, Transport,
};
use crossover_quantity::text::shortened;

use super::error::NetworkError;
use super::secured::{ClientConfig, Wire};
use super::wire::{
    COUNT, Count, END, Greeting, Hello, MESSAGE, Message, NoLine, PING, Purpose, VERSION, Welcome, payload, proof,
    read_line, read_message, send_line,
};
use super::{end, sampling};

/// What is measured, and for how long.
#[derive(Debug, Clone)]
pub struct NetworkPlan {
    /// Parallel connections, in addition to a measurement with one.
    pub streams: u32,
    /// Time for each number of connections and direction.
    pub seconds: f64,
    /// Time before that, in which connections reach their speed.
    pub warm_up_seconds: f64,
    /// Time of a slice, whose throughput is a sample.
    pub slice_seconds: f64,
    /// Round trips, at most.
    pub round_trips: usize,
    /// The listener's token.
    pub token: Option<String>,
    /// Settings of TLS of the control connection; none: it is in clear.
    pub tls: Option<Arc<ClientConfig>>,
    /// Time limit of every answer.
    pub limit: Duration,
}

impl Default for NetworkPlan {
    fn default() -> Self {
        Self {
            streams: 8,
            seconds: 3.0,
            warm_up_seconds: 1.0,
            slice_seconds: 0.2,
            round_trips: 1_000,
            token: None,
            tls: None,
            limit: Duration::from_secs(10),
        }
    }
}

/// Round trips that are not counted: the first ones find caches and clocks cold.
const WARM_UP_TRIPS: usize = 20;
/// Fewest round trips, on links however slow.
const FEWEST_TRIPS: usize = 20;
/// Time after which no more than the fewest round trips are measured.
const TRIPS_TIME: Duration = Duration::from_secs(2);
/// Bytes that are read at once.
const PIECE: usize = 256 << 10;
/// Longest part of a foreign answer in a message.
const ANSWER: usize = 80;

/// The other machine.
struct Peer<'a> {
    address: &'a str,
    resolved: SocketAddr,
    plan: &'a NetworkPlan,
}

/// A measurement that runs.
struct Control<'a> {
    peer: &'a Peer<'a>,
    wire: Wire,
    number: u64,
    there: NetworkEnd,
}

/// Measures the network to a listener, `HOST:PORT`. `step` gets the name of each step.
///
/// # Errors
/// [`NetworkError`]: no such machine or no listener on it, a refusal, or a connection that broke.
pub fn measure(address: &str, plan: &NetworkPlan, step: &mut dyn FnMut(&str)) -> Result<NetworkReport, NetworkError> {
    let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let (resolved, stream) = connect(address, plan.limit)?;
    let peer = Peer { address, resolved, plan };
    let mut control = peer.begin(Wire::plain(stream))?;
    step("round trips");
    let round_trips = control.round_trips()?;
    let data = payload();
    let mut throughput = Vec::new();
    let connections = if plan.streams > 1 { vec![1, plan.streams] } else { vec![1] };
    for streams in connections {
        for direction in [NetworkDirection::HereToThere, NetworkDirection::ThereToHere] {
            let way = match direction {
                NetworkDirection::HereToThere => "to",
                NetworkDirection::ThereToHere => "from",
            };
            let connections = if streams == 1 { "one connection".to_owned() } else { format!("{streams} connections") };
            step(&format!("data {way} {address} with {connections}"));
            throughput.push(control.throughput(streams, direction, &data)?);
        }
    }
    let (here, there) = (end::of(control.wire.socket()), control.there.clone());
    control.end();
    let tool = Tool::here();
    Ok(NetworkReport {
        schema: NETWORK_SCHEMA,
        measures: Measures::Network,
        transport: Transport::Tcp,
        tool: format!("gpu-bench {}", tool.version),
        unoptimised: !tool.optimised,
        time,
        here,
        there,
        round_trips: Some(round_trips),
        throughput,
    })
}

/// The first address of a name that can be connected to.
fn connect(address: &str, limit: Duration) -> Result<(SocketAddr, TcpStream), NetworkError> {
    let failed = |why| NetworkError::Connect { address: address.to_owned(), why };
    let mut last = io::Error::new(ErrorKind::NotFound, "the host name has no address");
    for resolved in address.to_socket_addrs().map_err(failed)? {
        match TcpStream::connect_timeout(&resolved, limit) {
            Ok(stream) => return Ok((resolved, stream)),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

impl Peer<'_> {
    fn lost(&self, why: io::Error) -> NetworkError {
        match why.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.silent(),
            _ => NetworkError::Lost { address: self.address.to_owned(), why },
        }
    }

    fn silent(&self) -> NetworkError {
        NetworkError::Silent { address: self.address.to_owned(), limit: self.plan.limit }
    }

    fn not_a_listener(&self, answer: &str) -> NetworkError {
        NetworkError::NotAListener { address: self.address.to_owned(), answer: shortened(answer, ANSWER) }
    }

    /// A line that has to be there.
    fn line(&self, wire: &mut Wire) -> Result<String, NetworkError> {
        read_line(wire, self.plan.limit).map_err(|NoLine { heard, why }| {
            if heard.is_empty() { self.lost(why) } else { self.not_a_listener(&heard) }
        })
    }

    /// Its name or address without the port, as its certificate has it.
    fn host(&self) -> &str {
        let host = self.address.rsplit_once(':').map_or(self.address, |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Says what a connection is for; a control connection then goes by TLS, if both sides have it.
    fn greet(&self, wire: &mut Wire, purpose: Purpose) -> Result<Welcome, NetworkError> {
        wire.socket().set_nodelay(true).map_err(|error| self.lost(error))?;
        wire.socket().set_write_timeout(Some(self.plan.limit)).map_err(|error| self.lost(error))?;
        let line = self.line(wire)?;
        let greeting: Greeting = serde_json::from_str(&line).map_err(|_| self.not_a_listener(&line))?;
        if greeting.crossover_network != VERSION {
            let version = greeting.crossover_network;
            return Err(NetworkError::OtherVersion { address: self.address.to_owned(), version });
        }
        match &self.plan.tls {
            None if greeting.needs_tls => return Err(NetworkError::NeedsTls { address: self.address.to_owned() }),
            Some(_) if !greeting.needs_tls => return Err(NetworkError::NoTls { address: self.address.to_owned() }),
            Some(settings) if matches!(purpose, Purpose::Control) => {
                wire.connect_tls(settings, self.host()).map_err(|error| self.lost(error))?;
            }
            _ => {}
        }
        let token = self.plan.token.as_deref().filter(|_| greeting.needs_token);
        if greeting.needs_token && token.is_none() {
            return Err(NetworkError::NeedsToken { address: self.address.to_owned() });
        }
        let proof = token.map(|token| proof(&greeting.nonce, token));
        let hello = Hello { crossover_network: VERSION, proof, purpose };
        send_line(wire, &hello, self.plan.limit).map_err(|error| self.lost(error))?;
        let line = self.line(wire)?;
        let welcome: Welcome = serde_json::from_str(&line).map_err(|_| self.not_a_listener(&line))?;
        match welcome {
            Welcome::Refused(reason) => {
                let reason = shortened(&reason, ANSWER);
                Err(NetworkError::Refused { address: self.address.to_owned(), reason })
            }
            welcome => Ok(welcome),
        }
    }

    /// Sends a message and reads the one that answers it.
    fn ask(&self, wire: &mut Wire, message: &Message) -> Result<Message, NetworkError> {
        let limit = self.plan.limit;
        wire.write_all(message, Instant::now() + limit).map_err(|error| self.lost(error))?;
        read_message(wire, limit).map_err(|error| self.lost(error))
    }

    /// Begins a measurement.
    fn begin(&self, mut wire: Wire) -> Result<Control<'_>, NetworkError> {
        match self.greet(&mut wire, Purpose::Control)? {
            Welcome::Begun { measurement, end } => Ok(Control { peer: self, wire, number: measurement, there: end }),
            _ => Err(self.not_a_listener("an unexpected handshake")),
        }
    }

    /// Adds a stream to a measurement.
    fn join(&self, purpose: Purpose) -> Result<Wire, NetworkError> {
        let failed = |why| NetworkError::Connect { address: self.address.to_owned(), why };
        let stream = TcpStream::connect_timeout(&self.resolved, self.plan.limit).map_err(failed)?;
        let mut wire = Wire::plain(stream);
        match self.greet(&mut wire, purpose)? {
            Welcome::Joined => Ok(wire),
            _ => Err(self.not_a_listener("an unexpected handshake")),
        }
    }
}

impl Control<'_> {
    fn round_trips(&mut self) -> Result<RoundTrips, NetworkError> {
        let mut echo = self.peer.join(Purpose::Echo(self.number))?;
        let mut seconds = Vec::new();
        let began = Instant::now();
        for trip in 0..self.peer.plan.round_trips.max(FEWEST_TRIPS) + WARM_UP_TRIPS {
            let mut message = [0; MESSAGE];
            message[0] = PING;
            message[8..16].copy_from_slice(&(trip as u64).to_le_bytes());
            let sent = Instant::now();
            let answer = self.peer.ask(&mut echo, &message)?;
            let took = sent.elapsed();
            if answer != message {
                return Err(self.peer.not_a_listener("a reply that differs from the message"));
            }
            if trip >= WARM_UP_TRIPS {
                seconds.push(took.as_secs_f64());
            }
            if seconds.len() >= FEWEST_TRIPS && began.elapsed() > TRIPS_TIME {
                break;
            }
        }
        sampling::round_trips(&seconds).ok_or_else(|| self.peer.silent())
    }

    fn throughput(
        &mut self,
        streams: u32,
        direction: NetworkDirection,
        data: &[u8],
    ) -> Result<Throughput, NetworkError> {
        let purpose = match direction {
            NetworkDirection::HereToThere => Purpose::ToListener(self.number),
            NetworkDirection::ThereToHere => Purpose::FromListener(self.number),
        };
        let opened: Result<Vec<Wire>, NetworkError> = (0..streams).map(|_| self.peer.join(purpose)).collect();
        let opened = opened?;
        let (received, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        let counts = thread::scope(|scope| {
            let mut started = Ok(());
            for stream in opened.iter().map(Wire::socket) {
                let (received, is_over) = (&received, &is_over);
                // A stream that breaks carries no more data, which the counts show.
                let work = move || match direction {
                    NetworkDirection::HereToThere => _ = send(stream, data, is_over),
                    NetworkDirection::ThereToHere => _ = receive(stream, received, is_over),
                };
                let name = "stream".to_owned();
                started = started.and(thread::Builder::new().name(name).spawn_scoped(scope, work).map(|_| ()));
            }
            let counts = started.map_err(NetworkError::Thread).and_then(|()| self.counts(direction, &received));
            is_over.store(true, Ordering::Release);
            for stream in opened.iter().map(Wire::socket) {
                // The listener may have closed it.
                _ = stream.shutdown(Shutdown::Both);
            }
            counts
        });
        let no_data = || NetworkError::NoData { address: self.peer.address.to_owned(), streams };
        sampling::throughput(streams, direction, &counts?).ok_or_else(no_data)
    }

    /// Counts of the receiver: after the warm-up, and after each slice.
    fn counts(&mut self, direction: NetworkDirection, received: &AtomicU64) -> Result<Vec<Count>, NetworkError> {
        let plan = self.peer.plan;
        let slice = plan.slice_seconds.max(1e-3);
        let began = Instant::now();
        let mut counts = Vec::new();
        let mut due = plan.warm_up_seconds.max(0.0);
        while due <= plan.warm_up_seconds.max(0.0) + plan.seconds + 0.5 * slice {
            thread::sleep(Duration::from_secs_f64(due).saturating_sub(began.elapsed()));
            // In either direction: the listener ends a measurement whose control connection is silent.
            let there = self.count()?;
            counts.push(match direction {
                NetworkDirection::HereToThere => there,
                NetworkDirection::ThereToHere => Count {
                    bytes: received.load(Ordering::Relaxed),
                    nanoseconds: u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX),
                },
            });
            due += slice;
        }
        Ok(counts)
    }

    /// The count of the listener.
    fn count(&mut self) -> Result<Count, NetworkError> {
        let mut message = [0; MESSAGE];
        message[0] = COUNT;
        let answer = self.peer.ask(&mut self.wire, &message)?;
        Count::of(&answer).ok_or_else(|| self.peer.not_a_listener("a reply without a count of bytes"))
    }

    /// Ends the measurement; a listener that is gone has ended it.
    fn end(mut self) {
        let mut message = [0; MESSAGE];
        message[0] = END;
        _ = self.wire.write_all(&message, Instant::now() + self.peer.plan.limit);
    }
}

fn send(mut stream: &TcpStream, data: &[u8], is_over: &AtomicBool) -> io::Result<()> {
    while !is_over.load(Ordering::Acquire) {
        stream.write_all(data)?;
    }
    Ok(())
}

fn receive(mut stream: &TcpStream, received: &AtomicU64, is_over: &AtomicBool) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    while !is_over.load(Ordering::Acquire) {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => _ = received.fetch_add(count as u64, Ordering::Relaxed),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
