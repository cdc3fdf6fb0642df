//! Columns of a recording: names, units and ranges, in CSV and as Prometheus metrics.

use crate::study::Demand;

/// The column with the time, seconds.
pub const SECONDS: &str = "seconds";
/// The column that names the GPU.
pub const GPU: &str = "gpu";

/// A quantity of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// Demand, TOPS; not combined with the other columns.
    DemandTops,
    /// Data that the GPU sends to the host, GB/s.
    PcieTx,
    /// Data that the GPU receives from the host, GB/s.
    PcieRx,
    /// Share of time × multiprocessors with work on them, 0 … 1.
    SmActive,
    /// Share of time in which any kernel ran, 0 … 1.
    GpuUtilisation,
    /// Clock of the multiprocessors, MHz.
    SmClock,
    /// Power, W.
    Watts,
}

impl Column {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; COUNT] = [
        Self::DemandTops,
        Self::PcieTx,
        Self::PcieRx,
        Self::SmActive,
        Self::GpuUtilisation,
        Self::SmClock,
        Self::Watts,
    ];

    /// Name in CSV.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::DemandTops => "demand_tops",
            Self::PcieTx => "pcie_tx_gb_per_s",
            Self::PcieRx => "pcie_rx_gb_per_s",
            Self::SmActive => "sm_active",
            Self::GpuUtilisation => "gpu_utilisation",
            Self::SmClock => "sm_clock_mhz",
            Self::Watts => "watts",
        }
    }

    /// The metric of dcgm-exporter, and how many of its units are one of ours. Units as the exporter's
    /// `default-counters.csv` and `dcp-metrics-included.csv` state them; its PCIe metrics are rates although some
    /// versions declare them counters (NVIDIA/dcgm-exporter issue 87).
    #[must_use]
    pub fn metric(self) -> Option<(&'static str, f64)> {
        match self {
            Self::DemandTops => None,
            Self::PcieTx => Some(("DCGM_FI_PROF_PCIE_TX_BYTES", 1e9)),
            Self::PcieRx => Some(("DCGM_FI_PROF_PCIE_RX_BYTES", 1e9)),
            Self::SmActive => Some(("DCGM_FI_PROF_SM_ACTIVE", 1.0)),
            Self::GpuUtilisation => Some(("DCGM_FI_DEV_GPU_UTIL", 100.0)),
            Self::SmClock => Some(("DCGM_FI_DEV_SM_CLOCK", 1.0)),
            Self::Watts => Some(("DCGM_FI_DEV_POWER_USAGE", 1.0)),
        }
    }

    /// Largest valid value.
    fn most(self) -> f64 {
        match self {
            Self::DemandTops => Demand::HIGH_TOPS.max,
            Self::PcieTx | Self::PcieRx => 1000.0,
            Self::SmActive | Self::GpuUtilisation => 1.0,
            Self::SmClock => 10_000.0,
            Self::Watts => 100_000.0,
        }
    }

    /// The problem of a value in a unit of which `per_unit` are one of ours; `None` if it is valid.
    #[must_use]
    pub(super) fn problem(self, value: f64, per_unit: f64) -> Option<String> {
        let most = self.most() * per_unit;
        if !value.is_finite() {
            return Some(format!("{value} is not a finite number"));
        }
        if (0.0..=most).contains(&value) {
            return None;
        }
        let hint = match self {
            Self::PcieTx | Self::PcieRx if value > most => "; a rate is expected, not a total since the start",
            _ => "",
        };
        Some(format!("{value} is out of range; allowed: 0 … {most}{hint}"))
    }
}

/// How many columns there are.
pub(super) const COUNT: usize = 7;
