//! Who may connect to a server of the program, and how: a token, and TLS with a certificate and a key.
//!
//! Both sides are read and written up to a deadline: a connection that sends or takes a byte now and then does not hold a thread for
//! ever.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crossover_files::read;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
pub use rustls::{ClientConfig, ServerConfig};
use rustls::{ClientConnection, Connection, RootCertStore, ServerConnection};

/// Largest file with a token.
const LARGEST_TOKEN: u64 = 4_096;
/// Fewest characters of a token.
const SHORTEST_TOKEN: usize = 16;
/// Largest file with certificates or a key.
const LARGEST_PEM: u64 = 1 << 20;

/// A token, certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct UnusableFile {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The certificates and the key of a server, as PEM files.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// Its certificate, followed by those that lead to an authority.
    pub certificate: PathBuf,
    /// The key of its certificate.
    pub key: PathBuf,
    /// Authorities whose certificates clients must have; none: clients need no certificate.
    pub client_ca: Option<PathBuf>,
}

/// A TCP connection, in clear or by TLS.
pub struct Wire {
    socket: TcpStream,
    tls: Option<Box<Connection>>,
}

fn unusable(file: &Path, problem: &dyn std::fmt::Display) -> UnusableFile {
    UnusableFile { file: file.display().to_string(), problem: problem.to_string() }
}

/// The token in a file.
///
/// # Errors
/// The file cannot be read, or its token is short or has spaces.
pub fn token(file: &Path) -> Result<String, UnusableFile> {
    let text = read::text(file, LARGEST_TOKEN).map_err(|error| unusable(file, &error))?;
    let token = text.trim();
    if token.len() < SHORTEST_TOKEN || !token.chars().all(|c| c.is_ascii_graphic()) {
        let problem = format!("expected a token of at least {SHORTEST_TOKEN} printable characters without spaces");
        return Err(unusable(file, &problem));
    }
    Ok(token.to_owned())
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn pem(file: &Path) -> Result<String, UnusableFile> {
    read::text(file, LARGEST_PEM).map_err(|error| unusable(file, &error))
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, UnusableFile> {
    let text = pem(file)?;
    let found: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let found = found.map_err(|error| unusable(file, &error))?;
    if found.is_empty() { Err(unusable(file, &"expected a certificate in PEM")) } else { Ok(found) }
}

fn authorities(file: &Path) -> Result<Arc<RootCertStore>, UnusableFile> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots.add(certificate).map_err(|error| unusable(file, &error))?;
    }
    Ok(Arc::new(roots))
}

impl TlsFiles {
    /// The settings of the server.
    ///
    /// # Errors
    /// A file cannot be read or is not PEM, or the key is not that of the certificate.
    pub fn open(&self) -> Result<Arc<ServerConfig>, UnusableFile> {
        let chain = certificates(&self.certificate)?;
        let key = PrivateKeyDer::from_pem_slice(pem(&self.key)?.as_bytes())
            .map_err(|_| unusable(&self.key, &"expected an unencrypted private key in PEM"))?;
        let builder = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(&self.certificate, &error))?;
        let builder = match &self.client_ca {
            None => builder.with_no_client_auth(),
            Some(file) => {
                let verifier = WebPkiClientVerifier::builder_with_provider(authorities(file)?, provider()).build();
                builder.with_client_cert_verifier(verifier.map_err(|error| unusable(file, &error))?)
            }
        };
        let config = builder.with_single_cert(chain, key).map_err(|error| unusable(&self.key, &error))?;
        Ok(Arc::new(config))
    }
}

/// The settings of a client that accepts servers with certificates of these authorities, a PEM file. The certificate of a server
/// that signed itself is its own authority.
///
/// # Errors
/// The file cannot be read or has no certificate.
pub fn client(ca: &Path) -> Result<Arc<ClientConfig>, UnusableFile> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(ca, &error))?;
    Ok(Arc::new(builder.with_root_certificates(authorities(ca)?).with_no_client_auth()))
}

