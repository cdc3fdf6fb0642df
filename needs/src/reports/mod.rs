//! Reports of made-up measurements, for tests of the crates that write and read them. Each caller has the type: the crate of the
//! reports tests itself with them, too.

use serde::de::DeserializeOwned;

/// The sharing report of two programs on CPUs, with two launches of each in the queue and without rounds.
///
/// # Panics
/// If `R` is no such report.
#[must_use]
pub fn sharing_report<R: DeserializeOwned>() -> R {
    read(include_str!("sharing.json"))
}

/// The network report of two machines, node1 and node2, with 72 Gbit/s between them.
///
/// # Panics
/// If `R` is no such report.
#[must_use]
pub fn network_report<R: DeserializeOwned>() -> R {
    read(include_str!("network.json"))
}

fn read<R: DeserializeOwned>(report: &str) -> R {
    serde_json::from_str(report).unwrap_or_else(|error| panic!("a report: {error}"))
}
