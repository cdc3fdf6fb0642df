//! What makes a placement study invalid, field by field.

use super::parameter::Field;
use super::study::{Placement, Query};
use crate::invalid::{Invalid, names, sources, unknown};
use crate::plan;

/// How many times faster a class may be on a GPU: the reach of M and a thousandfold loss.
const SCORES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

/// The first thing that is wrong with a study.
///
/// # Errors
/// A value that is not finite or out of range, an empty list, a name that is empty or used twice, a
/// chosen network that does not exist, a provenance for a field that does not exist or with an interval
/// that is none.
pub fn validate(study: &Placement) -> Result<(), Invalid> {
    // First: the operators of an imported study are made of its plan.
    if let Some(query) = &study.query {
        self::query(query)?;
    }
    names("networks", study.networks.iter().map(|network| network.name.as_str()))?;
    names("operators", study.operators.iter().map(|operator| operator.name.as_str()))?;
    for field in Field::all(study) {
        let info = field.parameter.info();
        if let Some(problem) = field.value(study).and_then(|value| info.problem(value)) {
            return Err(Invalid { path: field.path(study), problem });
        }
    }
    if !study.networks.iter().any(|network| network.name == study.policy.network) {
        let known = study.networks.iter().map(|network| network.name.as_str());
        return Err(unknown("policy.network", "network", &study.policy.network, known));
    }
    kinds(study)?;
    if study.sources.is_empty() {
        return Ok(());
    }
    sources(&study.sources, &Field::all(study).map(|field| field.path(study)).collect())
}

/// Every kind of the query's operators has its costs in one place.
fn kinds(study: &Placement) -> Result<(), Invalid> {
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
fn query(query: &Query) -> Result<(), Invalid> {
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
