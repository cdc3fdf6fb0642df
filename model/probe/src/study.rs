//! The input of a probe study: target task, scoring, compute centres with their runs, and work to schedule.

use serde::{Deserialize, Serialize};

use crossover_measured::probe::task::MOST_OPERATORS;
use crossover_measured::probe::{Category, Program};
use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::whole;
use crossover_quantity::shared::Shared;
use crossover_quantity::spread::Spreads;
use crossover_study::Part;
use crossover_study::bill::Bill;

/// Most centres.
pub const MOST_CENTRES: usize = 1_000;
/// Most types of units of a centre.
pub const MOST_TYPES: usize = 64;
/// Most runs of a type of units.
pub const MOST_RUNS: usize = 100_000;
/// Most rows of a table of points.
pub const MOST_BANDS: usize = 64;
/// Most tasks to schedule.
pub const MOST_TASKS: f64 = 10_000.0;
/// Most units of a centre.
pub const MOST_UNITS: f64 = 1e7;
/// Longest run, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// Source of the numbers of the published method.
const METHOD: &str = "published method of probes";
/// Source of the numbers that the published method lacks.
const EXTENSION: &str = "extension of the published method (docs/model/probe.md)";

/// A probe study: compute centres compared for a task.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The target task, and the rules that turn it into a probe.
    #[part]
    pub target: Target,
    /// Operators of the target task; at least one, names unique.
    #[list(named, least = 1, most = MOST_OPERATORS)]
    pub operators: Vec<TargetOperator>,
    /// Points for time and precision, and their weights.
    #[part]
    pub score: Scoring,
    /// Compute centres, names unique.
    #[list(named, most = MOST_CENTRES)]
    pub centres: Vec<Centre>,
    /// Tasks to schedule.
    #[list(named, most = 1_000)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Work>,
    /// Settings of the schedule.
    #[part]
    #[serde(default)]
    pub planning: Planning,
    /// Prices of the machines; none: costs are not computed.
    #[part(example = "(as_of: \"May 2026\", years: 4, utilisation: 0.5, usd_per_kwh: 0.15, pue: 1.4, items: […])")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<Bill>>,
    /// Where the numbers come from, by field path; a field not listed was entered.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Distributions of uncertain numbers, by field path; a number that is not listed has that of its source, or none.
    #[serde(default, skip_serializing_if = "Spreads::is_empty")]
    pub uncertain: Spreads,
}

/// The target task, and the rules that turn it into a probe.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Type of the task; empty: not specified.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// Category of the task: operators of this category are matched first; none: no category has priority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Executions in the task for one execution in the probe.
    #[number(symbol = "r", label = "reference ratio", unit = Count, range = 1.0..=1e12, source = METHOD, chosen)]
    pub ratio: f64,
    /// Only operators with more executions than this in the task are scaled down.
    #[number(label = "scale above", unit = Count, range = 0.0..=10_000.0, whole, source = METHOD, chosen)]
    #[serde(default = "one", serialize_with = "whole")]
    pub scale_above: f64,
    /// Number of units on which centres are compared.
    #[number(symbol = "n", label = "compared units", unit = Count, range = 1.0..=MOST_UNITS, whole, source = METHOD, chosen, decision)]
    #[serde(default = "one", serialize_with = "whole")]
    pub units: f64,
    /// Whether groups of operators without connections become separate probes.
    #[serde(default)]
    pub is_split: bool,
    /// Programs that the user added to the operators of the library.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Program>,
}

impl Default for Target {
    /// Reference ratio 1,000, no category.
    fn default() -> Self {
        Self {
            task_type: String::new(),
            category: None,
            ratio: 1_000.0,
            scale_above: one(),
            units: one(),
            is_split: false,
            programs: Vec::new(),
        }
    }
}

