//! PostgreSQL's plan nodes as nodes of a plan: totals over all loops.
//!
//! ```text
//! rows        Actual Rows · Actual Loops                     without ANALYZE: Plan Rows · expected loops
//! time        Actual Total Time · Actual Loops               with everything below
//! bytes read  blocks · 8 KiB of a sequential scan, from the cache or not; else rows read · Plan Width
//! ```
//! Loops count processes too: below a `Gather` rows and times are totals over its workers and the leader.

use crossover_query::{Amount, Kind, Metric, Node, Rule, Scope, Time};
use serde_json::Value;

use super::kind::{LOOPS, kind, reads_sequentially};
use super::{links, own_time, stays};
use crate::outline::{LARGEST, Outline, name_of};

/// Bytes of a block, unless PostgreSQL was built otherwise.
const BLOCK_BYTES: f64 = 8192.0;
/// What the leader of a parallel plan works less for each of its workers: `get_parallel_divisor` of `costsize.c`.
const LEADER_BUSY_PER_WORKER: f64 = 0.3;
/// Counters of a node, with their units. Rows and times are per loop, blocks are totals.
const METRICS: [(&str, &str); 14] = [
    ("Actual Rows", "rows per loop"),
    (LOOPS, "loops"),
    ("Actual Total Time", "ms per loop"),
    ("Plan Rows", "rows"),
    ("Plan Width", "bytes"),
    ("Rows Removed by Filter", "rows per loop"),
    ("Rows Removed by Index Recheck", "rows per loop"),
    ("Rows Removed by Join Filter", "rows per loop"),
    ("Shared Hit Blocks", "blocks"),
    ("Shared Read Blocks", "blocks"),
    ("Temp Read Blocks", "blocks"),
    ("Temp Written Blocks", "blocks"),
    ("Workers Planned", "processes"),
    ("Workers Launched", "processes"),
];
/// Fields that describe a node, in the order of PostgreSQL's text output.
const DETAILS: [&str; 21] = [
    "Operation",
    "Relation Name",
    "Alias",
    "Index Name",
    "CTE Name",
    "Function Name",
    "Subplan Name",
    "Join Type",
    "Strategy",
    "Partial Mode",
    "Command",
    "Hash Cond",
    "Merge Cond",
    "Index Cond",
    "Recheck Cond",
    "Join Filter",
    "One-Time Filter",
    "Filter",
    "Sort Key",
    "Presorted Key",
    "Group Key",
];

/// The nodes of a plan, by id.
///
/// # Errors
/// A node has no type, or an invalid number; the message names the field.
pub(super) fn nodes(outline: &Outline<'_>, _sql: Option<&str>) -> Result<Vec<Node>, String> {
    let inputs = links::inputs(outline);
    let expected = expected_loops(outline)?;
    let mut nodes = Vec::with_capacity(inputs.len());
    for (id, inputs) in inputs.into_iter().enumerate() {
        nodes.push(node(outline, id, inputs, expected[id])?);
    }
    stays::mark(outline, &mut nodes);
    own_time::set(outline, &mut nodes);
    Ok(nodes)
}

