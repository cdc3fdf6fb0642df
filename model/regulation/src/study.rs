//! The inputs of a regulation study: run, clusters, controllers, control table, cloud manager, measurement and power.

use serde::{Deserialize, Serialize};

use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::shared::Shared;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

use super::gain_table::GainTable;

/// Most clusters of a study.
pub const MOST_CLUSTERS: usize = 16;
/// Most controllers of a study.
pub const MOST_CONTROLLERS: usize = 4;

/// Largest throughput, TOPS; a hundred times the fastest machine of 2026.
const MOST_TOPS: f64 = 1e12;
/// Longest time, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;
/// Largest gain.
const MOST_GAIN: f64 = 1e3;

/// Source of numbers of the published method.
const PUBLISHED: &str = "published method of regulation";
/// Source of numbers that the published method leaves out.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/model/regulation.md)";

/// A regulation study: clusters between which vGPUs move so that compute matches transfer, and the controllers to
/// compare.
///
/// Fields that the published method does not have default to their neutral value, so a file may leave them out.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regulation {
    /// Length of the simulation, averages and seed.
    #[part]
    pub run: Run,
    /// Clusters of vGPUs; at least one, names unique.
    #[list(named, least = 1, most = MOST_CLUSTERS)]
    pub clusters: Vec<Cluster>,
    /// Controllers to compare; one to four, names unique.
    #[list(named, least = 1, most = MOST_CONTROLLERS)]
    pub controllers: Vec<Controller>,
    /// The control table: actions by controller output, from the most negative to the most positive.
    #[list]
    pub table: Vec<Band>,
    /// The actuators in use, and their order.
    #[serde(default)]
    pub actuators: Actuators,
    /// Precision levels from the lowest to the highest.
    #[list(named, least = 1)]
    pub precisions: Vec<PrecisionLevel>,
    /// The cloud manager, which moves released vGPUs to clusters that request them.
    #[part]
    #[serde(default)]
    pub manager: Manager,
    /// Noise and delay of the occupancies that the controller reads.
    #[part]
    #[serde(default)]
    pub measurement: Measurement,
    /// Power law and price of energy.
    #[part]
    #[serde(default)]
    pub power: Power,
    /// The controller in use.
    #[part]
    pub policy: Policy,
    /// Prices of the machines; none: costs are not computed.
    #[part(example = "(as_of: \"May 2026\", years: 4, utilisation: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Sources of the numbers by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Uncertainty of numbers by field path; a number that is not listed has the uncertainty of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// Length of the simulation, averages and seed.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Time between two samples of the occupancies; the controller acts once per period.
    #[number(symbol = "T", label = "sampling period", unit = Seconds, range = 1e-3..=86_400.0, source = PUBLISHED, chosen)]
    pub period_seconds: f64,
    /// Number of simulated sampling periods.
    #[number(label = "periods", unit = Count, range = 10.0..=100_000.0, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub periods: f64,
    /// Last periods of the run over which “before” and “after” are averaged.
    #[number(label = "averaged periods", unit = Count, range = 1.0..=100_000.0, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub average_periods: f64,
    /// Light load in the before/after table, as a share of the work served at full load.
    #[number(label = "light load", unit = Share, range = 0.01..=1.0, source = PUBLISHED, chosen)]
    #[serde(default = "half")]
    pub light_share: f64,
    /// The same seed gives the same noise; without noise it has no effect.
    #[number(label = "seed of the noise", unit = Count, range = 0.0..=1e15, whole, source = EXTENSION, chosen)]
    #[serde(default = "one", serialize_with = "whole")]
    pub seed: f64,
}

