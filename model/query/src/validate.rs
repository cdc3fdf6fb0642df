//! Checks of a plan.

use super::Plan;
use super::amount::{Amount, LARGEST};
use super::graph::order;
use super::node::Node;
use crossover_quantity::invalid::Invalid;

/// Most nodes of a plan, a hundred times those of the largest known queries.
pub const MOST_NODES: usize = 100_000;

/// Checks a plan and returns the first error. `path` is its path in a study.
///
/// # Errors
/// No nodes, none that works, an input that does not exist or precedes its reader, a node that depends on its own result, or a
/// number that is not finite, negative or beyond 10¹⁸.
pub fn validate(plan: &Plan, path: &str) -> Result<(), Invalid> {
    if plan.nodes.is_empty() {
        let problem = "the plan is empty; at least one operator is needed".to_owned();
        return Err(Invalid { path: format!("{path}.nodes"), problem });
    }
    validate_or_empty(plan, path)
}

/// The same for a plan that may have no nodes, as that of a command.
///
/// # Errors
/// As [`validate`].
pub(crate) fn validate_or_empty(plan: &Plan, path: &str) -> Result<(), Invalid> {
    let invalid = |path: String, problem: String| Err(Invalid { path, problem });
    let count = plan.nodes.len();
    if count > MOST_NODES {
        return invalid(format!("{path}.nodes"), format!("the plan has {count} nodes; allowed: up to {MOST_NODES}"));
    }
    for (id, node) in plan.nodes.iter().enumerate() {
        if let Some(input) = node.inputs.iter().find(|input| **input <= id || **input >= count) {
            let allowed = match count - 1 {
                last if last == id => "; it is the last node, which cannot have inputs".to_owned(),
                last => format!("; allowed: ids from {} to {last}", id + 1),
            };
            let problem = format!("node {id} reads from {input}{allowed}");
            return invalid(format!("{path}.nodes.{id}.inputs"), problem);
        }
        if let Some(other) = node.reuses.filter(|other| *other == id || *other >= count) {
            let problem = format!("node {id} repeats {other}; allowed: ids of other nodes from 0 to {}", count - 1);
            return invalid(format!("{path}.nodes.{id}.reuses"), problem);
        }
        for (field, figure) in figures(node) {
            if let Some(problem) = figure.and_then(|figure| problem(figure.value)) {
                return invalid(format!("{path}.nodes.{id}.{field}"), problem);
            }
        }
        if let Some(problem) = node.time.and_then(|time| problem(time.seconds)) {
            return invalid(format!("{path}.nodes.{id}.time"), problem);
        }
        if let Some(metric) = node.metrics.iter().find(|metric| metric.total.is_some_and(|total| !total.is_finite())) {
            let problem = format!("“{}” is not a finite number", metric.name);
            return invalid(format!("{path}.nodes.{id}.metrics"), problem);
        }
        for column in &node.row_columns {
            let [different, changes] = [column.stored.map(|of| of.different), column.stored.map(|of| of.changes)];
            if let Some(problem) = [column.text_bytes, different, changes].into_iter().flatten().find_map(problem) {
                return invalid(format!("{path}.nodes.{id}.row_columns"), problem);
            }
        }
    }
    if let Some(problem) = plan.duration_seconds.and_then(problem) {
        return invalid(format!("{path}.duration_seconds"), problem);
    }
    if plan.stages.len() > MOST_NODES {
        let problem = format!("the plan has {} stages; allowed: up to {MOST_NODES}", plan.stages.len());
        return invalid(format!("{path}.stages"), problem);
    }
    for (place, stage) in plan.stages.iter().enumerate() {
        for (field, value) in stage.numbers() {
            if let Some(problem) = problem(value) {
                return invalid(format!("{path}.stages.{place}.{field}"), problem);
            }
        }
        if stage.end < stage.start {
            let problem = format!("the stage ends at {} s, before it starts at {} s", stage.end, stage.start);
            return invalid(format!("{path}.stages.{place}.end"), problem);
        }
    }
    for (place, balance) in plan.balances.iter().enumerate() {
        let amounts = balance.unaccounted.iter().map(|part| ("unaccounted", part.amount));
        for (field, value) in [("total", balance.total), ("accounted", balance.accounted)].into_iter().chain(amounts) {
            if let Some(problem) = problem(value) {
                return invalid(format!("{path}.balances.{place}.{field}"), problem);
            }
        }
    }
    if let Err(id) = order(plan, 0..count) {
        return invalid(format!("{path}.nodes.{id}"), "the node depends on its own result".to_owned());
    }
    let needed = order(plan, plan.roots()).unwrap_or_default();
    if count > 0 && !needed.iter().any(|id| plan.nodes[*id].works()) {
        let problem = "the plan has wrappers only; at least one operator that works is needed";
        return invalid(format!("{path}.nodes"), problem.to_owned());
    }
    Ok(())
}

fn figures(node: &Node) -> [(&'static str, Option<Amount>); 8] {
    [
        ("rows_in", node.rows_in),
        ("rows_out", node.rows_out),
        ("bytes_in", node.bytes_in),
        ("bytes_out", node.bytes_out),
        ("row_width", node.row_width),
        ("spark_row_bytes", node.spark_row_bytes),
        ("wire_bytes", node.wire_bytes),
        ("cpu_seconds", node.cpu_seconds),
    ]
}

/// Why a number of a plan cannot be; `None` if it can.
pub(crate) fn problem(value: f64) -> Option<String> {
    (!(0.0..=LARGEST).contains(&value)).then(|| format!("{value} is out of range; allowed: 0 … 1e18"))
}
