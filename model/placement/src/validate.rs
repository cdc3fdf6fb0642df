//! What makes a placement study invalid beyond what its description says: its query, and costs that stand twice.

use super::study::{Placement, Query};
use crossover_quantity::invalid::Invalid;
use crossover_query as plan;

/// How many times faster a class may be on a GPU: the reach of M and a thousandfold loss.
const SCORES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

/// Every kind of the query's operators has its costs in one place.
pub(super) fn kinds(study: &Placement) -> Result<(), Invalid> {
    for (index, operator) in study.operators.iter().enumerate() {
        let same = |other: &&super::Operator| other.kind.is_some() && other.kind == operator.kind;
        if let Some(other) = study.operators[..index].iter().find(same) {
            let problem = format!("“{}” has the costs of this kind already", other.name);
            return Err(Invalid { path: format!("operators.{}.kind", operator.name), problem });
        }
    }
    Ok(())
}

/// Checks that a node of a plan exists.
pub(crate) fn node_exists(query: &Query, id: usize) -> Result<(), Invalid> {
    let last = query.plan.nodes.len().saturating_sub(1);
    let problem = || match last {
        0 => format!("there is no node {id}; the plan has node 0 only"),
        last => format!("there is no node {id}; the plan has nodes 0 … {last}"),
    };
    if id <= last { Ok(()) } else { Err(Invalid { path: format!("query.pins.{id}"), problem: problem() }) }
}

/// A plan that can be placed, pins of nodes that exist, scores within reach.
pub(super) fn query(query: &Query) -> Result<(), Invalid> {
    plan::validate::validate(&query.plan, "query.plan")?;
    for id in query.pins.keys() {
        node_exists(query, *id)?;
    }
    for (class, score) in &query.scores {
        if !SCORES.contains(score) {
            let problem = format!("{score} is out of range; allowed: 0.001 … 1,000,000");
            return Err(Invalid { path: format!("query.scores.{class}"), problem });
        }
    }
    Ok(())
}
