//! Which stages every operator ran in, also those without a metric.
//!
//! Operators between two exchanges run in the same stage. So an operator that reported nothing ran where the others
//! between the same exchanges did, else where the exchange above them was written or the one below them was read.

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::{Kind, Node};

use super::raw::RawStage;

/// Stages of each node among those that the query ran, ascending. Wrappers and repeated parts have none.
pub(super) fn pipelines(nodes: &[Node], ran: &BTreeMap<u64, &RawStage>) -> Vec<Vec<u64>> {
    let reported = |id: usize| nodes[id].stages.iter().copied().filter(|stage| ran.contains_key(stage));
    let pipeline_of = pipeline_of(nodes);
    let count = pipeline_of.iter().flatten().max().map_or(0, |last| last + 1);
    let mut own: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); count];
    let mut nearby: Vec<BTreeSet<u64>> = vec![BTreeSet::new(); count];
    for (id, pipeline) in pipeline_of.iter().enumerate() {
        if let Some(pipeline) = pipeline {
            own[*pipeline].extend(reported(id));
        }
    }
    for (id, node) in nodes.iter().enumerate() {
        for input in &node.inputs {
            match (pipeline_of[id], pipeline_of[*input]) {
                // Written by what stands below the exchange, in the first of its stages.
                (None, Some(below)) if moves_by_shuffle(node) => nearby[below].extend(reported(id).min()),
                // Read by what stands above it, after that.
                (Some(above), None) if moves_by_shuffle(&nodes[*input]) && nearby[above].is_empty() => {
                    nearby[above].extend(reported(*input).max());
                }
                _ => {}
            }
        }
    }
    (0..nodes.len())
        .map(|id| {
            if nodes[id].kind == Kind::Wrapper || nodes[id].reuses.is_some() {
                return Vec::new();
            }
            let stages: Vec<u64> = reported(id).collect();
            match pipeline_of[id] {
                Some(pipeline) if stages.is_empty() => {
                    let found = if own[pipeline].is_empty() { &nearby[pipeline] } else { &own[pipeline] };
                    found.iter().copied().collect()
                }
                _ => stages,
            }
        })
        .collect()
}

/// The pipeline of each node; an exchange separates two.
fn pipeline_of(nodes: &[Node]) -> Vec<Option<usize>> {
    let mut above: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut pipelines: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut count = 0;
    for (id, node) in nodes.iter().enumerate() {
        if !node.kind.is_exchange() && node.reuses.is_none() {
            // A subquery runs before the query that asks it.
            let joined = above[id].filter(|_| !node.name.contains("Subquery"));
            pipelines[id] = Some(joined.unwrap_or_else(|| {
                count += 1;
                count - 1
            }));
        }
        for input in &node.inputs {
            above[*input] = pipelines[id];
        }
    }
    pipelines
}

fn moves_by_shuffle(node: &Node) -> bool {
    matches!(node.kind, Kind::Shuffle | Kind::Gather) && node.reuses.is_none()
}
