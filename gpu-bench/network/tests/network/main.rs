//! The network of a machine to itself, and peers that are not what they should be.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossover_measured::network::{NetworkDirection, NetworkReport};
use crossover_needs::{certificate, deadline};
use crossover_network::secured::{self, TlsFiles};
use crossover_network::{Listening, NetworkError, NetworkPlan, measure, serve};

/// Small, so that a test is short; the limit is that of tests.
fn plan() -> NetworkPlan {
    NetworkPlan {
        streams: 2,
        seconds: 0.4,
        warm_up_seconds: 0.05,
        slice_seconds: 0.05,
        round_trips: 50,
        token: None,
        tls: None,
        limit: deadline(),
    }
}

/// A listener on a free port; the thread ends with it.
fn listener(listening: Listening) -> (SocketAddr, JoinHandle<()>) {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("an address");
    let work = move || serve(&socket, &listening, |_| {}).expect("the socket works");
    (address, thread::Builder::new().spawn(work).expect("a thread"))
}

/// A peer that does this with its only connection.
fn peer(converse: impl FnOnce(TcpStream) + Send + 'static) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("an address");
    let accept = move || converse(socket.accept().expect("a connection").0);
    thread::Builder::new().spawn(accept).expect("a thread");
    address
}

fn run(address: SocketAddr, plan: &NetworkPlan) -> Result<NetworkReport, NetworkError> {
    measure(&address.to_string(), plan, &mut |_: &str| {})
}

/// A measurement that is only begun.
fn begun(address: SocketAddr) -> (BufReader<TcpStream>, String) {
    let stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(deadline())).expect("set");
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a greeting");
    assert!(line.contains("\"crossover_network\":2"), "{line}");
    let hello = "{\"crossover_network\":2,\"proof\":null,\"purpose\":\"control\"}\n";
    reader.get_mut().write_all(hello.as_bytes()).expect("written");
    line.clear();
    reader.read_line(&mut line).expect("a welcome");
    (reader, line)
}

#[test]
fn both_directions_and_round_trips_are_measured_with_their_intervals() {
    let (address, listening) = listener(Listening::default());
    let report = run(address, &plan()).expect("measured");
    listening.join().expect("the listener ends after one measurement");
    let trips = report.round_trips.expect("round trips");
    assert_eq!((trips.count, trips.message_bytes), (50, 64));
    assert!(trips.quantiles.0 > 0.0 && trips.quantiles.1 < 1.0, "{trips:?}");
    let measured: Vec<_> = report.throughput.iter().map(|one| (one.streams, one.direction)).collect();
    let (to, from) = (NetworkDirection::HereToThere, NetworkDirection::ThereToHere);
    assert_eq!(measured, [(1, to), (1, from), (2, to), (2, from)]);
    let figures = report.throughput.iter().map(|one| one.gbit_per_s).chain([trips.seconds]);
    for figure in figures {
        let (low, high) = figure.interval;
        assert!(figure.value > 0.0 && low <= figure.value && figure.value <= high, "{figure:?}");
    }
    // Eight slices of 0.05 s in 0.4 s; a busy machine makes them longer, not more.
    assert!(report.throughput.iter().all(|one| (1..=8).contains(&one.slices.len())), "{report:?}");
    assert!(report.is_loopback() && !report.here.machine.is_empty(), "{report:?}");
    assert_eq!(report.here.machine, report.there.machine);
}

#[test]
fn a_peer_that_never_answers_is_an_error_after_the_time_limit() {
    // The system takes the connection, the program never does.
    let socket = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let limited = NetworkPlan { limit: Duration::from_millis(200), ..plan() };
    let error = run(socket.local_addr().expect("an address"), &limited).expect_err("no answer");
    assert!(error.to_string().ends_with(" did not respond within 0.2 s"), "{error}");
    // One that falls silent after its welcome.
    let address = peer(|stream| {
        let mut reader = BufReader::new(stream);
        let greeting = "{\"crossover_network\":2,\"nonce\":\"n\",\"needs_token\":false}\n";
        reader.get_mut().write_all(greeting.as_bytes()).expect("written");
        reader.read_line(&mut String::new()).expect("a hello");
        let welcome = "{\"begun\":{\"measurement\":7,\"end\":{\"machine\":\"m\"}}}\n";
        reader.get_mut().write_all(welcome.as_bytes()).expect("written");
        // Until the other side has given up.
        _ = reader.read_to_end(&mut Vec::new());
    });
    assert!(matches!(run(address, &limited), Err(NetworkError::Silent { .. })));
}

