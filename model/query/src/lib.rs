//! A query plan as an engine reported it: operators, data flows, and measurements.
//!
//! A plan has facts only. A number that the engine did not report is absent, not zero; [`fill()`] estimates it by a stated
//! rule and marks it. Decisions of the user (pins, support lists) are in the study, not in the plan.
//!
//! - [`node`]: one operator and its numbers
//! - [`kind`]: what an operator does, whatever its engine calls it
//! - [`amount`]: a number with its origin
//! - [`application`]: a whole application as its file has it
//! - [`mod@before_run`]: the plan of a query that has run, without what the run counted
//! - [`cpu_only`]: what no GPU engine runs
//! - [`operation`]: what an operator does in particular: the method of a join, the partitioning of an exchange
//! - [`estimated`]: what a query moves that never ran, by rules
//! - [`mod@fill`]: every number of every operator, reported or estimated
//! - [`mod@grow`]: the same query over larger tables
//! - [`native`]: engines that run Spark's plans in its place
//! - [`measured`]: mean CPU cost of each kind of operator
//! - [`graph`]: the operators that work, without wrappers, and the data between them
//! - [`settings`]: settings of Spark that a trial of another engine starts from
//! - [`stored`]: what the files of tables say of themselves
//! - [`validate`]: checks of a plan
//! - [`volumes`]: what a query moves, as its engine counted it

pub mod amount;
pub mod application;
pub mod before_run;
pub mod cpu_only;
pub mod estimated;
pub mod fill;
pub mod graph;
pub mod grow;
pub mod kind;
pub mod measured;
pub mod measured_run;
pub mod native;
pub mod node;
mod numbers;
pub mod operation;
pub mod settings;
pub mod stored;
pub mod validate;
pub mod volumes;

use serde::{Deserialize, Serialize};

pub use amount::{Amount, Origin, Rule};
pub use application::Application;
pub use before_run::before_run;
pub use cpu_only::CpuOnly;
pub use crossover_quantity::balance::{Balance, BalanceOf, Unaccounted};
pub use estimated::EstimatedVolumes;
pub use fill::fill;
pub use graph::{Edge, Graph};
pub use grow::{Grown, TableSizes, grow, scale};
pub use kind::Kind;
pub use measured::measured_seconds_per_100mb;
pub use measured_run::StageRun;
pub use native::NativeEngine;
pub use node::{Metric, Node, RowColumn, Scope, Source, StoredValues, Time};
pub use numbers::Numbers;
pub use operation::{AggregateStep, JoinMethod, JoinRows, JoinSide, Operation, Partitioning};
pub use settings::SparkSettings;
pub use stored::{StoredColumn, StoredTables, TableFiles, over_files};
pub use volumes::Volumes;

/// A query plan: nodes in the order in which the engine lists them, each before its inputs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The engine and its version, e.g. "Spark 3.1.1".
    pub engine: String,
    /// Name of the file that it was read from.
    pub file: String,
    /// Id of the query in the engine, e.g. Spark's execution id.
    #[serde(default)]
    pub query: String,
    /// The query in words or in SQL.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// From start to end, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    /// Stages of the run, in the order of their starts; empty if the engine does not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRun>,
    /// Totals of the file, and how much of them the operators have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub balances: Vec<Balance>,
    /// Settings of Spark in the file that a trial of another engine starts from.
    #[serde(default, skip_serializing_if = "SparkSettings::is_empty")]
    pub settings: SparkSettings,
    /// Operators and wrappers; a node's id is its place here. The first one is the root.
    pub nodes: Vec<Node>,
    /// What the query moves over more data than in its run, whose counts the nodes no longer have; `None`: as they count.
    #[serde(skip)]
    pub volumes: Option<Volumes>,
}

impl Plan {
    /// Whether Spark made it, also where another engine ran it ("Gluten 1.4.0 (Velox) on Spark 3.5.1"). Spark is row-based on
    /// CPUs and moves single operators to GPUs by a plugin.
    #[must_use]
    pub fn is_of_spark(&self) -> bool {
        self.engine.split_whitespace().any(|word| matches!(word, "Spark" | "Databricks"))
    }

    /// The engine that ran it instead of Spark.
    #[must_use]
    pub fn native_engine(&self) -> Option<NativeEngine> {
        if self.is_of_spark() { NativeEngine::of(&self.engine) } else { None }
    }

    /// Ids of the nodes that count and that no other node reads: the result, and times without an operator.
    pub(crate) fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        let apart = self.nodes.iter().enumerate().skip(1).filter(|(_, node)| node.is_without_operator());
        // The result comes last.
        apart.map(|(id, _)| id).chain((!self.nodes.is_empty()).then_some(0))
    }

    /// Why no time in another engine can be predicted from it: it ran on GPUs, or too much of its time belongs to no operator.
    #[must_use]
    pub fn why_not_judged(&self) -> Option<String> {
        if self.nodes.iter().any(|node| node.ran_on_gpu) {
            return Some("the query ran on GPUs already".to_owned());
        }
        self.why_unaccounted()
    }

    /// Largest share of a time that predictions start from and that belongs to no operator, 0 … 1; 0 if that rounds to 0 %.
    #[must_use]
    pub fn unaccounted_share(&self) -> f64 {
        let times = self.balances.iter().filter(|balance| balance.quantity.is_predicted_from());
        times.filter(|balance| balance.is_mentioned()).map(Balance::share).fold(0.0, f64::max)
    }

    /// Why the times of its operators say nothing about the query: too much of its time belongs to none of them.
    #[must_use]
    pub fn why_unaccounted(&self) -> Option<String> {
        self.balances.iter().find(|balance| !balance.is_judged()).and_then(Balance::clause)
    }
}