/// An operator of the target task.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetOperator {
    /// Name, unique in the task.
    #[name]
    pub name: String,
    /// Number of executions in the task.
    #[number(label = "executions", unit = Count, range = 1.0..=1e15, source = METHOD)]
    pub executions: f64,
    /// Its own category; none: that of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Operator of the library that an expert chose; empty: matched by name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub library_operator: String,
    /// Operators whose outputs are its inputs.
    #[list(most = MOST_OPERATORS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Input>,
}

/// An input of an operator: the output of another one.
#[derive(Debug, Clone, PartialEq, Eq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the operator that gives the output.
    #[reference(list = "operators", what = "operator of the task")]
    pub operator: String,
}

impl Default for TargetOperator {
    fn default() -> Self {
        Self {
            name: "dgemm".to_owned(),
            executions: 1_000.0,
            category: None,
            library_operator: String::new(),
            from: Vec::new(),
        }
    }
}

/// Points for time and precision, and their weights.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Weight of the points for time.
    #[number(symbol = "w", label = "weight of time", unit = Ratio, range = 0.0..=1_000.0, source = METHOD, chosen, decision)]
    pub time_weight: f64,
    /// Weight of the points for precision.
    #[number(label = "weight of precision", unit = Ratio, range = 0.0..=1_000.0, source = METHOD, chosen, decision)]
    pub precision_weight: f64,
    /// Interpolation between two rows of a table.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Points by time of the probe, in ascending order; no points beyond the last row.
    #[list(least = 1, most = MOST_BANDS)]
    pub times: Vec<TimeBand>,
    /// Points by relative error, in ascending order; no points beyond the last row.
    #[list(least = 1, most = MOST_BANDS)]
    pub precisions: Vec<PrecisionBand>,
}

/// Interpolation between two rows of a table of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Interpolation {
    /// The points of the first row that the value does not exceed, as published.
    #[default]
    Steps,
    /// A straight line along the logarithm.
    LogLinear,
}

/// A row of the table of points for time.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeBand {
    /// Longest time of the probe that gets these points.
    #[number(label = "time up to", unit = Seconds, range = 1e-6..=YEAR, source = METHOD, chosen)]
    pub up_to_seconds: f64,
    /// Points for a time in this row.
    #[number(label = "points for time", unit = Ratio, range = 0.0..=1e6, source = METHOD, chosen)]
    pub points: f64,
}

/// A row of the table of points for precision.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrecisionBand {
    /// Largest relative error of the output that gets these points.
    #[number(label = "relative error up to", unit = Ratio, range = 0.0..=1e6, source = METHOD, chosen)]
    pub up_to_error: f64,
    /// Points for a relative error in this row.
    #[number(label = "points for precision", unit = Ratio, range = 0.0..=1e6, source = METHOD, chosen)]
    pub points: f64,
}

/// A compute centre.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Centre {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Rate in a benchmark such as HPL. 0: not available.
    #[number(label = "benchmark rate", unit = Tops, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub benchmark_tops: f64,
    /// Rule that selects the type of units for the probe.
    #[serde(default)]
    pub route: Route,
    /// Types of units; at least one, names unique.
    #[list(named, least = 1, most = MOST_TYPES)]
    pub units: Vec<UnitType>,
}

/// The rule that selects the type of units for the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Route {
    /// The centre's table: the first type that supports every operator of the probe.
    #[default]
    Table,
    /// The types that the centre named as able to run the probe; the first one counts.
    Named(Vec<String>),
    /// The type that the user chose.
    User(String),
    /// The centre decides: the type from which reports came.
    Centre,
}

