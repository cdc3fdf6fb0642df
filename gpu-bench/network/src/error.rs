//! Reasons why a network cannot be measured.

use std::io;
use std::time::Duration;

use thiserror::Error;

use super::wire::VERSION;

/// Why a network cannot be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// No address, or no connection to it.
    #[error("cannot connect to {address}: {why}; start “gpu-bench network listen” there")]
    Connect {
        /// The other machine.
        address: String,
        /// The error of the system.
        why: io::Error,
    },
    /// It is connected, and sends nothing.
    #[error("{address} did not respond within {} s", limit.as_secs_f64())]
    Silent {
        /// The other machine.
        address: String,
        /// The time limit.
        limit: Duration,
    },
    /// Another program listens there.
    #[error("{address} is not “gpu-bench network listen”; it sent “{answer}”")]
    NotAListener {
        /// The other machine.
        address: String,
        /// What it sent.
        answer: String,
    },
    /// A program of another release listens there.
    #[error(
        "{address} has version {version} of the protocol, this program version {VERSION}; use the same release on both \
         machines"
    )]
    OtherVersion {
        /// The other machine.
        address: String,
        /// Its version.
        version: u32,
    },
    /// It wants a token.
    #[error("{address} requires a token; name its file with --token-file")]
    NeedsToken {
        /// The other machine.
        address: String,
    },
    /// It wants TLS.
    #[error("{address} requires TLS; name its CA certificate, or its own certificate, with --tls-ca")]
    NeedsTls {
        /// The other machine.
        address: String,
    },
    /// It has no TLS, which was asked for.
    #[error("{address} has no TLS; start “gpu-bench network listen” there with --tls-certificate and --tls-key")]
    NoTls {
        /// The other machine.
        address: String,
    },
    /// It refused the measurement.
    #[error("{address} refused the measurement: {reason}")]
    Refused {
        /// The other machine.
        address: String,
        /// Its reason.
        reason: String,
    },
    /// The connection broke.
    #[error("the connection to {address} was lost: {why}")]
    Lost {
        /// The other machine.
        address: String,
        /// The error of the system.
        why: io::Error,
    },
    /// Connected, but no data came through.
    #[error("no data arrived between this machine and {address} with {streams} connections")]
    NoData {
        /// The other machine.
        address: String,
        /// Connections at the same time.
        streams: u32,
    },
    /// This machine has no thread for a connection.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}
