//! What the user enters: clusters, controllers, the control table, the cloud manager and how the run goes.

use serde::{Deserialize, Serialize};

use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::shared::Shared;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

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

/// Source of what the published method has.
const PUBLISHED: &str = "published method of regulation";
/// Source of what the published method leaves out.
const EXTENSION: &str = "extension of the published method, neutral by default (docs/model/regulation.md)";

/// A regulation study: clusters whose compute is moved to where transfer waits for it, and the controllers to
/// compare.
///
/// Fields that the published method does not have default to their neutral value, so a file may leave them out.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regulation {
    /// How long the simulation runs, and what is compared.
    #[part]
    pub run: Run,
    /// Clusters of vGPUs; at least one, names unique.
    #[list(named, least = 1, most = MOST_CLUSTERS)]
    pub clusters: Vec<Cluster>,
    /// Controllers to compare; one to four, names unique.
    #[list(named, least = 1, most = MOST_CONTROLLERS)]
    pub controllers: Vec<Controller>,
    /// What a controller output means, from the most negative to the most positive.
    #[list]
    pub table: Vec<Band>,
    /// What may be moved, and in which order.
    #[serde(default)]
    pub actuators: Actuators,
    /// Precisions from the lowest to the highest.
    #[list(named, least = 1)]
    pub ladder: Vec<Rung>,
    /// Who moves released vGPUs to clusters that ask for more.
    #[part]
    #[serde(default)]
    pub manager: Manager,
    /// How occupancies are read.
    #[part]
    #[serde(default)]
    pub measurement: Measurement,
    /// What power depends on, and what energy costs.
    #[part]
    #[serde(default)]
    pub power: Power,
    /// Which controller is the cluster's.
    #[part]
    pub policy: Policy,
    /// What the machines cost; none: nobody asks.
    #[part(example = "(as_of: \"May 2026\", years: 4, used: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// How far numbers may be from their values, by field path; a number that is not listed has the spread of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// How long the simulation runs, and what is compared.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Time from one reading of the occupancies to the next; the controller acts once in each period.
    #[number(symbol = "T", label = "sampling period", unit = Seconds, range = 1e-3..=86_400.0, source = PUBLISHED, chosen)]
    pub period_seconds: f64,
    /// How many sampling periods are simulated.
    #[number(label = "periods", unit = Count, range = 10.0..=100_000.0, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub periods: f64,
    /// Last periods of the run over which “before” and “after” are averaged.
    #[number(label = "averaged periods", unit = Count, range = 1.0..=100_000.0, whole, source = EXTENSION, chosen)]
    #[serde(serialize_with = "whole")]
    pub average_periods: f64,
    /// Light load in the before/after table, as a share of what the cluster serves at full load.
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
    #[number(label = "least vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub min_vgpus: f64,
    /// The cluster never asks for vGPUs above this number.
    #[number(label = "most vGPUs", unit = Count, range = 0.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub max_vgpus: f64,
    /// Throughput of one vGPU at base frequency, in the precision whose ladder factor is 1.
    #[number(label = "throughput of a vGPU", unit = Tops, range = 1e-6..=1e6, source = PUBLISHED)]
    pub tops_per_vgpu: f64,
    /// Frequency at which throughput and power of a vGPU are given.
    #[number(symbol = "f₀", label = "base frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub base_ghz: f64,
    /// Frequency at the start.
    #[number(symbol = "f", label = "frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub start_ghz: f64,
    /// The frequency never goes below this.
    #[number(label = "least frequency", unit = Gigahertz, range = 0.01..=100.0, source = EXTENSION)]
    pub min_ghz: f64,
    /// The frequency never goes above this.
    #[number(label = "highest frequency", unit = Gigahertz, range = 0.01..=100.0, source = PUBLISHED)]
    pub max_ghz: f64,
    /// Step of the frequency where it takes over from another actuator and the control table has none.
    #[number(label = "frequency step", unit = Gigahertz, range = 1e-4..=10.0, source = PUBLISHED)]
    pub step_ghz: f64,
    /// Precision at the start; a rung of the ladder.
    #[reference(list = "ladder", what = "precision")]
    pub precision: String,
    /// Lowest precision that its work allows; a rung of the ladder.
    #[reference(list = "ladder", what = "precision")]
    pub lowest_precision: String,
    /// Highest precision that its work allows; a rung of the ladder.
    #[reference(list = "ladder", what = "precision")]
    pub highest_precision: String,
    /// Throughput at which the transfer is fully occupied: more work than this cannot be fed.
    #[number(symbol = "B", label = "transfer ceiling", unit = Tops, range = 1e-3..=MOST_TOPS, source = PUBLISHED)]
    pub pcie_tops: f64,
    /// Power of one vGPU at base frequency and full load.
    #[number(label = "power of a vGPU", unit = Watts, range = 1e-3..=1e6, source = EXTENSION)]
    #[serde(default = "one_hundred")]
    pub watts_per_vgpu: f64,
    /// Work that may wait until it can be served; 0: what cannot be served at once is turned away.
    #[number(label = "longest backlog", unit = TeraOperations, range = 0.0..=1e18, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub backlog_limit: f64,
    /// Work that arrives.
    #[part]
    pub demand: Demand,
}

