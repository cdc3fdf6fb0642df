//! Sources, samples and readings.

use std::fmt;

/// A source of readings of GPUs.
pub trait Source {
    /// The GPUs that it reads, in the order of the readings' [`Reading::device`].
    fn devices(&self) -> &[Device];

    /// Reads all GPUs now. A GPU that no longer responds has a reading without values and with a reason.
    ///
    /// # Errors
    /// No GPU responds; the source is finished.
    fn sample(&mut self) -> Result<Sample, SourceError>;
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Name, such as "NVIDIA H200".
    pub name: String,
    /// Unique identifier, such as a UUID.
    pub id: String,
}

/// One sample of all GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Time of the sample, seconds after the source was opened; ascending.
    pub seconds: f64,
    /// One reading for each GPU that the source reads.
    pub readings: Vec<Reading>,
}

/// Reading of one GPU. A missing value is `None`, with a reason in `missing`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Index of the GPU in [`Source::devices`].
    pub device: usize,
    /// Transfer from the GPU to the host, bytes/s.
    pub pcie_tx_bytes_per_s: Option<f64>,
    /// Transfer from the host to the GPU, bytes/s.
    pub pcie_rx_bytes_per_s: Option<f64>,
    /// Compute activity.
    pub activity: Option<Activity>,
    /// Clock of its multiprocessors, MHz.
    pub sm_clock_mhz: Option<f64>,
    /// Highest clock of its multiprocessors, MHz.
    pub max_sm_clock_mhz: Option<f64>,
    /// Power draw, W.
    pub watts: Option<f64>,
    /// Power limit, W.
    pub limit_watts: Option<f64>,
    /// Its link to the host at full speed.
    pub link: Option<Link>,
    /// Reasons of missing values, one sentence each.
    pub missing: Vec<String>,
}

impl Reading {
    /// `p_p`, PCIe occupancy: the busier direction against the link's speed, 0 … 1. `None` without both.
    #[must_use]
    pub fn pcie_occupancy(&self) -> Option<f64> {
        self.pcie_occupancy_of(self.link?.gb_per_s()?)
    }

    /// The same against another speed of one direction of the bus, GB/s.
    #[must_use]
    pub fn pcie_occupancy_of(&self, bus: f64) -> Option<f64> {
        let busier = match (self.pcie_tx_bytes_per_s, self.pcie_rx_bytes_per_s) {
            (Some(tx), Some(rx)) => tx.max(rx),
            (one, other) => one.or(other)?,
        };
        Some((busier / (bus * 1e9)).min(1.0))
    }

    /// `p_d`, compute load, 0 … 1.
    #[must_use]
    pub fn load(&self) -> Option<f64> {
        self.activity.map(Activity::share)
    }
}

/// Compute activity of a GPU, 0 … 1, by one of two measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activity {
    /// Share of time × multiprocessors with work on them.
    Sm(f64),
    /// Share of time in which any kernel ran, even on a single multiprocessor.
    Busy(f64),
}

impl Activity {
    /// The share, 0 … 1.
    #[must_use]
    pub fn share(self) -> f64 {
        match self {
            Self::Sm(share) | Self::Busy(share) => share,
        }
    }

    /// Name of the measure, for a legend.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Sm(_) => "SM activity",
            Self::Busy(_) => "GPU busy (NVML), not SM activity",
        }
    }
}

/// A PCIe link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Generation of the standard.
    pub generation: u32,
    /// Lanes.
    pub lanes: u32,
}

impl Link {
    /// Speed of one direction, GB/s: transfer rate of a lane × its line code × lanes, from the PCI Express base
    /// specifications 1.0 to 6.0. `None` for a generation that they do not have.
    #[must_use]
    pub fn gb_per_s(self) -> Option<f64> {
        let gigabits_per_lane = match self.generation {
            1 => 2.5 * 8.0 / 10.0,
            2 => 5.0 * 8.0 / 10.0,
            3 => 8.0 * 128.0 / 130.0,
            4 => 16.0 * 128.0 / 130.0,
            5 => 32.0 * 128.0 / 130.0,
            // Flits of 256 bytes, 242 of them for data.
            6 => 64.0 * 242.0 / 256.0,
            _ => return None,
        };
        (self.lanes > 0).then(|| gigabits_per_lane / 8.0 * f64::from(self.lanes))
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PCIe {}.0 ×{}", self.generation, self.lanes)
    }
}

/// Why a source gives no readings, with advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}. {advice}")]
pub struct SourceError {
    /// The problem, without a full stop.
    pub problem: String,
    /// The advice, a sentence.
    pub advice: String,
}

impl SourceError {
    /// An error with this problem and advice.
    #[must_use]
    pub fn new(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: advice.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_as_fast_as_the_standard_says() {
        let check = |generation, lanes, expected: f64| {
            let speed = Link { generation, lanes }.gb_per_s().unwrap();
            assert!((speed - expected).abs() < 0.005 * expected, "PCIe {generation}.0 ×{lanes}: {speed}");
        };
        // GB/s of one direction as the PCI-SIG publishes them: rounded, with the line code.
        check(1, 16, 4.0);
        check(2, 8, 4.0);
        check(3, 16, 15.75);
        check(4, 16, 31.5);
        check(5, 16, 63.0);
        check(6, 16, 121.0);
        assert_eq!(Link { generation: 0, lanes: 16 }.gb_per_s(), None);
        assert_eq!(Link { generation: 5, lanes: 0 }.gb_per_s(), None);
    }

    #[test]
    fn transfer_occupancy_is_that_of_the_busier_direction() {
        // PCIe 1.0 ×16 carries 4 GB/s.
        let mut reading = Reading {
            pcie_tx_bytes_per_s: Some(1e9),
            pcie_rx_bytes_per_s: Some(3e9),
            link: Some(Link { generation: 1, lanes: 16 }),
            ..Reading::default()
        };
        assert_eq!(reading.pcie_occupancy(), Some(0.75));
        reading.pcie_rx_bytes_per_s = None;
        assert_eq!(reading.pcie_occupancy(), Some(0.25));
        reading.pcie_tx_bytes_per_s = Some(5e9);
        assert_eq!(reading.pcie_occupancy(), Some(1.0), "a short peak above the link's speed");
        reading.link = None;
        assert_eq!(reading.pcie_occupancy(), None);
    }
}
