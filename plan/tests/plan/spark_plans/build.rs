//! Plans as Spark would have logged them, written by hand.

use std::collections::BTreeMap;

use crossover_plan::spark::derive;
use crossover_plan::spark::raw::{RawMetric, RawNode, RawQuery, RawStage};
use crossover_query::Plan;
use crossover_query::validate::validate;

/// A node `depth` levels below the root, with nothing but its name.
pub(crate) fn node(depth: usize, name: &str) -> RawNode {
    RawNode { name: name.to_owned(), simple_string: name.trim().to_owned(), depth, ..RawNode::default() }
}

/// What a test sets of a node.
pub(crate) trait With {
    /// Its `simpleString`.
    fn text(self, text: &str) -> Self;
    /// Stages that reported it.
    fn stages(self, stages: &[u64]) -> Self;
    /// A metric with its type.
    fn metric(self, name: &str, metric_type: &str, accumulator: i64, total: f64) -> Self;
    /// `number of output rows`.
    fn rows(self, accumulator: i64, rows: f64) -> Self;
}

impl With for RawNode {
    fn text(mut self, text: &str) -> Self {
        text.clone_into(&mut self.simple_string);
        self
    }

    fn stages(mut self, stages: &[u64]) -> Self {
        self.stages = stages.to_vec();
        self
    }

    fn metric(mut self, name: &str, metric_type: &str, accumulator: i64, total: f64) -> Self {
        self.metrics.push(RawMetric {
            name: name.to_owned(),
            metric_type: metric_type.to_owned(),
            accumulator,
            total: Some(total),
        });
        self
    }

    fn rows(self, accumulator: i64, rows: f64) -> Self {
        self.metric("number of output rows", "sum", accumulator, rows)
    }
}

/// A query with these nodes, in preorder by depth, that ran these stages.
pub(crate) fn query(mut nodes: Vec<RawNode>, stages: &[u64]) -> RawQuery {
    let mut above: Vec<usize> = Vec::new();
    for id in 0..nodes.len() {
        above.truncate(nodes[id].depth);
        if let Some(parent) = above.last() {
            nodes[*parent].children.push(id);
        }
        above.push(id);
    }
    let (start_ms, end_ms) = (Some(0), Some(0));
    RawQuery { id: 7, start_ms, end_ms, nodes, stages: stages.to_vec(), ..RawQuery::default() }
}

/// A stage that used CPUs so long and never waited.
pub(crate) fn stage(id: u64, cpu_seconds: f64) -> RawStage {
    RawStage { id, attempts: 1, tasks: 1, cpu_seconds, run_seconds: cpu_seconds, ..RawStage::default() }
}

/// The plan, which must be valid.
pub(crate) fn plan(query: &RawQuery, stages: &[RawStage]) -> Plan {
    let stages: BTreeMap<u64, RawStage> = stages.iter().map(|stage| (stage.id, stage.clone())).collect();
    let plan = derive::plan(query, &stages, "Spark 3.5.1", "log").plan;
    assert_eq!(validate(&plan, "plan").map_err(|invalid| invalid.problem), Ok(()));
    plan
}