impl Wire {
    /// A connection in clear.
    #[must_use]
    pub fn plain(socket: TcpStream) -> Self {
        Self { socket, tls: None }
    }

    /// Goes on by TLS, as the server; the first reading shakes hands.
    ///
    /// # Errors
    /// The settings do not allow a connection.
    pub fn accept_tls(&mut self, config: &Arc<ServerConfig>) -> io::Result<()> {
        let tls = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        self.tls = Some(Box::new(Connection::Server(tls)));
        Ok(())
    }

    /// Goes on by TLS, as the client of a host, by its name or its address.
    ///
    /// # Errors
    /// No certificate can have such a name.
    pub fn connect_tls(&mut self, config: &Arc<ClientConfig>, host: &str) -> io::Result<()> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let tls = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        self.tls = Some(Box::new(Connection::Client(tls)));
        Ok(())
    }

    /// Whether it goes by TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// The TCP connection below.
    #[must_use]
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Reads some bytes; 0 at the end.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`] or [`ErrorKind::WouldBlock`] if nothing came until the deadline; the other side is not allowed, or
    /// the connection broke.
    pub fn read_until(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        let Self { socket, tls } = self;
        let Some(tls) = tls else {
            limit(socket, deadline)?;
            return (&*socket).read(buffer);
        };
        loop {
            match tls.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                // Closed without a word, as many clients do.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(0),
                read => return read,
            }
            if !advance(tls, socket, deadline)? {
                return Ok(0);
            }
        }
    }

    /// Writes all of some bytes, after the handshake: a client that has not read yet shakes hands first. The time limit of a single
    /// writing is that of the socket.
    ///
    /// # Errors
    /// [`ErrorKind::TimedOut`] if not all of them were taken until the deadline; the other side is not allowed, or the connection
    /// broke.
    pub fn write_all(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let Self { socket, tls } = self;
        let mut left = bytes;
        let Some(tls) = tls else {
            while !left.is_empty() {
                let taken = (&*socket).write(left);
                left = &left[written(taken)?..];
                in_time(left.is_empty(), deadline)?;
            }
            return Ok(());
        };
        while tls.is_handshaking() {
            if !advance(tls, socket, deadline)? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        while !left.is_empty() {
            let taken = tls.writer().write(left);
            left = &left[written(taken)?..];
            flush(tls, socket, deadline)?;
        }
        Ok(())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
            // The other side may be gone, or takes nothing.
            _ = flush(tls, &self.socket, Instant::now());
        }
    }
}

/// Sends what is due, reads what comes, and answers it; `false` at the end of the connection.
fn advance(tls: &mut Connection, socket: &TcpStream, deadline: Instant) -> io::Result<bool> {
    flush(tls, socket, deadline)?;
    limit(socket, deadline)?;
    if tls.read_tls(&mut &*socket)? == 0 {
        return Ok(false);
    }
    if let Err(problem) = tls.process_new_packets() {
        // Why it is refused; it may have closed already.
        _ = flush(tls, socket, deadline);
        return Err(io::Error::new(ErrorKind::InvalidData, problem));
    }
    flush(tls, socket, deadline)?;
    Ok(true)
}

fn flush(tls: &mut Connection, mut socket: &TcpStream, deadline: Instant) -> io::Result<()> {
    while tls.wants_write() {
        let taken = tls.write_tls(&mut socket);
        written(taken)?;
        in_time(!tls.wants_write(), deadline)?;
    }
    Ok(())
}

/// How many bytes were taken: 0 where a signal came, an error where none are taken any more.
fn written(taken: io::Result<usize>) -> io::Result<usize> {
    match taken {
        Ok(0) => Err(ErrorKind::WriteZero.into()),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(0),
        taken => taken,
    }
}

fn in_time(is_done: bool, deadline: Instant) -> io::Result<()> {
    if is_done || Instant::now() < deadline { Ok(()) } else { Err(ErrorKind::TimedOut.into()) }
}

fn limit(socket: &TcpStream, deadline: Instant) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    socket.set_read_timeout(Some(left))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::TcpListener;
    use std::thread;
    use std::time::Duration;

    use crossover_needs::{certificate, deadline};

    use super::*;

    #[test]
    fn a_token_is_long_and_without_spaces() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("token");
        fs::write(&file, "0123456789abcdef\n").expect("written");
        assert_eq!(token(&file).expect("a token"), "0123456789abcdef");
        for text in ["", "short", "0123456789 abcdef"] {
            fs::write(&file, text).expect("written");
            assert!(token(&file).expect_err("refused").to_string().contains("at least 16 printable characters"));
        }
    }

    #[test]
    fn files_that_are_no_certificate_or_not_its_key_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let (Some([one, key]), Some([_, other])) =
            (certificate(folder.path(), "one"), certificate(folder.path(), "other"))
        else {
            return;
        };
        let open = |certificate: &Path, key: &Path| {
            TlsFiles { certificate: certificate.into(), key: key.into(), client_ca: None }.open().map(|_| ())
        };
        open(&one, &key).expect("they belong together");
        let empty = folder.path().join("empty.pem");
        fs::write(&empty, "no PEM\n").expect("written");
        for (certificate, key, named) in
            [(&empty, &key, "empty.pem"), (&one, &empty, "empty.pem"), (&one, &other, "other.key")]
        {
            let problem = open(certificate, key).expect_err("refused").to_string();
            assert!(problem.contains(named), "{problem}");
        }
    }

    /// The other side does not read. Without the deadline, each further write would wait for the time limit of the socket again.
    #[test]
    fn a_write_that_the_other_side_does_not_read_ends_at_the_deadline() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
        client.set_write_timeout(Some(Duration::from_millis(1))).expect("a time limit");
        let _silent = listener.accept().expect("a connection");
        // More than buffers of sockets take.
        let problem = Wire::plain(client)
            .write_all(&vec![0; 64 << 20], Instant::now())
            .expect_err("the other side does not read");
        assert_eq!(problem.kind(), ErrorKind::TimedOut);
    }

    /// What the client of these settings gets back of what it writes.
    fn echoed(server: &Arc<ServerConfig>, client: &Arc<ClientConfig>, host: &str) -> io::Result<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = Arc::clone(server);
        let echo = move || {
            let socket = listener.accept().expect("a connection").0;
            let mut wire = Wire::plain(socket);
            wire.accept_tls(&server).expect("settings");
            let mut buffer = [0; 64];
            while let Ok(count @ 1..) = wire.read_until(&mut buffer, Instant::now() + deadline()) {
                if wire.write_all(&buffer[..count], Instant::now() + deadline()).is_err() {
                    break;
                }
            }
        };
        let echoing = thread::Builder::new().spawn(echo).expect("a thread");
        let converse = || -> io::Result<Vec<u8>> {
            let mut wire = Wire::plain(TcpStream::connect(address)?);
            wire.connect_tls(client, host)?;
            wire.write_all(b"sixteen bytes...", Instant::now() + deadline())?;
            let mut answer = Vec::new();
            let mut buffer = [0; 64];
            while answer.len() < 16 {
                match wire.read_until(&mut buffer, Instant::now() + deadline())? {
                    0 => break,
                    count => answer.extend_from_slice(&buffer[..count]),
                }
            }
            Ok(answer)
        };
        let answer = converse();
        echoing.join().expect("no panic");
        answer
    }

    #[test]
    fn only_a_server_with_a_certificate_of_the_authority_and_the_name_is_talked_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let (Some([own, key]), Some([other, _])) =
            (certificate(folder.path(), "own"), certificate(folder.path(), "other"))
        else {
            return;
        };
        let server = TlsFiles { certificate: own.clone(), key, client_ca: None }.open().expect("a server");
        let known = client(&own).expect("an authority");
        for host in ["localhost", "127.0.0.1"] {
            assert_eq!(echoed(&server, &known, host).expect("an answer"), b"sixteen bytes...");
        }
        assert!(echoed(&server, &known, "example.com").is_err(), "a certificate of another name");
        assert!(echoed(&server, &client(&other).expect("an authority"), "localhost").is_err(), "of another authority");
    }
}
