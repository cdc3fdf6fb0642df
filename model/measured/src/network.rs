//! The measured network between two machines.

use serde::{Deserialize, Serialize};

use crate::calibration::Measured;

/// Version of the form of a report.
pub const NETWORK_SCHEMA: u32 = 1;

/// Round trips and throughput between two machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NetworkReport {
    /// Version of this form.
    pub schema: u32,
    /// What the report is about, which tells it from a report of `gpu-bench run`.
    pub measures: Measures,
    /// How the data was sent.
    pub transport: Transport,
    /// The measuring program and its version.
    pub tool: String,
    /// Whether it was built without optimisation: its figures are applied only on request.
    pub unoptimised: bool,
    /// Time of the measurement in UTC, `YYYY-MM-DDTHH:MM:SSZ`.
    pub time: String,
    /// The machine that measured.
    pub here: NetworkEnd,
    /// The machine that listened.
    pub there: NetworkEnd,
    /// Round trips of small messages on an idle connection, where they were measured.
    pub round_trips: Option<RoundTrips>,
    /// Throughput by number of connections and direction.
    pub throughput: Vec<Throughput>,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measures {
    /// The network between two machines.
    Network,
}

/// How data is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Through sockets of the system.
    Tcp,
    /// By the network adapters, from memory to memory.
    Rdma,
}

impl Transport {
    /// Name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Rdma => "RDMA",
        }
    }
}

/// One end of the network; what its system does not tell is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NetworkEnd {
    /// Name of the machine.
    pub machine: String,
    /// Its address on this network.
    pub address: String,
    /// Name of its network interface.
    pub interface: Option<String>,
    /// Largest packet of the interface, bytes.
    pub mtu: Option<u32>,
    /// Line speed of the interface by its driver, Mbit/s.
    pub line_mbit_per_s: Option<u32>,
    /// Congestion control of TCP.
    pub congestion_control: Option<String>,
}

/// Round trips of small messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    /// How many.
    pub count: usize,
    /// Bytes of a message, and of its answer.
    pub message_bytes: usize,
    /// Median with its 95 % interval, seconds.
    pub seconds: Measured,
    /// 5 % and 95 % quantile, seconds.
    pub quantiles: (f64, f64),
}

/// Throughput of bulk transfers in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// Connections at the same time.
    pub streams: u32,
    /// Where the data goes.
    pub direction: NetworkDirection,
    /// Median of the slices with its 95 % interval, Gbit/s of payload, counted by the receiver.
    pub gbit_per_s: Measured,
    /// 5 % and 95 % quantile of the slices, Gbit/s.
    pub quantiles: (f64, f64),
    /// Consecutive slices of time, Gbit/s.
    pub slices: Vec<f64>,
}

/// A direction between the two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkDirection {
    /// From the machine that measured to the one that listened.
    HereToThere,
    /// From the machine that listened to the one that measured.
    ThereToHere,
}

impl NetworkReport {
    /// The speed that an application gets between the two machines: with the most connections, in the slower direction.
    #[must_use]
    pub fn effective(&self) -> Option<&Throughput> {
        let most = self.throughput.iter().map(|one| one.streams).max()?;
        let with_most = self.throughput.iter().filter(|one| one.streams == most);
        with_most.min_by(|a, b| a.gbit_per_s.value.total_cmp(&b.gbit_per_s.value))
    }

    /// Day of the measurement, `YYYY-MM-DD`.
    #[must_use]
    pub fn date(&self) -> &str {
        self.time.get(..10).unwrap_or_default()
    }

    /// Both machines, as the device that was measured.
    #[must_use]
    pub fn machines(&self) -> String {
        format!("{} and {}, {}", self.here.machine, self.there.machine, self.transport.label())
    }

    /// Whether both ends are the same machine, so that no network was measured: by address, or by name where none is known.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.transport {
            Transport::Tcp => self.here.address == self.there.address,
            Transport::Rdma => self.here.machine == self.there.machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_needs::network_report;

    use super::*;

    fn throughput(streams: u32, direction: NetworkDirection, gbit_per_s: f64) -> Throughput {
        let gbit_per_s = Measured { value: gbit_per_s, interval: (gbit_per_s - 1.0, gbit_per_s + 1.0) };
        Throughput { streams, direction, gbit_per_s, quantiles: gbit_per_s.interval, slices: vec![gbit_per_s.value] }
    }

    fn report(throughput: Vec<Throughput>) -> NetworkReport {
        NetworkReport { throughput, ..network_report() }
    }

    #[test]
    fn the_effective_speed_is_that_of_most_connections_in_the_slower_direction() {
        use NetworkDirection::{HereToThere, ThereToHere};
        let measured = vec![
            throughput(1, HereToThere, 20.0),
            throughput(1, ThereToHere, 10.0),
            throughput(8, HereToThere, 90.0),
            throughput(8, ThereToHere, 80.0),
        ];
        let report = report(measured);
        assert_eq!(report.effective().map(|one| (one.streams, one.direction)), Some((8, ThereToHere)));
        assert_eq!((report.date(), report.machines().as_str()), ("2026-11-26", "node1 and node2, TCP"));
        assert!(!report.is_loopback());
    }

    #[test]
    fn without_throughput_there_is_no_effective_speed() {
        assert_eq!(report(Vec::new()).effective(), None);
    }
}
