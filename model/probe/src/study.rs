//! What the user enters: the target task, how results become points, the centres with what they measured, and the work that is
//! to be done.

use serde::{Deserialize, Serialize};

use crossover_measured::probe::task::MOST_OPERATORS;
use crossover_measured::probe::{Added, Category};
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
/// Most intervals of a table of points.
pub const MOST_BANDS: usize = 64;
/// Most tasks to be scheduled.
pub const MOST_TASKS: f64 = 10_000.0;
/// Most units of a centre.
pub const MOST_UNITS: f64 = 1e7;
/// Longest run, seconds: a year.
const YEAR: f64 = 366.0 * 86_400.0;

/// Source of what the published method has.
const METHOD: &str = "published method of probes";
/// Source of what it leaves out.
const EXTENSION: &str = "extension of the published method (docs/model/probe.md)";

/// A probe study: what compute centres deliver for a task.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The target task, and how a probe is made of it.
    #[part]
    pub target: Target,
    /// Operators of the target task; at least one, names unique.
    #[list(named, least = 1, most = MOST_OPERATORS)]
    pub operators: Vec<TargetOperator>,
    /// How time and precision become points.
    #[part]
    pub score: Scoring,
    /// Compute centres; at least one, names unique.
    #[list(named, least = 1, most = MOST_CENTRES)]
    pub centres: Vec<Centre>,
    /// Tasks to be scheduled.
    #[list(named, most = 1_000)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Work>,
    /// How tasks are scheduled.
    #[part]
    #[serde(default)]
    pub planning: Planning,
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

/// The target task, and how a probe is made of it.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The type of such tasks; empty: none in particular.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_type: String,
    /// What the task is about: operators of this category are matched first; none: whatever has the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// So many executions in the target are one in the probe.
    #[number(symbol = "r", label = "reference ratio", unit = Count, range = 1.0..=1e12, source = METHOD, chosen)]
    pub ratio: f64,
    /// An operator that the target executes at most so often is executed as often in the probe.
    #[number(label = "kept as they are, up to", unit = Count, range = 0.0..=10_000.0, whole, source = METHOD, chosen)]
    #[serde(default = "one", serialize_with = "whole")]
    pub few: f64,
    /// Centres are compared on so many units.
    #[number(symbol = "n", label = "units to compare on", unit = Count, range = 1.0..=MOST_UNITS, whole, source = METHOD, chosen)]
    #[serde(default = "one", serialize_with = "whole")]
    pub units: f64,
    /// Whether groups of operators that take nothing of each other become probes of their own.
    #[serde(default)]
    pub is_split: bool,
    /// Programs that are operators, besides those of the library.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
}

impl Default for Target {
    /// A thousand executions are one; whatever the task is about.
    fn default() -> Self {
        Self {
            task_type: String::new(),
            category: None,
            ratio: 1_000.0,
            few: one(),
            units: one(),
            is_split: false,
            added: Vec::new(),
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
    /// How often the task executes it.
    #[number(label = "executions", unit = Count, range = 1.0..=1e15, source = METHOD)]
    pub executions: f64,
    /// Its own category; none: that of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The operator of the library that an expert chose; empty: the one that is matched.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub runs: String,
    /// The operators whose outputs it takes.
    #[list(most = MOST_OPERATORS)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Input>,
}

/// An operator whose output another one takes.
#[derive(Debug, Clone, PartialEq, Eq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The operator.
    #[reference(list = "operators", what = "operator of the task")]
    pub operator: String,
}

impl Default for TargetOperator {
    fn default() -> Self {
        Self { name: "dgemm".to_owned(), executions: 1_000.0, category: None, runs: String::new(), from: Vec::new() }
    }
}

/// How time and precision become points.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scoring {
    /// Weight of the points for time.
    #[number(symbol = "w", label = "weight of time", unit = Ratio, range = 0.0..=1_000.0, source = METHOD, chosen)]
    pub time_weight: f64,
    /// Weight of the points for precision.
    #[number(label = "weight of precision", unit = Ratio, range = 0.0..=1_000.0, source = METHOD, chosen)]
    pub precision_weight: f64,
    /// What lies between two rows of a table.
    #[serde(default)]
    pub between: Between,
    /// Points for a probe that takes at most so long, in ascending order; longer ones get none.
    #[list(least = 1, most = MOST_BANDS)]
    pub times: Vec<TimeBand>,
    /// Points for a relative error of at most so much, in ascending order; larger ones get none.
    #[list(least = 1, most = MOST_BANDS)]
    pub precisions: Vec<PrecisionBand>,
}

/// What lies between two rows of a table of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Between {
    /// The points of the next row, as published.
    #[default]
    Steps,
    /// A straight line along the logarithm.
    Lines,
}

