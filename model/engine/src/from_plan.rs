//! The numbers of times of a query that never ran, in both engines, from what its plan says that it will move; and their errors.

use serde::{Deserialize, Serialize};

/// Source of the terms, which the published method does not have.
const EXTENSION: &str = "extension of the published method: times from a plan alone (docs/model/engines.md)";

/// Times in both engines from a plan alone, on the machines of the fit.
#[derive(Debug, Clone, PartialEq, crossover_study::Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FromPlan {
    /// Data of one exchange that fits into the memory of all machines of an engine.
    #[number(symbol = "m", label = "exchange memory", unit = Gigabytes, range = 0.0..=1e9, chosen, source = EXTENSION)]
    pub exchange_memory_gb: f64,
    /// 90 % of measured speedups were within this factor of the ratio of both times, each predicted by a fit to the other
    /// queries.
    #[number(
        symbol = "ε_p", label = "speedup error (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub speedup_error_factor_90: f64,
    /// The time on CPUs.
    #[part]
    pub cpu: PlanTime,
    /// The time on GPUs.
    #[part]
    pub gpu: PlanTime,
}

/// The time of an engine from what a query will move.
#[derive(Debug, Clone, PartialEq, crossover_study::Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTime {
    /// Time that every query takes, independent of its volumes.
    #[number(symbol = "a", label = "start time", unit = Seconds, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub start_seconds: f64,
    /// Compressed data that all machines read per second.
    #[number(
        symbol = "r", label = "read rate", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub read_gb_per_s: Option<f64>,
    /// Time to open a file, all machines working together.
    #[number(symbol = "t_f", label = "file open cost", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub file_seconds: f64,
    /// Time to find the files of a partitioned table, for each scan, all machines working together.
    #[number(symbol = "t_s", label = "scan time", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub scan_seconds: f64,
    /// Time from one exchange to the next; counts on the longest path of a plan.
    #[number(symbol = "t_x", label = "step time", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub step_seconds: f64,
    /// Data of an exchange beyond the exchange memory that all machines write and read back per second.
    #[number(
        symbol = "s", label = "spill rate", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub spill_gb_per_s: Option<f64>,
    /// Time to group a billion rows, all machines working together.
    #[number(symbol = "t_g", label = "grouping time", unit = Seconds, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub group_seconds: f64,
    /// Power of the sum of these times, in seconds: below 1, twice the work takes less than twice as long.
    #[number(symbol = "η_p", label = "exponent", unit = Ratio, range = 0.1..=1.0, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one")]
    pub exponent: f64,
    /// 90 % of measured times were within this factor of the predicted one, each predicted by a fit to the other queries.
    #[number(
        symbol = "ε_p", label = "error factor (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub error_factor_90: f64,
}

fn one() -> f64 {
    1.0
}

impl FromPlan {
    /// The error factors, of the CPU time, of the GPU time and of the speedup.
    pub(crate) fn errors_mut(&mut self) -> [&mut f64; 3] {
        [&mut self.cpu.error_factor_90, &mut self.gpu.error_factor_90, &mut self.speedup_error_factor_90]
    }
}
