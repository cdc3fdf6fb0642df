//! Checks of a placement study beyond those of single fields: its query, and kinds with two costs.

use super::study::{Placement, Query};
use crossover_quantity::invalid::Invalid;
use crossover_query as plan;

/// Allowed scores: the range of M, and down to a thousandfold loss.
const SCORES: std::ops::RangeInclusive<f64> = 0.001..=1e6;

impl Placement {
    /// Checks the application of the query. Nothing edits one, and it may be large: it is checked where a scenario is read, not with each
    /// edit or sample.
    ///
    /// # Errors
    /// The first thing that is wrong, with its path in the study.
    pub fn validate_application(&self) -> Result<(), Invalid> {
        let application = self.query.as_deref().and_then(|query| query.application.as_deref());
        application.map_or(Ok(()), |application| application.validate("query.application"))
    }
}

/// Checks that each kind of the query's operators has costs in one operator only.
pub(super) fn kinds(study: &Placement) -> Result<(), Invalid> {
    for (index, operator) in study.operators.iter().enumerate() {
        let same = |other: &&super::Operator| other.kind.is_some() && other.kind == operator.kind;
        if let Some(other) = study.operators[..index].iter().find(same) {
            let problem =
                format!("“{}” already has the costs of this kind; each kind may have one operator", other.name);
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

/// Checks the plan, that pinned nodes exist, and the range of scores.
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