/// Points for time.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeBand {
    /// Up to this time of a probe.
    #[number(label = "time up to", unit = Seconds, range = 1e-6..=YEAR, source = METHOD, chosen)]
    pub up_to_seconds: f64,
    /// So many points.
    #[number(label = "points for time", unit = Ratio, range = 0.0..=1e6, source = METHOD, chosen)]
    pub points: f64,
}

/// Points for precision.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrecisionBand {
    /// Up to this relative error of the output.
    #[number(label = "relative error up to", unit = Ratio, range = 0.0..=1e6, source = METHOD, chosen)]
    pub up_to_error: f64,
    /// So many points.
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
    /// Its rate in a benchmark such as HPL: what a list ranks it by. 0: not known.
    #[number(label = "benchmark rate", unit = Tops, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub benchmark_tops: f64,
    /// Who says which units run the probe.
    #[serde(default)]
    pub route: Route,
    /// Types of units; at least one, names unique.
    #[list(named, least = 1, most = MOST_TYPES)]
    pub units: Vec<UnitType>,
}

/// Who says which type of units runs the probe.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Route {
    /// The centre's table: the first type that supports every operator of the probe.
    #[default]
    Table,
    /// The centre was asked which types can run it, and named these.
    Asked(Vec<String>),
    /// The user.
    User(String),
    /// The centre itself, which reports what it took.
    Centre,
}

/// Units of a centre that are alike.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitType {
    /// Name, unique in the centre.
    #[name]
    pub name: String,
    /// How many there are.
    #[number(symbol = "N", label = "units", unit = Count, range = 1.0..=MOST_UNITS, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub count: f64,
    /// What a unit costs for an hour, in any currency.
    #[number(label = "price of a unit-hour", unit = Ratio, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub price_per_hour: f64,
    /// Operators that it supports, by their names in the task or by their keys in the library; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<String>,
    /// What gpu-bench takes for such a unit: `cpu`, `cpu:K` with K threads, or `gpu`.
    #[serde(default = "cpu", skip_serializing_if = "is_cpu")]
    pub runs_on: String,
    /// Runs of the probe there.
    #[part]
    #[serde(default, skip_serializing_if = "Runs::is_empty")]
    pub runs: Runs,
}

/// Runs of a probe, column by column; all columns are as long as `seconds`, or empty.
#[derive(Debug, Clone, PartialEq, Default, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Units that each run had.
    #[series(label = "units of a run", unit = Count, range = 1.0..=MOST_UNITS, source = METHOD)]
    pub units: Shared<[f64]>,
    /// How long each took.
    #[series(label = "time of a run", unit = Seconds, range = 1e-9..=YEAR, source = METHOD)]
    pub seconds: Shared<[f64]>,
    /// Relative error of each output; none where nothing tells what is right.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub errors: Shared<[Option<f64>]>,
    /// How long the target task takes by each run, seconds; none where operators were not timed.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub target_seconds: Shared<[Option<f64>]>,
    /// When each began, hours from the midnight before a Monday, UTC; none where nobody tells.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub hours: Shared<[Option<f64>]>,
    /// [`fingerprint`](crossover_measured::probe::ProbeTask::fingerprint) of the probe that was run; none: nobody knows. Runs of
    /// another probe than the study's count nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<String>,
    /// What failed and counts nowhere, a sentence each.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub failed: Shared<[String]>,
}

/// Tasks that are to be done.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Name, unique in the study.
    #[name]
    pub name: String,
    /// How many of them.
    #[number(label = "tasks of this sort", unit = Count, range = 0.0..=MOST_TASKS, whole, source = METHOD)]
    #[serde(serialize_with = "whole")]
    pub copies: f64,
    /// How large each is, times the target task.
    #[number(label = "size, of the target task", unit = Factor, range = 1e-6..=1e9, source = EXTENSION)]
    #[serde(default = "one")]
    pub size: f64,
    /// When they come, hours after the beginning of the plan.
    #[number(label = "come after, hours", unit = Count, range = 0.0..=8_784.0, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub comes_after_hours: f64,
    /// Whether they are as slow as the network: their time follows the hour of the day, as that of probes does.
    #[serde(default)]
    pub is_networked: bool,
}

/// How tasks are scheduled.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planning {
    /// When the plan begins, hours from midnight before a Monday, UTC.
    #[number(label = "plan begins, hours from Monday UTC", unit = Count, range = 0.0..=168.0, source = EXTENSION, chosen)]
    pub begins_hour: f64,
    /// Length of the best time of the day that is looked for, hours.
    #[number(label = "window, hours", unit = Count, range = 0.1..=23.0, source = METHOD)]
    pub window_hours: f64,
    /// What it is worth to have a task an hour earlier, in the currency of prices.
    #[number(label = "worth of an hour", unit = Ratio, range = 0.0..=1e9, source = EXTENSION)]
    pub hour_value: f64,
}

impl Default for Planning {
    fn default() -> Self {
        Self { begins_hour: 0.0, window_hours: 2.0, hour_value: 1.0 }
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
    /// Whether nothing was measured, and nothing failed.
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