fn node(outline: &Outline<'_>, id: usize, inputs: Vec<usize>, expected_loops: f64) -> Result<Node, String> {
    let name = node_type(outline, id)?;
    let has_filter = outline.operators[id].fields.contains_key("Filter");
    let mut node = Node::new(name, kind(name, has_filter, !outline.operators[id].children.is_empty()));
    node.inputs = inputs;
    if name == "CTE Scan" && node.inputs.is_empty() {
        node.kind = Kind::Values; // What it reads is not in the file.
    }
    node.detail = detail(outline, id);
    for (name, unit) in METRICS {
        if let Some(total) = outline.number(id, &[name])? {
            node.metrics.push(Metric { name: name.to_owned(), unit: unit.to_owned(), total: Some(total) });
        }
    }

    // Below, every number has been checked.
    let loops = node.metric(LOOPS);
    let over_all_loops = |per_loop: f64| loops.map(|loops| (per_loop * loops).min(LARGEST));
    let counted = node.metric("Actual Rows").and_then(over_all_loops);
    let planned = node.metric("Plan Rows").map(|rows| (rows * expected_loops).round().min(LARGEST));
    node.rows_out = counted.map(Amount::reported).or(planned.map(|rows| Amount::estimated(rows, Rule::Planner)));
    let width = node.metric("Plan Width").filter(|_| has_rows_of_its_own(name));
    node.row_width = width.map(|width| Amount::estimated(width, Rule::Planner));
    if let Some(per_loop) = node.metric("Actual Total Time")
        && let Some(milliseconds) = over_all_loops(per_loop)
    {
        node.time = Some(Time { seconds: milliseconds / 1e3, scope: Scope::Inclusive });
    }
    if node.kind == Kind::Scan {
        let removed: f64 = ["Rows Removed by Filter", "Rows Removed by Index Recheck"]
            .iter()
            .filter_map(|name| node.metric(name))
            .sum();
        node.rows_in = match (counted, over_all_loops(removed)) {
            (Some(given), Some(removed)) => Some(Amount::reported((given + removed).min(LARGEST))),
            _ => node.rows_out,
        };
        let blocks = node.metric("Shared Hit Blocks").zip(node.metric("Shared Read Blocks"));
        let blocks = blocks.filter(|_| reads_sequentially(name) && node.inputs.is_empty());
        node.bytes_in = match (blocks, node.rows_in, node.row_width) {
            (Some((hit, read)), ..) => Some(Amount::reported(((hit + read) * BLOCK_BYTES).min(LARGEST))),
            (None, Some(rows), Some(width)) => {
                Some(Amount::estimated((rows.value * width.value).min(LARGEST), Rule::RowsTimesWidth))
            }
            _ => None,
        };
    }
    Ok(node)
}

fn node_type<'a>(outline: &Outline<'a>, id: usize) -> Result<&'a str, String> {
    match outline.operators[id].fields.get("Node Type") {
        Some(Value::String(name)) if !name.is_empty() => Ok(name),
        Some(other) => Err(format!("{}.Node Type is {}; expected a name", outline.place(id), name_of(other))),
        None => Err(format!("{} has no “Node Type”", outline.place(id))),
    }
}

/// Whether the planner's row width is that of rows that the node gives: bitmaps have none, and a write without
/// RETURNING gives none.
fn has_rows_of_its_own(node_type: &str) -> bool {
    !matches!(node_type, "Bitmap Index Scan" | "BitmapAnd" | "BitmapOr" | "ModifyTable")
}

/// How often the planner expects each node to run, where its rows are those of one run: the inner side of a nested loop
/// runs for every outer row, and all below a gather in every process. The number of runs of a subplan is unknown, so it counts
/// once.
fn expected_loops(outline: &Outline<'_>) -> Result<Vec<f64>, String> {
    let mut loops = vec![1.0_f64; outline.operators.len()];
    for id in 1..loops.len() {
        let Some(parent) = outline.operators[id].parent else { continue };
        let relationship = outline.text(id, &["Parent Relationship"]);
        if relationship == Some("InitPlan") {
            continue;
        }
        let by_parent = match node_type(outline, parent)? {
            "Gather" | "Gather Merge" => processes(outline.number(parent, &["Workers Planned"])?.unwrap_or(0.0)),
            "Nested Loop" if relationship == Some("Inner") && node_type(outline, id)? != "Materialize" => {
                let outer = outline.operators[parent].children.iter().find(|child| **child != id);
                let rows = outer.map_or(Ok(None), |outer| outline.number(*outer, &["Plan Rows"]))?;
                rows.unwrap_or(1.0).max(1.0)
            }
            _ => 1.0,
        };
        loops[id] = (loops[parent] * by_parent).min(LARGEST);
    }
    Ok(loops)
}

/// Workers that a gather started, else those that it plans to start.
pub(super) fn workers(node: &Node) -> Option<f64> {
    node.metric("Workers Launched").or_else(|| node.metric("Workers Planned"))
}

/// Processes that share the rows of a parallel plan, as the planner divides them.
fn processes(workers: f64) -> f64 {
    workers + (1.0 - LEADER_BUSY_PER_WORKER * workers).max(0.0)
}

fn detail(outline: &Outline<'_>, id: usize) -> String {
    let fields = outline.operators[id].fields;
    let part = |key: &&str| {
        let words = match fields.get(*key)? {
            Value::String(text) => text.clone(),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(", "),
            _ => return None,
        };
        Some(format!("{key}: {words}"))
    };
    DETAILS.iter().filter_map(part).collect::<Vec<String>>().join("; ")
}