#[test]
fn another_program_behind_the_port_is_named_by_what_it_sent() {
    let says = |line: &'static str| {
        peer(move |mut stream| {
            stream.write_all(line.as_bytes()).expect("written");
            _ = stream.read_to_end(&mut Vec::new());
        })
    };
    let of = |line| run(says(line), &NetworkPlan { limit: Duration::from_secs(2), ..plan() }).expect_err("no listener");
    let error = of("SSH-2.0-OpenSSH_9.6\r\n").to_string();
    assert!(error.contains("is not “gpu-bench network listen”; it sent “SSH-2.0-OpenSSH_9.6"), "{error}");
    assert!(matches!(of("no line"), NetworkError::NotAListener { .. }));
    let greeting = "{\"crossover_network\":1,\"nonce\":\"n\",\"needs_token\":false}\n";
    assert!(matches!(of(greeting), NetworkError::OtherVersion { version: 1, .. }));
    let closed = run(peer(drop), &plan()).expect_err("closed");
    assert!(matches!(closed, NetworkError::Lost { .. }), "{closed}");
}

#[test]
fn a_client_that_is_no_measurement_is_refused_and_does_not_end_the_listener() {
    let (address, listening) = listener(Listening { hello_limit: Duration::from_millis(200), ..Listening::default() });
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.write_all(b"GET / HTTP/1.1\r\n").expect("written");
    let mut reader = BufReader::new(stream);
    let mut answer = String::new();
    reader.read_line(&mut answer).expect("a greeting");
    answer.clear();
    reader.read_line(&mut answer).expect("a refusal");
    assert!(answer.contains("not a handshake of “gpu-bench network”"), "{answer}");
    // One that says nothing is closed after the time limit for a hello.
    let mut silent = TcpStream::connect(address).expect("connected");
    silent.set_read_timeout(Some(deadline())).expect("set");
    silent.read_to_end(&mut Vec::new()).expect("closed");
    run(address, &plan()).expect("measured");
    listening.join().expect("ended");
}

#[test]
fn a_second_measurement_is_refused_while_one_runs() {
    let (address, listening) = listener(Listening::default());
    let (first, welcome) = begun(address);
    assert!(welcome.starts_with("{\"begun\":"), "{welcome}");
    let refused = run(address, &plan()).expect_err("refused").to_string();
    assert!(refused.contains("refused the measurement: another measurement is running"), "{refused}");
    drop(first);
    listening.join().expect("ended with the first one");
}

#[test]
fn a_listener_with_a_token_measures_only_with_it() {
    let token = |token: &str| NetworkPlan { token: Some(token.to_owned()), ..plan() };
    let (address, listening) = listener(Listening { token: Some("secret".to_owned()), ..Listening::default() });
    assert!(matches!(run(address, &plan()), Err(NetworkError::NeedsToken { .. })));
    let wrong = run(address, &token("other")).expect_err("refused").to_string();
    assert!(wrong.contains("the token is missing or wrong"), "{wrong}");
    run(address, &token("secret")).expect("measured");
    listening.join().expect("ended");
}

#[test]
fn a_listener_with_tls_is_measured_by_whoever_knows_its_certificate() {
    let folder = tempfile::tempdir().expect("a folder");
    let (Some([own, key]), Some([other, _])) = (certificate(folder.path(), "own"), certificate(folder.path(), "other"))
    else {
        return;
    };
    let tls = TlsFiles { certificate: own.clone(), key, client_ca: None }.open().expect("a certificate and its key");
    let with = |ca| NetworkPlan { tls: Some(secured::client(ca).expect("a certificate")), ..plan() };
    let (address, listening) = listener(Listening { tls: Some(tls), ..Listening::default() });
    assert!(matches!(run(address, &plan()), Err(NetworkError::NeedsTls { .. })));
    let unknown = run(address, &with(&other)).expect_err("another authority");
    assert!(matches!(unknown, NetworkError::Lost { .. }), "{unknown}");
    // A control connection in clear, whose other side knows no better.
    let (_, refusal) = begun(address);
    assert!(refusal.contains("TLS is required"), "{refusal}");
    let report = run(address, &with(&own)).expect("measured");
    assert_eq!((report.round_trips.map(|trips| trips.count), report.throughput.len()), (Some(50), 4));
    listening.join().expect("ended");
    let (address, _) = listener(Listening::default());
    assert!(matches!(run(address, &with(&own)), Err(NetworkError::NoTls { .. })));
}
