//! A cluster of vGPUs and its demand.

use serde::{Deserialize, Serialize};

use crossover_quantity::quantity::whole;
use crossover_quantity::shared::Shared;
use crossover_study::Part;

use super::{EXTENSION, PUBLISHED, one};

/// Largest throughput, TOPS; a hundred times the fastest machine of 2026.
const MOST_TOPS: f64 = 1e12;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// A cluster of vGPUs behind one transfer ceiling.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// vGPUs of the cluster at the start.
    #[number(symbol = "n", label = "vGPUs", unit = Count, range = 0.0..=1e6, whole, source = PUBLISHED, decision)]
    #[serde(serialize_with = "whole")]
    pub vgpus: f64,
    /// The cluster never releases vGPUs below this number.
    #[number(label = "minimum vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub min_vgpus: f64,
    /// The cluster never requests vGPUs above this number.
    #[number(label = "maximum vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub max_vgpus: f64,
    /// Throughput of one vGPU at base frequency, at the precision level with a throughput factor of 1.
    #[number(label = "throughput of a vGPU", unit = Tops, range = 1e-6..=1e6, source = PUBLISHED)]
    pub tops_per_vgpu: f64,
    /// Frequency at which throughput and power of a vGPU are given.
    #[number(symbol = "f₀", label = "base frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub base_ghz: f64,
    /// Frequency at the start.
    #[number(symbol = "f", label = "frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED, decision)]
    pub start_ghz: f64,
    /// The frequency never goes below this.
    #[number(label = "minimum frequency", unit = Gigahertz, range = 0.01..=100.0, source = EXTENSION, decision)]
    pub min_ghz: f64,
    /// The frequency never goes above this.
    #[number(label = "maximum frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED, decision)]
    pub max_ghz: f64,
    /// Frequency step if another actuator cannot act and the control table has no frequency change.
    #[number(label = "frequency step", unit = Gigahertz, range = 1e-4..=10.0, source = PUBLISHED, decision)]
    pub step_ghz: f64,
    /// Precision level at the start.
    #[reference(list = "precisions", what = "precision")]
    pub precision: String,
    /// Lowest precision level that its work allows.
    #[reference(list = "precisions", what = "precision")]
    pub lowest_precision: String,
    /// Highest precision level that its work allows.
    #[reference(list = "precisions", what = "precision")]
    pub highest_precision: String,
    /// Share of the data that a change of precision by one level converts. Below 100 %, a cluster can compute a part of its
    /// data in the level below.
    #[number(label = "converted share", unit = Share, range = 0.001..=1.0, neutral = 1.0, source = EXTENSION, decision)]
    #[serde(default = "one")]
    pub converted_share: f64,
    /// Voltage and its limits; none: the voltage stays at that of the base power.
    #[part(example = "(start: 1.0, least: 0.9, most: 1.1)")]
    #[serde(default)]
    pub voltage: Option<Voltage>,
    /// Concurrent tasks of each vGPU; none: one task uses a whole vGPU.
    #[part(example = "(start: 2, most: 8, task_share: 0.2)")]
    #[serde(default)]
    pub concurrency: Option<Concurrency>,
    /// Throughput at which transfer is saturated; the cluster cannot exceed it.
    #[number(symbol = "B", label = "transfer ceiling", unit = Tops, range = 1e-3..=MOST_TOPS, source = PUBLISHED)]
    pub pcie_tops: f64,
    /// Power of one vGPU at base frequency and full load.
    #[number(label = "power of a vGPU", unit = Watts, range = 1e-3..=1e6, source = EXTENSION)]
    #[serde(default = "one_hundred")]
    pub watts_per_vgpu: f64,
    /// Largest backlog; work beyond it is rejected. 0: work that cannot be served at once is rejected.
    #[number(label = "backlog limit", unit = TeraOperations, range = 0.0..=1e18, neutral = 0.0, source = EXTENSION, decision)]
    #[serde(default)]
    pub backlog_limit: f64,
    /// Demand: work that arrives.
    #[part]
    pub demand: Demand,
}

/// Voltage of a cluster, relative to the voltage at which power and maximum frequency are given.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voltage {
    /// Voltage at the start ÷ voltage at base power.
    #[number(symbol = "v", label = "voltage", unit = Factor, range = 0.5..=2.0, neutral = 1.0, source = EXTENSION, decision)]
    pub start: f64,
    /// The voltage never goes below this.
    #[number(label = "minimum voltage", unit = Factor, range = 0.5..=2.0, source = EXTENSION, decision)]
    pub least: f64,
    /// The voltage never goes above this.
    #[number(label = "maximum voltage", unit = Factor, range = 0.5..=2.0, source = EXTENSION, decision)]
    pub most: f64,
}

/// Concurrent tasks of each vGPU of a cluster.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrency {
    /// Concurrent tasks of each vGPU at the start.
    #[number(symbol = "m", label = "concurrent tasks", unit = Count, range = 1.0..=1024.0, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub start: f64,
    /// Most concurrent tasks of each vGPU.
    #[number(label = "concurrency limit", unit = Count, range = 1.0..=1024.0, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub most: f64,
    /// Share of a vGPU that one task uses; several tasks together use at most 100 %.
    #[number(symbol = "q", label = "vGPU share per task", unit = Share, range = 0.001..=1.0, neutral = 1.0, source = EXTENSION)]
    pub task_share: f64,
}

/// Demand of a cluster over time. Each shape uses some of the fields; the others have no effect.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// How it changes.
    pub shape: Shape,
    /// Demand before a step, where a ramp begins, or at the lowest point of a day.
    #[number(label = "low demand", unit = Tops, range = 0.0..=MOST_TOPS, source = EXTENSION)]
    #[serde(default)]
    pub low_tops: f64,
    /// Demand that is constant, after a step, where a ramp ends, or at the peak of a day.
    #[number(symbol = "D", label = "demand", unit = Tops, range = 0.0..=MOST_TOPS, source = PUBLISHED)]
    pub high_tops: f64,
    /// Time of the step, start of the ramp, or peak of the day curve.
    #[number(label = "change begins", unit = Seconds, range = 0.0..=YEAR, source = EXTENSION)]
    #[serde(default)]
    pub start_seconds: f64,
    /// End of the ramp.
    #[number(label = "change ends", unit = Seconds, range = 0.0..=YEAR, source = EXTENSION)]
    #[serde(default)]
    pub end_seconds: f64,
    /// Duration of each value of a recorded demand.
    #[number(label = "time per value", unit = Seconds, range = 1e-3..=YEAR, source = EXTENSION)]
    #[serde(default = "one")]
    pub seconds_per_value: f64,
    /// Recorded demand; it repeats after its end. Shared by all copies of the study.
    #[series(label = "recorded demand", unit = Tops, range = 0.0..=MOST_TOPS, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "<[f64]>::is_empty")]
    pub series: Shared<[f64]>,
}

/// How a demand changes over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// Always `high_tops`.
    Constant,
    /// `low_tops` until `start_seconds`, then `high_tops`.
    Step,
    /// Linear from `low_tops` at `start_seconds` to `high_tops` at `end_seconds`.
    Ramp,
    /// A cosine of 24 hours between `low_tops` and `high_tops`, with its peak at `start_seconds`.
    Day,
    /// The series, each value for `seconds_per_value`.
    Recorded,
}

fn one_hundred() -> f64 {
    100.0
}
