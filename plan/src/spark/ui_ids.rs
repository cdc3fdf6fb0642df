//! The numbers that Spark's own SQL page gives to the nodes of a plan, so that people find a node in their history
//! server.
//!
//! The page counts in the order of the plan, as here, but leaves out what it does not draw: `InputAdapter`, the stages
//! of adaptive execution, and whatever it has drawn already, an exchange or a subquery that is used again
//! (`SparkPlanGraph.buildSparkPlanGraphNode` of Spark 4; older versions lack some of these nodes, and count the same
//! way). Two parts of a plan are the same to Spark if their names, texts and children are.

use std::collections::BTreeMap;

use super::raw::RawNode;
use super::reuse::ends;

/// Nodes that the page does not draw: it draws the one below.
const NOT_DRAWN: [&str; 6] = [
    "InputAdapter",
    "BroadcastQueryStage",
    "ShuffleQueryStage",
    "TableCacheQueryStage",
    "ResultQueryStage",
    "ReusedSubquery",
];

/// The number of every node on Spark's SQL page; `None` for those that it does not draw. Where it draws a part of the
/// plan once that is used again, the repetition has the numbers of the first.
pub(super) fn ui_ids(nodes: &[RawNode]) -> Vec<Option<u64>> {
    let contents = contents(nodes);
    let ends = ends(nodes);
    let mut ids: Vec<Option<u64>> = Vec::with_capacity(nodes.len());
    // Exchanges and subqueries that are drawn, by content.
    let mut drawn: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next = 0;
    while let Some(node) = nodes.get(ids.len()) {
        let (id, name) = (ids.len(), node.name.as_str());
        let below = node.children.first().copied();
        let again = match name {
            "Subquery" => Some(id),
            "BroadcastQueryStage" | "ShuffleQueryStage" | "ReusedExchange" => below,
            _ => None,
        };
        if let Some((again, first)) = again.and_then(|again| Some((again, *drawn.get(&contents[again])?))) {
            if again > id {
                // A reused exchange is drawn as the exchange, a stage not at all.
                ids.push(ids[first].filter(|_| name == "ReusedExchange"));
            }
            for repetition in again..ends[again] {
                ids.push(ids[repetition - again + first]);
            }
        } else if NOT_DRAWN.contains(&name) && below.is_some() {
            ids.push(None);
        } else {
            if name.contains("Exchange") || name == "Subquery" {
                drawn.insert(contents[id], id);
            }
            ids.push(Some(next));
            next += 1;
        }
    }
    ids
}

/// A number for every node with everything below it: the same number means the same content.
fn contents(nodes: &[RawNode]) -> Vec<usize> {
    let mut known: BTreeMap<(&str, &str, Vec<usize>), usize> = BTreeMap::new();
    let mut contents = vec![0; nodes.len()];
    for (id, node) in nodes.iter().enumerate().rev() {
        let below = node.children.iter().map(|child| contents[*child]).collect();
        let count = known.len();
        contents[id] = *known.entry((node.name.as_str(), node.simple_string.as_str(), below)).or_insert(count);
    }
    contents
}