/// A cluster of vGPUs behind one transfer ceiling.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// vGPUs of the cluster at the start.
    #[number(symbol = "n", label = "vGPUs", unit = Count, range = 0.0..=1e6, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub vgpus: f64,
    /// The cluster never releases vGPUs below this number.
    #[number(label = "minimum vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub min_vgpus: f64,
    /// The cluster never requests vGPUs above this number.
    #[number(label = "maximum vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub max_vgpus: f64,
    /// Throughput of one vGPU at base frequency, at the precision level with a throughput factor of 1.
    #[number(label = "throughput of a vGPU", unit = Tops, range = 1e-6..=1e6, source = PUBLISHED)]
    pub tops_per_vgpu: f64,
    /// Frequency at which throughput and power of a vGPU are given.
    #[number(symbol = "f₀", label = "base frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub base_ghz: f64,
    /// Frequency at the start.
    #[number(symbol = "f", label = "frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub start_ghz: f64,
    /// The frequency never goes below this.
    #[number(label = "minimum frequency", unit = Gigahertz, range = 0.01..=100.0, source = EXTENSION)]
    pub min_ghz: f64,
    /// The frequency never goes above this.
    #[number(label = "maximum frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub max_ghz: f64,
    /// Frequency step if another actuator cannot act and the control table has no frequency change.
    #[number(label = "frequency step", unit = Gigahertz, range = 1e-4..=10.0, source = PUBLISHED)]
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
    #[number(label = "data converted at once", unit = Share, range = 0.001..=1.0, neutral = 1.0, source = EXTENSION)]
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
    #[number(label = "backlog limit", unit = TeraOperations, range = 0.0..=1e18, neutral = 0.0, source = EXTENSION)]
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
    #[number(symbol = "v", label = "voltage", unit = Factor, range = 0.5..=2.0, neutral = 1.0, source = EXTENSION)]
    pub start: f64,
    /// The voltage never goes below this.
    #[number(label = "minimum voltage", unit = Factor, range = 0.5..=2.0, source = EXTENSION)]
    pub least: f64,
    /// The voltage never goes above this.
    #[number(label = "maximum voltage", unit = Factor, range = 0.5..=2.0, source = EXTENSION)]
    pub most: f64,
}

/// Concurrent tasks of each vGPU of a cluster.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrency {
    /// Concurrent tasks of each vGPU at the start.
    #[number(symbol = "m", label = "concurrent tasks", unit = Count, range = 1.0..=1024.0, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub start: f64,
    /// Most concurrent tasks of each vGPU.
    #[number(label = "maximum concurrent tasks", unit = Count, range = 1.0..=1024.0, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub most: f64,
    /// Share of a vGPU that one task uses; several tasks together use at most 100 %.
    #[number(symbol = "q", label = "vGPU share of a task", unit = Share, range = 0.001..=1.0, neutral = 1.0, source = EXTENSION)]
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

/// A controller: from the error to an output that the control table turns into actions.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// The parts that it has; gains of other parts have no effect.
    pub form: Form,
    /// Output per current error.
    #[number(symbol = "Kp", label = "proportional gain", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kp: f64,
    /// Output per sum of errors, one summand per period.
    #[number(
        symbol = "Ki", label = "integral gain", unit = Ratio, range = 0.0..=MOST_GAIN, neutral = 0.0,
        source = PUBLISHED,
        chosen
    )]
    #[serde(default)]
    pub ki: f64,
    /// Output per change of the error since the previous period.
    #[number(
        symbol = "Kd", label = "derivative gain", unit = Ratio, range = 0.0..=MOST_GAIN, neutral = 0.0,
        source = PUBLISHED,
        chosen
    )]
    #[serde(default)]
    pub kd: f64,
    /// When the integral grows.
    #[serde(default)]
    pub integration: Integration,
    /// Whether the integral is reset after an action.
    #[serde(default = "yes")]
    pub reset_after_action: bool,
    /// Bound of the integral part, which prevents windup.
    #[number(label = "integral limit", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    #[serde(default = "outermost")]
    pub integral_limit: f64,
    /// The signal of which the derivative is taken.
    #[serde(default)]
    pub derivative: Derivative,
    /// Gains by error and change of error, instead of Kp, Ki and Kd.
    #[part(example = "(large_error: 0.4, small_error: 0.2, …)")]
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Gains by cells of the state, learnt by simulation, instead of Kp, Ki and Kd and of a schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt: Option<GainTable>,
    /// Corrections of the gains by fuzzy rules.
    #[part(example = "(error_range: 0.5, change_range: 0.1, …)")]
    #[serde(default)]
    pub fuzzy: Option<Fuzzy>,
}

impl Controller {
    /// Whether its gains depend on the error: by a schedule or a learnt table.
    #[must_use]
    pub fn has_varying_gains(&self) -> bool {
        self.schedule.is_some() || self.learnt.is_some()
    }
}

/// Which parts a controller has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// Proportional.
    P,
    /// Proportional and integral.
    PI,
    /// Proportional and derivative.
    PD,
    /// All three.
    PID,
}

impl Form {
    /// Whether it has an integral part.
    #[must_use]
    pub fn has_integral(self) -> bool {
        matches!(self, Self::PI | Self::PID)
    }

    /// Whether it has a derivative part.
    #[must_use]
    pub fn has_derivative(self) -> bool {
        matches!(self, Self::PD | Self::PID)
    }
}

/// When the integral grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Integration {
    /// Only while the output lies in the dead zone; the integral moves it out.
    #[default]
    InDeadZone,
    /// Unless the output is beyond the control table and the error would drive it further.
    UnlessSaturated,
    /// In every period.
    Always,
}

/// The signal of which the derivative is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Derivative {
    /// The error.
    #[default]
    OnError,
    /// The compute load alone, so that a jump of the PCIe occupancy causes no derivative kick.
    OnMeasurement,
}

