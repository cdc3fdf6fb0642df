//! The JSON report of a run: one record per measurement, with raw samples.
//!
//! Readers ignore unknown fields, so a newer report opens in an older program as long as the schema
//! number is the same.

pub mod compare;
pub mod csv;
#[cfg(test)]
pub(crate) mod example;
pub mod file;
pub mod format;
pub mod history;
pub mod host;
pub mod summary;

use std::collections::BTreeMap;

use crossover_harness::tool::Tool;
use crossover_measured::calibration::Calibration;
use serde::{Deserialize, Serialize};

pub use self::host::Host;
use crate::gpu::adapter::Description;
use crate::gpu::clock::{SelfTest, TimingSource};
use crate::sampling::StopReason;

/// Version of the report schema; raised only when old readers would misread a report.
pub const SCHEMA: u32 = 1;

/// The report of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The measuring program.
    pub tool: Tool,
    /// When the run began, RFC 3339, UTC.
    pub time: String,
    /// `quick`, `full` or `ci`.
    pub suite: String,
    /// The machine.
    pub host: Host,
    /// The GPU; `None` where the run had none, and `notes` say why.
    #[serde(default)]
    pub adapter: Option<MeasuredAdapter>,
    /// One record per measurement, in the order they were taken.
    pub results: Vec<Measurement>,
    /// The model's parameters as far as the results give them.
    #[serde(default)]
    pub calibration: Option<Calibration>,
    /// Notes for the reader: no adapter, throttling, a run that ended early.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Largest relative change of the reference copy from one check to the next; `None` without two checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
}

/// The GPU and how its time was taken.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MeasuredAdapter {
    /// What it is.
    #[serde(flatten)]
    pub description: Description,
    /// The time source of its kernels.
    pub timing_source: TimingSource,
    /// Timestamps against the wall clock.
    pub self_test: SelfTest,
    /// Whether an idle CUDA context held the clocks up, as in CUDA programs.
    pub clocks_held: bool,
}

/// Where work runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// On the CPU.
    Cpu,
    /// On the GPU, data resident in its memory.
    Gpu,
    /// From host memory to host memory through the GPU: transfer, kernel, transfer.
    EndToEnd,
}

impl Side {
    /// "CPU", "GPU", "end to end".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
            Self::EndToEnd => "end to end",
        }
    }
}

/// How a result was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verified {
    /// Every word equals the CPU's.
    Exact,
    /// Count, sum and hash of the unordered result equal the CPU's.
    Digest,
    /// The check failed: the record carries no time.
    Failed,
    /// There is nothing to check, e.g. an empty launch.
    NothingToCheck,
    /// Not measured, so not checked.
    Skipped,
}

/// One measurement, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured, e.g. `filter.append`.
    pub id: String,
    /// Where it ran.
    pub side: Side,
    /// CPU threads; 0 on the GPU.
    #[serde(default)]
    pub threads: usize,
    /// Which form of it, e.g. `subgroups`; empty for the only one.
    #[serde(default)]
    pub variant: String,
    /// Sizes and shares: `rows`, `bytes`, `selectivity`, `theta`, `groups` …
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
    /// Whether it belongs to the size sweep that curves are fitted to.
    #[serde(default)]
    pub calibrates: bool,
    /// Input, bytes: what "per 100 MB" counts.
    #[serde(default)]
    pub bytes_logical: f64,
    /// Minimum bytes over memory or bus, by the traffic model of the benchmark.
    #[serde(default)]
    pub bytes_traffic: f64,
    /// Seconds of one repetition, one entry per sample.
    #[serde(default)]
    pub samples_s: Vec<f64>,
    /// Repetitions in one sample.
    #[serde(default)]
    pub batch: u32,
    /// Times; `None` if the measurement failed or was skipped.
    #[serde(default)]
    pub time: Option<Time>,
    /// Share of the roof measured in the same run, 0 … 1.05.
    #[serde(default)]
    pub roof_share: Option<f64>,
    /// How the result was checked.
    pub verified: Verified,
    /// Warnings about this number.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Reason of a missing time: skipped, or failed.
    #[serde(default)]
    pub reason: Option<String>,
    /// Compressed / raw size, of codecs.
    #[serde(default)]
    pub ratio: Option<f64>,
}

/// Statistics of the samples of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// Half of the samples are smaller, seconds.
    pub median_s: f64,
    /// Third minus first quartile, seconds.
    pub iqr_s: f64,
    /// The smallest, seconds.
    pub min_s: f64,
    /// 95 % bootstrap interval of the median, seconds.
    pub ci95_s: (f64, f64),
    /// Number of samples.
    pub n: usize,
    /// Why no more were taken.
    pub stop: StopReason,
    /// What measured the time.
    pub source: TimingSource,
}

impl Measurement {
    /// Traffic per second at the median, GB/s.
    #[must_use]
    pub fn traffic_gb_per_s(&self) -> Option<f64> {
        self.per_second(self.bytes_traffic)
    }

    /// Input per second at the median, GB/s.
    #[must_use]
    pub fn gb_per_s(&self) -> Option<f64> {
        self.per_second(self.bytes_logical)
    }

    /// Rows per second at the median.
    #[must_use]
    pub fn rows_per_s(&self) -> Option<f64> {
        let rows = self.params.get("rows").filter(|rows| **rows > 0.0)?;
        self.time.map(|time| rows / time.median_s)
    }

    /// Seconds per 100 MB of input at the median.
    #[must_use]
    pub fn seconds_per_100mb(&self) -> Option<f64> {
        let time = self.time.filter(|_| self.bytes_logical > 0.0)?;
        Some(time.median_s * 1e8 / self.bytes_logical)
    }

    /// A parameter by name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<f64> {
        self.params.get(name).copied()
    }

    fn per_second(&self, bytes: f64) -> Option<f64> {
        self.time.filter(|_| bytes > 0.0).map(|time| bytes / time.median_s / 1e9)
    }
}
