//! The side of every operator with its confidence, in a small document for other programs.

use crossover_placement::whole::{Decided, Whole};
use crossover_placement::{Placement, Query};
use crossover_plan::decide::decision;
use crossover_query::{Numbers, Origin};
use serde::Serialize;

use super::{Totals, key, node, setting};
use crate::decided::{DecisionRecord, engine_titles};
use crate::json;

/// The placement of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Decisions<'a> {
    /// Name of the scenario.
    scenario: &'a str,
    /// Machines, network and compression.
    cluster: String,
    engine: &'a str,
    file: &'a str,
    query: &'a str,
    /// What should run it, by whole engines; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionRecord>,
    /// Engines and machines of the times, today's first; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_engines: Option<[String; 2]>,
    totals: Totals,
    /// Every operator that works, inputs first.
    operators: Vec<Decision<'a>>,
}

/// The placement of one operator.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Decision<'a> {
    /// Place in the engine's plan.
    id: usize,
    /// Its number on the SQL page of Spark and its history server.
    spark_ui_id: Option<u64>,
    name: &'a str,
    class: Option<&'a str>,
    placement: &'static str,
    /// Why it could not be anywhere else, if so.
    fixed: Option<&'static str>,
    seconds: f64,
    reason: String,
    /// "reported", "derived" or "estimated": the weakest origin of its rows and bytes.
    confidence: &'static str,
}

impl<'a> Decision<'a> {
    fn new(query: &'a Query, whole: &Whole, decided: &'a Decided) -> Self {
        let node = &query.plan.nodes[decided.node];
        Self {
            id: decided.node,
            spark_ui_id: node.spark_ui_id,
            name: &node.name,
            class: node.class.as_deref(),
            placement: key(decided.side),
            fixed: decided.fixed.as_ref().map(node::fixed),
            seconds: decided.breakdown().total(),
            reason: decided.reason.to_string(),
            confidence: confidence(&whole.numbers[decided.node]),
        }
    }
}

/// The document; `whole` is the decision in the engines of `shown`.
pub(super) fn json_of(scenario: &str, study: &Placement, shown: &Placement, query: &Query, whole: &Whole) -> String {
    json(&Decisions {
        scenario,
        cluster: setting(study, whole.variant),
        engine: &query.plan.engine,
        file: &query.plan.file,
        query: &query.plan.query,
        decision: decision(study).map(DecisionRecord::new),
        operator_engines: shown.engines.as_deref().map(engine_titles),
        totals: Totals::new(whole),
        operators: whole.operators.iter().map(|decided| Decision::new(query, whole, decided)).collect(),
    })
}

/// The weakest origin of the numbers that a placement rests on.
fn confidence(numbers: &Numbers) -> &'static str {
    let origins = [numbers.rows_out, numbers.bytes_in, numbers.bytes_out].map(|figure| figure.origin);
    let weakest = origins.into_iter().max_by_key(|origin| match origin {
        Origin::Reported => 0,
        Origin::Derived(_) => 1,
        Origin::Estimated(_) => 2,
    });
    weakest.map_or("reported", Origin::kind)
}