/// Gains by the size of the error e and of its change ec.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// From this |e| on, the gains of a large error apply.
    #[number(symbol = "ε1", label = "large error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen)]
    pub large_error: f64,
    /// Below this |e|, the gains of a small error apply; between both limits, those of a middle error.
    #[number(symbol = "ε2", label = "small error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen)]
    pub small_error: f64,
    /// From this |ec| on, a small error has the gain “Kd, small and fast”; below it, “Kd, small and slow”.
    #[number(symbol = "δ1", label = "fast change", unit = Share, range = 1e-6..=2.0, source = PUBLISHED, chosen)]
    pub fast_change: f64,
    /// Proportional gain of a large error.
    #[number(symbol = "Kp1", label = "Kp, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kp1: f64,
    /// Proportional gain of a middle error.
    #[number(symbol = "Kp2", label = "Kp, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kp2: f64,
    /// Proportional gain of a small error.
    #[number(symbol = "Kp3", label = "Kp, small error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kp3: f64,
    /// Integral gain of a large error; 0 in the published method.
    #[number(symbol = "Ki1", label = "Ki, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    #[serde(default)]
    pub ki1: f64,
    /// Integral gain of a middle error.
    #[number(symbol = "Ki2", label = "Ki, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub ki2: f64,
    /// Integral gain of a small error.
    #[number(symbol = "Ki3", label = "Ki, small error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub ki3: f64,
    /// Derivative gain of a large error.
    #[number(symbol = "Kd1", label = "Kd, large error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kd1: f64,
    /// Derivative gain of a middle error.
    #[number(symbol = "Kd2", label = "Kd, middle error", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kd2: f64,
    /// Derivative gain of a small error that changes fast.
    #[number(symbol = "Kd3", label = "Kd, small and fast", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kd3: f64,
    /// Derivative gain of a small error that changes slowly.
    #[number(symbol = "Kd4", label = "Kd, small and slow", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kd4: f64,
}

/// Fuzzy correction of the gains: seven linguistic values of e and ec, 49 rules for each gain.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fuzzy {
    /// |e| of the linguistic value “big”.
    #[number(label = "range of e", unit = Share, range = 1e-3..=1.0, source = EXTENSION, chosen)]
    pub error_range: f64,
    /// |ec| of the linguistic value “big”.
    #[number(label = "range of ec", unit = Share, range = 1e-4..=2.0, source = EXTENSION, chosen)]
    pub change_range: f64,
    /// Correction of Kp for the linguistic value “big”.
    #[number(symbol = "ΔKp", label = "range of ΔKp", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub kp_range: f64,
    /// Correction of Ki for the linguistic value “big”.
    #[number(symbol = "ΔKi", label = "range of ΔKi", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub ki_range: f64,
    /// Correction of Kd for the linguistic value “big”.
    #[number(symbol = "ΔKd", label = "range of ΔKd", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub kd_range: f64,
}

/// A row of the control table. An end that two rows share belongs to the row nearer to zero; the row around zero
/// is the dead zone; outputs beyond the table use its outermost row.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Smallest output of the row; an end that two rows share belongs to the row nearer to zero.
    #[number(symbol = "u", label = "from", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen)]
    pub from: f64,
    /// Largest output of the row; an end that two rows share belongs to the row nearer to zero.
    #[number(symbol = "u", label = "to", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen)]
    pub to: f64,
    /// Precision levels upwards; negative: downwards.
    #[number(label = "precision", unit = Count, range = -16.0..=16.0, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub precision: f64,
    /// Change of the frequency.
    #[number(label = "frequency", unit = Megahertz, range = -1e5..=1e5, source = PUBLISHED)]
    pub frequency_mhz: f64,
    /// Change of the number of vGPUs.
    #[number(label = "vGPUs", unit = Count, range = -1e6..=1e6, whole, source = PUBLISHED)]
    #[serde(serialize_with = "whole")]
    pub vgpus: f64,
}

/// The actuators in use, and their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actuators {
    /// Whether one or all of them act.
    pub mode: ActuatorMode,
    /// The actuators in use, the preferred one first.
    pub order: Vec<Actuator>,
}

impl Default for Actuators {
    fn default() -> Self {
        Self { mode: ActuatorMode::InOrder, order: vec![Actuator::Vgpus, Actuator::Frequency] }
    }
}

/// Whether one or all actuators act in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ActuatorMode {
    /// The first actuator acts; if it is at its limit, the next one acts by at least one step.
    InOrder,
    /// Every actuator, each by its column of the control table.
    Together,
}