/// Work that arrives at a cluster, over time. One shape uses some of the fields, the others rest.
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
    /// When the step comes or the ramp begins; of a day curve, the time of its peak.
    #[number(label = "change begins", unit = Seconds, range = 0.0..=YEAR, source = EXTENSION)]
    #[serde(default)]
    pub start_seconds: f64,
    /// When the ramp ends.
    #[number(label = "change ends", unit = Seconds, range = 0.0..=YEAR, source = EXTENSION)]
    #[serde(default)]
    pub end_seconds: f64,
    /// How long each value of a recorded demand holds.
    #[number(label = "time per value", unit = Seconds, range = 1e-3..=YEAR, source = EXTENSION)]
    #[serde(default = "one")]
    pub seconds_per_value: f64,
    /// Recorded demand; after its end it begins again. Shared by all copies of the study.
    #[series(label = "recorded demand", unit = Tops, range = 0.0..=MOST_TOPS, source = EXTENSION)]
    #[serde(default, skip_serializing_if = "<[f64]>::is_empty")]
    pub series: Shared<[f64]>,
}

/// How a demand changes over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// `high_tops` all the time.
    Constant,
    /// `low_tops` until `start_seconds`, then `high_tops`.
    Step,
    /// From `low_tops` at `start_seconds` to `high_tops` at `end_seconds`, straight.
    Ramp,
    /// A cosine of 24 hours between `low_tops` and `high_tops`, which it reaches at `start_seconds`.
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
    /// Which parts it has; gains of the others rest.
    pub form: Form,
    /// Output for the error of this moment.
    #[number(symbol = "Kp", label = "proportional gain", unit = Ratio, range = 0.0..=MOST_GAIN, source = PUBLISHED, chosen)]
    pub kp: f64,
    /// Output for the sum of errors, one summand for each period.
    #[number(
        symbol = "Ki", label = "integral gain", unit = Ratio, range = 0.0..=MOST_GAIN, neutral = 0.0,
        source = PUBLISHED,
        chosen
    )]
    #[serde(default)]
    pub ki: f64,
    /// Output for the change of the error since the period before.
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
    /// Whether the integral starts anew after an action.
    #[serde(default = "yes")]
    pub reset_after_action: bool,
    /// The integral part never grows beyond this size, so that it does not wind up.
    #[number(label = "integral limit", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    #[serde(default = "outermost")]
    pub integral_limit: f64,
    /// What the derivative is taken of.
    #[serde(default)]
    pub derivative: Derivative,
    /// Gains by error and change of error, instead of Kp, Ki and Kd.
    #[part(example = "(large_error: 0.4, small_error: 0.2, …)")]
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Corrections of the gains by fuzzy rules.
    #[part(example = "(error_range: 0.5, change_range: 0.1, …)")]
    #[serde(default)]
    pub fuzzy: Option<Fuzzy>,
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
    /// Only while the output lies in the dead zone, which it is there to break.
    #[default]
    InDeadZone,
    /// Unless the output is beyond the control table and the error would drive it further.
    UnlessSaturated,
    /// In every period.
    Always,
}

/// What the derivative is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Derivative {
    /// The error.
    #[default]
    OnError,
    /// The compute load alone, so that a jump of the transfer occupancy causes no kick.
    OnMeasurement,
}

/// Gains by the size of the error e and of its change ec.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// From this |e| on the first gains hold.
    #[number(symbol = "ε1", label = "large error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen)]
    pub large_error: f64,
    /// Below this |e| the third gains hold; between the two the second.
    #[number(symbol = "ε2", label = "small error", unit = Share, range = 1e-6..=1.0, source = PUBLISHED, chosen)]
    pub small_error: f64,
    /// From this |ec| on a small error gets the third derivative gain, below it the fourth.
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
    /// |e| that counts as “big”.
    #[number(label = "range of e", unit = Share, range = 1e-3..=1.0, source = EXTENSION, chosen)]
    pub error_range: f64,
    /// |ec| that counts as “big”.
    #[number(label = "range of ec", unit = Share, range = 1e-4..=2.0, source = EXTENSION, chosen)]
    pub change_range: f64,
    /// Correction of Kp that “big” stands for.
    #[number(symbol = "ΔKp", label = "range of ΔKp", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub kp_range: f64,
    /// Correction of Ki that “big” stands for.
    #[number(symbol = "ΔKi", label = "range of ΔKi", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub ki_range: f64,
    /// Correction of Kd that “big” stands for.
    #[number(symbol = "ΔKd", label = "range of ΔKd", unit = Ratio, range = 0.0..=MOST_GAIN, source = EXTENSION, chosen)]
    pub kd_range: f64,
}