/// A type of units of a centre.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitType {
    /// Name, unique in the centre.
    #[name]
    pub name: String,
    /// Number of units of this type.
    #[number(symbol = "N", label = "units", unit = Count, range = 1.0..=MOST_UNITS, whole, source = METHOD, decision)]
    #[serde(serialize_with = "whole")]
    pub count: f64,
    /// Price of one unit for an hour, US dollars.
    #[number(label = "price per unit-hour", unit = UsDollarsPerHour, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION, decision)]
    #[serde(default)]
    pub price_per_hour: f64,
    /// Operators that it supports, by their names in the task or by their keys in the library; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<String>,
    /// Device that gpu-bench uses as one unit: `cpu`, `cpu:K` with K threads, or `gpu`.
    #[serde(default = "cpu", skip_serializing_if = "is_cpu")]
    pub runs_on: String,
    /// Runs of the probe on these units.
    #[part]
    #[serde(default, skip_serializing_if = "Runs::is_empty")]
    pub runs: Runs,
}

/// Runs of a probe, column by column; all columns are as long as `seconds`, or empty.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Units of each run.
    #[series(label = "units of a run", unit = Count, range = 1.0..=MOST_UNITS, source = METHOD)]
    pub units: Shared<[f64]>,
    /// Time of each run.
    #[series(label = "time of a run", unit = Seconds, range = 1e-9..=YEAR, source = METHOD)]
    pub seconds: Shared<[f64]>,
    /// Relative error of each output; none without a true value.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub errors: Shared<[Option<f64>]>,
    /// Time of the target task estimated from each run, seconds; none without times of operators.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub target_seconds: Shared<[Option<f64>]>,
    /// Start of each run, hours from the midnight before a Monday, UTC; none if not recorded.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub hours: Shared<[Option<f64>]>,
    /// [`fingerprint`](crossover_measured::probe::ProbeTask::fingerprint) of the probe that was run; none: not recorded. Runs of
    /// a probe other than the study's do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// Why runs failed, a sentence each; failed runs do not count.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub failed: Shared<[String]>,
}

/// Tasks of one kind to schedule.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// Number of such tasks.
    #[number(label = "number of tasks", unit = Count, range = 0.0..=MOST_TASKS, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub copies: f64,
    /// Size of each task, in multiples of the target task.
    #[number(label = "relative size", unit = Factor, range = 1e-6..=1e9, source = EXTENSION)]
    #[serde(default = "one")]
    pub size: f64,
    /// Arrival time, hours after the start of the plan.
    #[number(label = "arrival time, hours", unit = Count, range = 0.0..=8_784.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub arrives_after_hours: f64,
    /// Whether their time depends on the network: it then follows the hour of the day, as the time of probes does.
    #[serde(default)]
    pub is_networked: bool,
}

/// Settings of the schedule.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planning {
    /// Start of the plan, hours from the midnight before a Monday, UTC.
    #[number(label = "start hour (UTC)", unit = Count, range = 0.0..=168.0, source = EXTENSION, chosen)]
    pub start_hour: f64,
    /// Length of the best window of the day, hours.
    #[number(label = "window length, hours", unit = Count, range = 0.1..=23.0, source = METHOD)]
    pub window_hours: f64,
    /// Value of finishing a task an hour earlier, US dollars.
    #[number(label = "value of an hour", unit = UsDollarsPerHour, range = 0.0..=1e9, source = EXTENSION)]
    pub hour_value: f64,
}

impl Default for Planning {
    fn default() -> Self {
        Self { start_hour: 0.0, window_hours: 2.0, hour_value: 1.0 }
    }
}

impl Default for Centre {
    fn default() -> Self {
        Self {
            name: "centre".to_owned(),
            benchmark_tops: 0.0,
            route: Route::default(),
            units: vec![UnitType::default()],
        }
    }
}

impl Default for UnitType {
    fn default() -> Self {
        Self {
            name: "cpu".to_owned(),
            count: 1.0,
            price_per_hour: 0.0,
            supports: Vec::new(),
            runs_on: cpu(),
            runs: Runs::default(),
        }
    }
}

impl Runs {
    /// Whether there are neither measured nor failed runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty() && self.failed.is_empty()
    }
}

fn one() -> f64 {
    1.0
}

fn cpu() -> String {
    "cpu".to_owned()
}

fn is_cpu(runs_on: &str) -> bool {
    runs_on == "cpu"
}