/// A setting that a controller changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Actuator {
    /// The number of vGPUs, through the cloud manager.
    Vgpus,
    /// Frequency, within what the voltage allows.
    Frequency,
    /// Precision of the computation, of all data or a part of it.
    Precision,
    /// Voltage, by the column of the frequency: it moves the highest frequency that the cluster reaches.
    Voltage,
    /// Concurrent tasks of each vGPU, by the column of the vGPUs.
    Concurrency,
}

/// A precision level: a numeric format that a cluster can use.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrecisionLevel {
    /// Name, unique among the levels, e.g. "int8".
    #[name]
    pub name: String,
    /// Throughput at this level ÷ throughput at a factor of 1.
    #[number(
        symbol = "s", label = "throughput factor", unit = Factor, range = 1e-4..=1e4, neutral = 1.0,
        source = EXTENSION
    )]
    pub compute_factor: f64,
    /// Bytes per work at this level ÷ those at a factor of 1; the transfer ceiling is divided by it.
    #[number(label = "transfer factor", unit = Factor, range = 1e-4..=1e4, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one")]
    pub transfer_factor: f64,
    /// Its effect on the quality of the result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The cloud manager, which moves released vGPUs to clusters that request them.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manager {
    /// vGPUs that belong to no cluster at the start.
    #[number(label = "spare vGPUs", unit = Count, range = 0.0..=1e6, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub spare_vgpus: f64,
    /// Periods until a released vGPU can be allocated, and until an allocated one works; 0: both in the next period.
    #[number(label = "delay of a move", unit = Count, range = 0.0..=1e4, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
    /// Most vGPUs that are allocated in one period.
    #[number(label = "moves per period", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub most_per_period: f64,
    /// Order in which requests are served.
    pub order: ServeOrder,
    /// Power of a vGPU in the pool ÷ that of one in the first cluster at base frequency.
    #[number(label = "power in the pool", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = EXTENSION)]
    pub pool_power_share: f64,
}

impl Default for Manager {
    fn default() -> Self {
        Self {
            spare_vgpus: 0.0,
            delay_periods: 0.0,
            most_per_period: 1000.0,
            order: ServeOrder::LargestFirst,
            pool_power_share: 0.0,
        }
    }
}

/// Order in which requests are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServeOrder {
    /// The cluster with the most negative output, which lacks compute most; ties in the order of the list.
    LargestFirst,
    /// In the order of the list.
    AsListed,
    /// In the order of the list, starting one cluster later in each period.
    Rotating,
}

/// Noise and delay of the occupancies that the controller reads.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measurement {
    /// Standard deviation of the noise on both occupancies that the controller reads.
    #[number(label = "noise", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = EXTENSION)]
    pub noise_share: f64,
    /// Delay of the samples that the controller reads, in periods.
    #[number(label = "sample delay", unit = Count, range = 0.0..=1e4, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
}

/// Power law and price of energy.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Power {
    /// How power grows with frequency.
    pub law: PowerLaw,
    /// Measured power by frequency, both relative to base frequency; ascending, for [`PowerLaw::Measured`].
    #[list]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Share of the power drawn without load; 100 %: power does not depend on the load, as published.
    #[number(label = "idle power", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = EXTENSION)]
    pub idle_share: f64,
    /// Price of a kilowatt-hour, US dollars.
    #[number(label = "price of a kWh", unit = UsDollarsPerKilowattHour, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
    pub price_per_kwh: f64,
}

impl Default for Power {
    fn default() -> Self {
        Self { law: PowerLaw::Linear, curve: Vec::new(), idle_share: 1.0, price_per_kwh: 0.0 }
    }
}

/// How the power of a vGPU grows with its frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PowerLaw {
    /// ∝ f, the voltage unchanged.
    Linear,
    /// ∝ f².
    Square,
    /// ∝ f³, the voltage grows with the frequency.
    Cube,
    /// By the measured curve, linear between its points and constant beyond them.
    Measured,
}

/// Power at a frequency, both relative to base frequency.
#[derive(Debug, Clone, Copy, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Frequency ÷ base frequency.
    #[number(label = "frequency", unit = Factor, range = 1e-3..=1e3, source = EXTENSION)]
    pub frequency_ratio: f64,
    /// Power ÷ power at base frequency.
    #[number(label = "power", unit = Factor, range = 0.0..=1e3, source = EXTENSION)]
    pub power_ratio: f64,
}

/// The controller in use.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Name of the controller whose result is "after".
    #[reference(list = "controllers", what = "controller")]
    pub controller: String,
}

fn half() -> f64 {
    0.5
}

fn one() -> f64 {
    1.0
}

fn one_hundred() -> f64 {
    100.0
}

fn outermost() -> f64 {
    0.9
}

fn yes() -> bool {
    true
}
