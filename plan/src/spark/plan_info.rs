//! Reads `sparkPlanInfo`, the tree of a plan, however deep it is.

use serde::Deserialize;

use crossover_query::validate::MOST_NODES;

use super::json::{Json, Malformed};
use super::raw::{RawMetric, RawNode};

/// Most metrics of one node, a hundred times those of Spark's busiest operators.
const MOST_METRICS: usize = 10_000;

/// One metric of a node as the log names it.
#[derive(Deserialize)]
struct MetricInfo {
    #[serde(default)]
    name: String,
    #[serde(rename = "accumulatorId")]
    accumulator: i64,
    #[serde(rename = "metricType", default)]
    metric_type: String,
}

/// The nodes of a plan in preorder, without totals and stages.
///
/// # Errors
/// The text is not a plan, or it has more nodes or metrics than a plan can have.
pub(super) fn nodes(json: &mut Json<'_>) -> Result<Vec<RawNode>, Malformed> {
    let mut nodes: Vec<RawNode> = Vec::new();
    // Nodes from the root down to the one that is being read: plans are deep, the stack is not.
    let mut open: Vec<usize> = Vec::new();
    loop {
        // Here begins a node.
        json.expect(b'{')?;
        let id = nodes.len();
        if id == MOST_NODES {
            return Err(Malformed);
        }
        if let Some(parent) = open.last() {
            nodes[*parent].children.push(id);
        }
        nodes.push(RawNode { depth: open.len(), ..RawNode::default() });
        open.push(id);
        let mut in_fields = !json.takes(b'}');
        // Its fields, and after its last child those of the nodes above it.
        loop {
            if in_fields && fields(json, &mut nodes[open[open.len() - 1]])? {
                break;
            }
            open.pop();
            if open.is_empty() {
                return Ok(nodes);
            }
            if json.more(b']')? {
                break;
            }
            in_fields = json.more(b'}')?;
        }
    }
}

/// Reads fields of a node up to its first child (true) or its end (false).
fn fields(json: &mut Json<'_>, node: &mut RawNode) -> Result<bool, Malformed> {
    loop {
        match json.name()?.as_ref() {
            b"nodeName" => node.name = json.value()?,
            b"simpleString" => node.simple_string = json.value()?,
            b"metadata" => node.metadata = json.value()?,
            b"metrics" => {
                let metrics: Vec<MetricInfo> = json.value()?;
                if metrics.len() > MOST_METRICS {
                    return Err(Malformed);
                }
                node.metrics = metrics.into_iter().map(MetricInfo::into_raw).collect();
            }
            b"children" => {
                json.expect(b'[')?;
                if !json.takes(b']') {
                    return Ok(true);
                }
            }
            _ => _ = json.skip()?,
        }
        if !json.more(b'}')? {
            return Ok(false);
        }
    }
}

impl MetricInfo {
    fn into_raw(self) -> RawMetric {
        let Self { name, accumulator, metric_type } = self;
        RawMetric { name, metric_type, accumulator, total: None }
    }
}
