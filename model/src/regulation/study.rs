//! What the user enters: clusters, controllers, the control table, the cloud manager and how the run goes.

use serde::{Deserialize, Serialize};

use crate::provenance::Sources;
use crate::quantity::whole;
use crate::shared::Shared;

/// A regulation study: clusters whose compute is moved to where transfer waits for it, and the controllers to
/// compare.
///
/// Fields that the published method does not have default to their neutral value, so a file may leave them out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regulation {
    /// How long the simulation runs, and what is compared.
    pub run: Run,
    /// Clusters of vGPUs; at least one, names unique.
    pub clusters: Vec<Cluster>,
    /// Controllers to compare; one to four, names unique.
    pub controllers: Vec<Controller>,
    /// What a controller output means, from the most negative to the most positive.
    pub table: Vec<Band>,
    /// What may be moved, and in which order.
    #[serde(default)]
    pub actuators: Actuators,
    /// Precisions from the lowest to the highest.
    pub ladder: Vec<Rung>,
    /// Who moves released vGPUs to clusters that ask for more.
    #[serde(default)]
    pub manager: Manager,
    /// How occupancies are read.
    #[serde(default)]
    pub measurement: Measurement,
    /// What power depends on, and what energy costs.
    #[serde(default)]
    pub power: Power,
    /// Which controller is the cluster's.
    pub policy: Policy,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
}

/// How long the simulation runs, and what is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Sampling period of the controllers, T, seconds.
    pub period_seconds: f64,
    /// Periods that are simulated.
    #[serde(serialize_with = "whole")]
    pub periods: f64,
    /// Last periods over which "before" and "after" are averaged.
    #[serde(serialize_with = "whole")]
    pub average_periods: f64,
    /// Light load as a share of what a cluster serves at full load.
    #[serde(default = "half")]
    pub light_share: f64,
    /// Seed of the measurement noise.
    #[serde(default = "one", serialize_with = "whole")]
    pub seed: f64,
}

/// A cluster of vGPUs behind one transfer ceiling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Name, unique in the study.
    pub name: String,
    /// vGPUs at the start, n.
    #[serde(serialize_with = "whole")]
    pub vgpus: f64,
    /// vGPUs it never goes below.
    #[serde(serialize_with = "whole")]
    pub min_vgpus: f64,
    /// vGPUs it never goes above.
    #[serde(serialize_with = "whole")]
    pub max_vgpus: f64,
    /// Throughput of one vGPU at base frequency and with a ladder factor of 1, TOPS.
    pub tops_per_vgpu: f64,
    /// Frequency at which `tops_per_vgpu` and `watts_per_vgpu` hold, GHz.
    pub base_ghz: f64,
    /// Frequency at the start, f, GHz.
    pub start_ghz: f64,
    /// Frequency it never goes below, GHz.
    pub min_ghz: f64,
    /// Frequency it never goes above, GHz.
    pub max_ghz: f64,
    /// Step of the frequency where the control table does not say one, GHz.
    pub step_ghz: f64,
    /// Precision at the start; a rung of the ladder.
    pub precision: String,
    /// Lowest precision that its work allows; a rung of the ladder.
    pub lowest_precision: String,
    /// Highest precision that its work allows; a rung of the ladder.
    pub highest_precision: String,
    /// Throughput that the transfer can feed at a transfer factor of 1, B, TOPS.
    pub pcie_tops: f64,
    /// Power of one vGPU at base frequency and full load, W.
    #[serde(default = "one_hundred")]
    pub watts_per_vgpu: f64,
    /// Work that may wait for later, tera-operations; 0: what cannot be served at once is turned away.
    #[serde(default)]
    pub backlog_limit: f64,
    /// Work that arrives.
    pub demand: Demand,
}