/// A row of the control table. An end that two rows share belongs to the row nearer to zero; the row around zero
/// is the dead zone; outputs beyond the table take its outermost row.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Smallest output of the row; an end that two rows share belongs to the one nearer to zero.
    #[number(symbol = "u", label = "from", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen)]
    pub from: f64,
    /// Largest output of the row; an end that two rows share belongs to the one nearer to zero.
    #[number(symbol = "u", label = "to", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen)]
    pub to: f64,
    /// Rungs of the ladder upwards; negative: downwards.
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

/// What may be moved, and in which order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actuators {
    /// Whether one or all of them act.
    pub mode: ActuatorMode,
    /// Those that are used, the preferred one first.
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
    /// The first one that can; where it cannot act, the next takes over with at least one step.
    InOrder,
    /// All of them, each with its column of the control table.
    Together,
}

/// Something that a controller moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Actuator {
    /// The number of vGPUs, through the cloud manager.
    Vgpus,
    /// Frequency, and with it voltage.
    Frequency,
    /// Precision of the computation.
    Precision,
}

/// A precision.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Name, unique on the ladder, e.g. "int8".
    #[name]
    pub name: String,
    /// Throughput in this precision against that of a factor of 1.
    #[number(
        symbol = "s", label = "throughput factor", unit = Factor, range = 1e-4..=1e4, neutral = 1.0,
        source = EXTENSION
    )]
    pub compute_factor: f64,
    /// Bytes for the same work against those of a factor of 1; the transfer ceiling is divided by it.
    #[number(label = "transfer factor", unit = Factor, range = 1e-4..=1e4, neutral = 1.0, source = EXTENSION)]
    #[serde(default = "one")]
    pub transfer_factor: f64,
    /// What it means for the quality of the result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Moves released vGPUs to clusters that ask for more.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manager {
    /// vGPUs that belong to no cluster at the start.
    #[number(label = "spare vGPUs", unit = Count, range = 0.0..=1e6, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub spare_vgpus: f64,
    /// Periods until a released vGPU can be given out, and until one that was given out works; 0: the next period sees
    /// it.
    #[number(label = "delay of a move", unit = Count, range = 0.0..=1e4, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
    /// Most vGPUs that are given out in one period.
    #[number(label = "moves per period", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub most_per_period: f64,
    /// Who is served first.
    pub order: ServeOrder,
    /// Power of a vGPU that belongs to no cluster, against one of the first cluster at base frequency.
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

/// Whose request is served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServeOrder {
    /// The cluster with the largest output; ties in the order of the list.
    LargestFirst,
    /// In the order of the list.
    AsListed,
    /// In the order of the list, beginning one further in each period.
    Rotating,
}

/// How occupancies are read.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measurement {
    /// Standard deviation of the noise on both occupancies that the controller reads.
    #[number(label = "noise", unit = Share, range = 0.0..=1.0, neutral = 0.0, source = EXTENSION)]
    pub noise_share: f64,
    /// How many periods old the occupancies are that the controller reads.
    #[number(label = "age of readings", unit = Count, range = 0.0..=1e4, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
}

/// What power depends on, and what energy costs.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Power {
    /// How power grows with frequency.
    pub law: PowerLaw,
    /// Measured power by frequency, both against base frequency; ascending, for [`PowerLaw::Measured`].
    #[list]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Share of the power that flows without any load; 100 %: power does not depend on the load, as published.
    #[number(label = "idle power", unit = Share, range = 0.0..=1.0, neutral = 1.0, source = EXTENSION)]
    pub idle_share: f64,
    /// Price of a kilowatt-hour, in any currency.
    #[number(label = "price of a kWh", unit = Ratio, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION)]
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
    /// ∝ f³, the voltage growing with the frequency.
    Cube,
    /// Along the measured curve, straight between its points and flat beyond them.
    Measured,
}

/// Power at a frequency, both against base frequency.
#[derive(Debug, Clone, Copy, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Frequency against base frequency.
    #[number(label = "frequency", unit = Factor, range = 1e-3..=1e3, source = EXTENSION)]
    pub frequency_ratio: f64,
    /// Power against that at base frequency.
    #[number(label = "power", unit = Factor, range = 0.0..=1e3, source = EXTENSION)]
    pub power_ratio: f64,
}

/// Which controller is the clusters' own.
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
