//! What both ends send: three lines of JSON, then messages of one size, or a stream of data.
//!
//! The listener speaks first, with a greeting. A hello answers it, and a welcome follows. A token never crosses the
//! network: the hello has a digest of it and of the greeting's nonce. After the greeting of a listener with TLS, the control
//! connection goes on by TLS. What is timed stays in clear: encryption would be timed with it.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use crossover_files::digest;
use crossover_harness::generator::Generator;
use crossover_measured::network::NetworkEnd;
use serde::{Deserialize, Serialize};

use super::secured::Wire;

/// Version of the protocol.
pub(super) const VERSION: u32 = 2;
/// Longest line.
const LONGEST_LINE: usize = 4_096;
/// Bytes of a message.
pub(super) const MESSAGE: usize = 64;
/// Bytes of data that are written at once.
const PAYLOAD: usize = 1 << 20;

/// First byte of a message that is sent back as it is.
pub(super) const PING: u8 = b'P';
/// First byte of a message that asks for a [`Count`].
pub(super) const COUNT: u8 = b'C';
/// First byte of a message that ends the measurement.
pub(super) const END: u8 = b'E';

/// A message: its first byte says what it is.
pub(super) type Message = [u8; MESSAGE];

/// First line, from the listener.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    /// Version of the protocol; also tells this program from others.
    pub(super) crossover_network: u32,
    /// Different each time.
    pub(super) nonce: String,
    /// Whether the hello needs a proof.
    pub(super) needs_token: bool,
    /// Whether the control connection goes on by TLS.
    #[serde(default)]
    pub(super) needs_tls: bool,
}

/// Second line, from the machine that measures.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Hello {
    /// Version of the protocol.
    pub(super) crossover_network: u32,
    /// [`proof`] of the token.
    pub(super) proof: Option<String>,
    /// What the connection is for.
    pub(super) purpose: Purpose,
}

/// What a connection is for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    /// Messages, which begin and end a measurement.
    Control,
    /// Messages that are sent back, in this measurement.
    Echo(u64),
    /// Data to the listener, in this measurement.
    ToListener(u64),
    /// Data from the listener, in this measurement.
    FromListener(u64),
}

/// Third line, from the listener.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Welcome {
    /// A measurement has begun.
    Begun {
        /// Number that its streams name.
        measurement: u64,
        /// The listener's machine.
        end: NetworkEnd,
    },
    /// The stream belongs to the measurement.
    Joined,
    /// The reason why not.
    Refused(String),
}

/// Bytes that a receiver has, and when, by its own clock: the time of a slice needs no clock of the other machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    /// Since the measurement began.
    pub(super) bytes: u64,
    /// Since the measurement began.
    pub(super) nanoseconds: u64,
}

impl Count {
    /// As a message.
    pub(super) fn message(self) -> Message {
        let mut message = [0; MESSAGE];
        message[0] = COUNT;
        message[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        message[16..24].copy_from_slice(&self.nanoseconds.to_le_bytes());
        message
    }

    /// Of a message; none if it is no count.
    pub(super) fn of(message: &Message) -> Option<Self> {
        let number = |from: usize| message[from..from + 8].try_into().ok().map(u64::from_le_bytes);
        let count = Self { bytes: number(8)?, nanoseconds: number(16)? };
        (message[0] == COUNT).then_some(count)
    }
}

/// A line that did not arrive.
#[derive(Debug)]
pub(super) struct NoLine {
    /// What arrived instead.
    pub(super) heard: String,
    /// Why no more did.
    pub(super) why: io::Error,
}

/// Writes a line, within a time limit for the handshake before it.
pub(super) fn send_line(wire: &mut Wire, line: &impl Serialize, limit: Duration) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    wire.write_all(&bytes, Instant::now() + limit)
}

/// Reads a line and nothing behind it, within a time limit for all of it.
pub(super) fn read_line(wire: &mut Wire, limit: Duration) -> Result<String, NoLine> {
    let deadline = Instant::now() + limit;
    let mut line = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    loop {
        let mut byte = [0];
        match read_until(wire, &mut byte, deadline) {
            Ok(()) if byte == *b"\n" => return Ok(text(&line)),
            Ok(()) => line.push(byte[0]),
            Err(why) => return Err(NoLine { heard: text(&line), why }),
        }
        if line.len() > LONGEST_LINE {
            return Err(NoLine { heard: text(&line), why: ErrorKind::InvalidData.into() });
        }
    }
}

/// Reads a message within a time limit for all of it.
pub(super) fn read_message(wire: &mut Wire, limit: Duration) -> io::Result<Message> {
    let mut message = [0; MESSAGE];
    read_until(wire, &mut message, Instant::now() + limit)?;
    Ok(message)
}

/// Fills a buffer until a deadline, after which the error is [`ErrorKind::TimedOut`].
fn read_until(wire: &mut Wire, buffer: &mut [u8], deadline: Instant) -> io::Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match wire.read_until(&mut buffer[filled..], deadline) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Systems call the end of a time limit by either name.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(ErrorKind::TimedOut.into());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A number that others cannot foresee: standard hashers are keyed by the system's random numbers.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A nonce.
pub(super) fn nonce() -> String {
    format!("{:016x}{:016x}", random(), random())
}

/// What only who has the token can compute from a nonce.
pub(super) fn proof(nonce: &str, token: &str) -> String {
    digest::of_text(&format!("{nonce}:{token}:{nonce}"))
}

/// Data of a stream: pseudo-random, so that no compressing link carries less.
pub(super) fn payload() -> Vec<u8> {
    Generator::new(0x0DA7_A000).words(PAYLOAD / 4).into_iter().flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_survives_as_a_message_and_no_other_message_is_one() {
        let count = Count { bytes: 3 << 40, nanoseconds: 7 };
        assert_eq!(Count::of(&count.message()), Some(count));
        assert_eq!(Count::of(&[PING; MESSAGE]), None);
    }

    #[test]
    fn a_proof_depends_on_nonce_and_token() {
        let of = |nonce: &str, token: &str| proof(nonce, token);
        assert_eq!(of("1", "secret"), of("1", "secret"));
        assert_ne!(of("1", "secret"), of("2", "secret"));
        assert_ne!(of("1", "secret"), of("1", "secreT"));
        assert_ne!(nonce(), nonce());
    }

    #[test]
    fn data_of_a_stream_does_not_compress() {
        let data = payload();
        assert_eq!(data.len(), PAYLOAD);
        assert!(lz4_flex::block::compress(&data).len() > PAYLOAD * 99 / 100);
    }
}
