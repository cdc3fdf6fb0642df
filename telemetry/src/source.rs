//! What a source of readings is, and what a reading holds.

use std::fmt;

/// Something that reads GPUs.
pub trait Source {
    /// The GPUs that it reads, in the order of the readings' [`Reading::device`].
    fn devices(&self) -> &[Device];

    /// Reads all GPUs now. A GPU that does not answer any more has a reading without values that says so.
    ///
    /// # Errors
    /// No GPU answers; nothing more is to be expected.
    fn sample(&mut self) -> Result<Sample, Trouble>;
}

/// A GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// What it is called, such as "NVIDIA H200".
    pub name: String,
    /// What tells it from others of its kind, such as a UUID.
    pub id: String,
}

/// One look at all GPUs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Time of the look, seconds after the source was opened; ascending.
    pub seconds: f64,
    /// One reading for each GPU that the source reads.
    pub readings: Vec<Reading>,
}

/// What one GPU told. What it did not tell is `None`, and `missing` has a sentence about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Place of the GPU in [`Source::devices`].
    pub device: usize,
    /// Data that it sends to the host, bytes/s.
    pub pcie_tx_bytes_per_s: Option<f64>,
    /// Data that it receives from the host, bytes/s.
    pub pcie_rx_bytes_per_s: Option<f64>,
    /// How much it computes.
    pub activity: Option<Activity>,
    /// Clock of its multiprocessors, MHz.
    pub sm_clock_mhz: Option<f64>,
    /// Highest clock of its multiprocessors, MHz.
    pub max_sm_clock_mhz: Option<f64>,
    /// Power that it draws, W.
    pub watts: Option<f64>,
    /// Power that it is limited to, W.
    pub limit_watts: Option<f64>,
    /// Its link to the host at full speed.
    pub link: Option<Link>,
    /// What it does not tell and why, one sentence each.
    pub missing: Vec<String>,
}

impl Reading {
    /// `p_p`, transfer occupancy: the busier direction against the link's speed, 0 … 1. `None` without both.
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

/// How much a GPU computes, 0 … 1, and which of two measures says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activity {
    /// Share of time × multiprocessors with work on them.
    Sm(f64),
    /// Share of time in which any kernel ran, be it on one multiprocessor of a hundred.
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

    /// What the share is of, for a legend.
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

/// Why there are no readings, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}. {advice}")]
pub struct Trouble {
    /// What is wrong, without a full stop.
    pub problem: String,
    /// What to do, a sentence.
    pub advice: String,
}

impl Trouble {
    /// Trouble with this problem and this advice.
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
