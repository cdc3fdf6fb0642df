//! The inputs of a regulation study: run, control table, actuators, cloud manager, measurement and power.
//!
//! - `cluster`: a cluster of vGPUs and its demand
//! - `controller`: a controller, from the error to an output

mod cluster;
mod controller;

use serde::{Deserialize, Serialize};

use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

pub use self::cluster::{Cluster, Concurrency, Demand, Shape, Voltage};
pub use self::controller::{Controller, Derivative, Form, Fuzzy, Integration, Schedule};

/// Most clusters of a study.
pub const MOST_CLUSTERS: usize = 16;
/// Most controllers of a study.
pub const MOST_CONTROLLERS: usize = 4;

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
    #[number(symbol = "T", label = "sampling period", unit = Seconds, range = 1e-3..=86_400.0, source = PUBLISHED, chosen, decision)]
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

/// A row of the control table. An end that two rows share belongs to the row nearer to zero; the row around zero
/// is the dead zone; outputs beyond the table use its outermost row.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Smallest output of the row; an end that two rows share belongs to the row nearer to zero.
    #[number(symbol = "u", label = "from", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen, decision)]
    pub from: f64,
    /// Largest output of the row; an end that two rows share belongs to the row nearer to zero.
    #[number(symbol = "u", label = "to", unit = Ratio, range = -1000.0..=1000.0, source = PUBLISHED, chosen, decision)]
    pub to: f64,
    /// Precision levels upwards; negative: downwards.
    #[number(label = "precision", unit = Count, range = -16.0..=16.0, whole, source = PUBLISHED, decision)]
    #[serde(serialize_with = "whole")]
    pub precision: f64,
    /// Change of the frequency.
    #[number(label = "frequency", unit = Megahertz, range = -1e5..=1e5, source = PUBLISHED, decision)]
    pub frequency_mhz: f64,
    /// Change of the number of vGPUs.
    #[number(label = "vGPUs", unit = Count, range = -1e6..=1e6, whole, source = PUBLISHED, decision)]
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
    #[number(label = "spare vGPUs", unit = Count, range = 0.0..=1e6, whole, neutral = 0.0, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub spare_vgpus: f64,
    /// Periods until a released vGPU can be allocated, and until an allocated one works; 0: both in the next period.
    #[number(label = "delay of a move", unit = Count, range = 0.0..=1e4, whole, neutral = 0.0, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub delay_periods: f64,
    /// Most vGPUs that are allocated in one period.
    #[number(label = "moves per period", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION, decision)]
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
    #[number(label = "price of a kWh", unit = UsDollarsPerKilowattHour, range = 0.0..=1e6, neutral = 0.0, source = EXTENSION, decision)]
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