/// Work that arrives at a cluster, over time. One shape uses some of the fields, the others rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// How it changes.
    pub shape: Shape,
    /// Lower level: before a step, where a ramp begins, the night of a day curve, TOPS.
    #[serde(default)]
    pub low_tops: f64,
    /// Level of a constant demand; after a step, where a ramp ends, the peak of a day curve, TOPS.
    pub high_tops: f64,
    /// When a step comes or a ramp begins; the time of day of the peak, seconds.
    #[serde(default)]
    pub start_seconds: f64,
    /// When a ramp ends, seconds.
    #[serde(default)]
    pub end_seconds: f64,
    /// Time from one value of a recorded series to the next, seconds.
    #[serde(default = "one")]
    pub seconds_per_value: f64,
    /// Recorded demand, TOPS; after its end it begins again. Shared by all copies of the study.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Controller {
    /// Name, unique in the study.
    pub name: String,
    /// Which parts it has; gains of the others rest.
    pub form: Form,
    /// Proportional gain, Kp.
    pub kp: f64,
    /// Integral gain for one period, Ki.
    #[serde(default)]
    pub ki: f64,
    /// Derivative gain for one period, Kd.
    #[serde(default)]
    pub kd: f64,
    /// When the integral grows.
    #[serde(default)]
    pub integration: Integration,
    /// Whether the integral starts anew after an action.
    #[serde(default = "yes")]
    pub reset_after_action: bool,
    /// Largest size of the integral part, which keeps it from winding up.
    #[serde(default = "outermost")]
    pub integral_limit: f64,
    /// What the derivative is taken of.
    #[serde(default)]
    pub derivative: Derivative,
    /// Gains by error and change of error, instead of Kp, Ki and Kd.
    #[serde(default)]
    pub schedule: Option<Schedule>,
    /// Corrections of the gains by fuzzy rules.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// From this |e| on the error is large, ε1.
    pub large_error: f64,
    /// Below this |e| the error is small, ε2.
    pub small_error: f64,
    /// From this |ec| on a small error changes fast, δ1.
    pub fast_change: f64,
    /// Kp of a large error.
    pub kp1: f64,
    /// Kp of a middle error.
    pub kp2: f64,
    /// Kp of a small error.
    pub kp3: f64,
    /// Ki of a large error; 0 in the published method.
    #[serde(default)]
    pub ki1: f64,
    /// Ki of a middle error.
    pub ki2: f64,
    /// Ki of a small error.
    pub ki3: f64,
    /// Kd of a large error.
    pub kd1: f64,
    /// Kd of a middle error.
    pub kd2: f64,
    /// Kd of a small error that changes fast.
    pub kd3: f64,
    /// Kd of a small error that changes slowly.
    pub kd4: f64,
}

/// Fuzzy correction of the gains: seven linguistic values of e and ec, 49 rules for each gain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fuzzy {
    /// |e| that counts as "big".
    pub error_range: f64,
    /// |ec| that counts as "big".
    pub change_range: f64,
    /// Correction of Kp that "big" stands for.
    pub kp_range: f64,
    /// Correction of Ki that "big" stands for.
    pub ki_range: f64,
    /// Correction of Kd that "big" stands for.
    pub kd_range: f64,
}

/// A row of the control table. An end that two rows share belongs to the row nearer to zero; the row around zero
/// is the dead zone; outputs beyond the table take its outermost row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Smallest output.
    pub from: f64,
    /// Largest output.
    pub to: f64,
    /// Rungs of the ladder upwards; negative: downwards.
    #[serde(serialize_with = "whole")]
    pub precision: f64,
    /// Change of the frequency, MHz.
    pub frequency_mhz: f64,
    /// Change of the number of vGPUs.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Name, unique on the ladder, e.g. "int8".
    pub name: String,
    /// Throughput against that of a factor of 1, s.
    pub compute_factor: f64,
    /// Bytes for the same work against those of a factor of 1.
    #[serde(default = "one")]
    pub transfer_factor: f64,
    /// What it means for the quality of the result.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Moves released vGPUs to clusters that ask for more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manager {
    /// vGPUs that belong to no cluster at the start.
    #[serde(serialize_with = "whole")]
    pub spare_vgpus: f64,
    /// Periods until a move has taken place; 0: the next period sees it.
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
    /// Most vGPUs that are given out in one period.
    #[serde(serialize_with = "whole")]
    pub most_per_period: f64,
    /// Who is served first.
    pub order: ServeOrder,
    /// Power of a vGPU that belongs to no cluster, as a share of that of the first cluster's at base frequency.
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measurement {
    /// Standard deviation of the noise on both occupancies, as a share of full occupancy.
    pub noise_share: f64,
    /// Age of what the controller reads, in periods.
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
}

/// What power depends on, and what energy costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Power {
    /// How power grows with frequency.
    pub law: PowerLaw,
    /// Measured power by frequency, both against base frequency; ascending, for [`PowerLaw::Measured`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// Share of the power that flows without any load; 1: the load makes no difference.
    pub idle_share: f64,
    /// Price of a kilowatt-hour, in any currency.
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CurvePoint {
    /// Frequency / base frequency.
    pub frequency_ratio: f64,
    /// Power / power at base frequency.
    pub power_ratio: f64,
}

/// Which controller is the clusters' own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Name of the controller whose result is "after".
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
