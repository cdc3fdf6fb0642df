//! Parts of a plan that Spark shows more than once: reused exchanges and subqueries, and cached tables.
//!
//! Spark repeats the whole part below `ReusedExchange` with the accumulators of the first one, so a node with the
//! accumulators of an earlier node is that node again.

use std::collections::BTreeMap;

use super::raw::RawNode;

/// For each node the earlier node whose result it is again. The target never repeats another node itself, and is
/// never above the node that repeats it, so no node needs its own result.
#[must_use]
pub fn reuse(nodes: &[RawNode]) -> Vec<Option<usize>> {
    let ends = ends(nodes);
    let mut parents = vec![None; nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        for child in &node.children {
            parents[*child] = Some(id);
        }
    }
    let mut first: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reuses: Vec<Option<usize>> = vec![None; nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        let mut accumulators: Vec<i64> = node.metrics.iter().map(|metric| metric.accumulator).collect();
        accumulators.sort_unstable();
        let above = parents[id].and_then(|parent| Some((parent, reuses[parent]?)));
        let known = if accumulators.is_empty() { None } else { first.get(&accumulators).copied() };
        let by_text =
            || if node.children.is_empty() { named(node).and_then(|text| texts.get(text)).copied() } else { None };
        let found = known
            // Without metrics that are known: the same place below the node that its parent repeats, or that node.
            .or_else(|| above.map(|(parent, target)| beside(nodes, parent, target, id)))
            .or_else(by_text)
            .filter(|target| *target < id && ends[*target] <= id);
        reuses[id] = found.map(|target| reuses[target].unwrap_or(target));
        if reuses[id].is_none() && !accumulators.is_empty() {
            first.entry(accumulators).or_insert(id);
        }
        if reuses[id].is_none() {
            texts.entry(node.simple_string.trim()).or_insert(id);
        }
    }
    reuses
}

/// For each node the first id that is not below it: plans are in preorder.
pub(super) fn ends(nodes: &[RawNode]) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=nodes.len()).collect();
    for id in (0..nodes.len()).rev() {
        for child in &nodes[id].children {
            ends[id] = ends[id].max(ends[*child]);
        }
    }
    ends
}

/// The child of `target` in the place that `id` has below `parent`; `target` itself if it has no such child.
fn beside(nodes: &[RawNode], parent: usize, target: usize, id: usize) -> usize {
    let place = nodes[parent].children.iter().position(|child| *child == id);
    place.and_then(|place| nodes[target].children.get(place)).copied().unwrap_or(target)
}

/// The text of the part that a node without children repeats: `ReusedExchange [a#1], Exchange …, [plan_id=78]`,
/// `ReusedSubquery Subquery …`.
fn named(node: &RawNode) -> Option<&str> {
    let text = node.simple_string.trim();
    match node.name.trim() {
        "ReusedExchange" => text.split_once("], ").map(|(_, exchange)| exchange),
        "ReusedSubquery" => text.strip_prefix("ReusedSubquery "),
        _ => None,
    }
}
