//! One operator of a plan as a record for programs.

use std::collections::{BTreeMap, BTreeSet};

use crossover_placement::Query;
use crossover_placement::whole::{Decided, Fixed, Whole};
use crossover_query::cpu_only::Exclusion;
use crossover_query::{Amount, CpuOnly, Origin, Rule, Scope};
use serde::{Serialize, Serializer};

use super::super::key;
use crate::as_map;

/// One node of a plan: what the engine reported, what follows from it, and where it runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeRecord<'a> {
    /// Its place in the plan as the engine lists it, wrappers included.
    pub id: usize,
    /// Name in the engine.
    pub name: &'a str,
    /// What it does.
    pub kind: &'static str,
    /// Class whose side the engine can be configured with.
    pub class: Option<&'a str>,
    /// Its input, as the engine describes it.
    pub detail: &'a str,
    /// Ids of the nodes whose output it reads.
    pub inputs: &'a [usize],
    /// The node whose result it reuses.
    pub reuses: Option<usize>,
    /// Its number on the SQL page of Spark and its history server, if it is drawn there.
    pub spark_ui_id: Option<u64>,
    /// Stages in which it ran.
    pub stages: &'a [u64],
    /// Totals in the engine's own names and units; absent where never reported.
    #[serde(serialize_with = "as_map")]
    pub metrics: Vec<(String, Option<Number>)>,
    /// Rows read; this and the following are absent where they are estimated, see `estimates`.
    pub rows_in: Option<Number>,
    /// Output rows.
    pub rows_out: Option<Number>,
    /// Bytes read.
    pub bytes_in: Option<Number>,
    /// Output bytes, uncompressed.
    pub bytes_out: Option<Number>,
    /// Bytes of one output row.
    pub row_width: Option<Number>,
    /// Bytes that crossed the network, as the engine compressed them.
    pub wire_bytes: Option<Number>,
    /// Its own CPU time when it was recorded, over all cores, seconds.
    pub core_seconds: Option<f64>,
    /// Where the numbers above come from.
    #[serde(serialize_with = "as_map")]
    pub origins: Vec<(&'static str, String)>,
    /// Estimates of numbers that the engine did not report, by the same names.
    #[serde(serialize_with = "as_map")]
    pub estimates: Vec<(&'static str, Estimate)>,
    /// Time that the engine reported, seconds, and whose it is.
    pub time: Option<Recorded>,
    /// Whether it ran on a GPU when it was recorded.
    pub ran_on_gpu: bool,
    /// "cpu" or "gpu"; absent for what does no work of its own.
    pub placement: Option<&'static str>,
    /// "pinned", "unsupported" or "cpu only" where it could not be anywhere else.
    pub fixed: Option<&'static str>,
    /// GPU engines that do not run it, with version and source; absent where none was looked at.
    #[serde(skip_serializing_if = "<[Exclusion]>::is_empty")]
    pub not_run_by: &'static [Exclusion],
    /// "cpu" or "gpu": its side in the per-operator greedy placement.
    pub greedy_side: Option<&'static str>,
    /// Its time on CPUs by the model, seconds.
    pub cpu_seconds: Option<f64>,
    /// Its time on GPUs by the model, seconds; without the bus between operators.
    pub gpu_seconds: Option<f64>,
    /// Its time where it is placed, seconds.
    pub seconds: Option<f64>,
    /// Why it runs there, in one sentence.
    pub reason: Option<String>,
}

/// An estimate of a number that the engine did not report.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: Number,
    /// The rule of the estimate.
    pub rule: &'static str,
}

/// A time that an engine reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recorded {
    /// Added up over tasks or threads.
    pub seconds: f64,
    /// "exclusive": its own; "inclusive": that of everything it reads from as well.
    pub scope: &'static str,
}

/// A number that is written without a decimal point where it is whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Plans hold no numbers beyond 10¹⁸; whatever else comes is written as it is.
        if self.0.fract() == 0.0 && self.0.abs() <= 1e18 {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and within the range of an i64")]
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'a> NodeRecord<'a> {
    /// The records of all nodes of a plan, by id.
    #[must_use]
    pub fn all(query: &'a Query, whole: &'a Whole) -> Vec<Self> {
        let mut decided: Vec<Option<&Decided>> = vec![None; query.plan.nodes.len()];
        for operator in &whole.operators {
            decided[operator.node] = Some(operator);
        }
        decided.into_iter().enumerate().map(|(id, decided)| Self::new(query, whole, id, decided)).collect()
    }

    fn new(query: &'a Query, whole: &'a Whole, id: usize, decided: Option<&'a Decided>) -> Self {
        let (node, numbers) = (&query.plan.nodes[id], &whole.numbers[id]);
        let figures = [
            ("rows_in", Some(numbers.rows_in)),
            ("rows_out", Some(numbers.rows_out)),
            ("bytes_in", Some(numbers.bytes_in)),
            ("bytes_out", Some(numbers.bytes_out)),
            ("row_width", Some(numbers.row_width)),
            ("wire_bytes", node.wire_bytes),
            ("core_seconds", node.cpu_seconds),
        ];
        let figures = || figures.into_iter().filter_map(|(name, figure)| Some((name, figure?)));
        Self {
            id,
            name: &node.name,
            kind: node.kind.label(),
            class: node.class.as_deref(),
            detail: &node.detail,
            inputs: &node.inputs,
            reuses: node.reuses,
            spark_ui_id: node.spark_ui_id,
            stages: &node.stages,
            metrics: metrics(node.metrics.iter().map(|metric| (metric.name.as_str(), metric.total))),
            rows_in: known(numbers.rows_in),
            rows_out: known(numbers.rows_out),
            bytes_in: known(numbers.bytes_in),
            bytes_out: known(numbers.bytes_out),
            row_width: known(numbers.row_width),
            wire_bytes: node.wire_bytes.and_then(known),
            core_seconds: node.cpu_seconds.and_then(known).map(|seconds| seconds.0),
            origins: figures()
                .filter(|(_, figure)| !figure.is_estimated())
                .map(|(name, figure)| (name, figure.origin.describe()))
                .collect(),
            estimates: figures().filter_map(|(name, figure)| Some((name, estimate(figure)?))).collect(),
            time: node.time.map(|time| Recorded {
                seconds: time.seconds,
                scope: match time.scope {
                    Scope::Exclusive => "exclusive",
                    Scope::Inclusive => "inclusive",
                },
            }),
            ran_on_gpu: node.ran_on_gpu,
            placement: decided.map(|decided| key(decided.side)),
            fixed: decided.and_then(|decided| decided.fixed.as_ref()).map(fixed),
            not_run_by: node.cpu_only.map(CpuOnly::exclusions).unwrap_or_default(),
            greedy_side: decided.map(|decided| key(decided.greedy_side)),
            cpu_seconds: decided.map(|decided| decided.cost.cpu.total()),
            gpu_seconds: decided.map(|decided| decided.cost.gpu.total()),
            seconds: decided.map(|decided| decided.breakdown().total()),
            reason: decided.map(|decided| decided.reason.to_string()),
        }
    }
}

/// The number, unless it is an estimate.
fn known(figure: Amount) -> Option<Number> {
    (!figure.is_estimated()).then_some(Number(figure.value))
}

fn estimate(figure: Amount) -> Option<Estimate> {
    let Origin::Estimated(rule) = figure.origin else { return None };
    Some(Estimate { value: Number(figure.value), rule: Rule::describe(rule) })
}

/// Metrics by name; an engine may use a name twice, an object may not.
fn metrics<'a>(metrics: impl Iterator<Item = (&'a str, Option<f64>)>) -> Vec<(String, Option<Number>)> {
    let mut named: Vec<(String, Option<Number>)> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    // The number at which the search for a free one goes on, by name.
    let mut next: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, total) in metrics {
        let mut free = name.to_owned();
        while !taken.insert(free.clone()) {
            let number = next.entry(name).or_insert(1);
            *number += 1;
            free = format!("{name} ({number})");
        }
        named.push((free, total.map(Number)));
    }
    named
}

/// Why an operator could not be anywhere else, in a word or two.
pub(super) fn fixed(fixed: &Fixed) -> &'static str {
    match fixed {
        Fixed::Pinned => "pinned",
        Fixed::Unsupported(_) => "unsupported",
        Fixed::CpuOnly(_) => "cpu only",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_no_decimal_point() {
        let written = |value: f64| serde_json::to_string(&Number(value)).unwrap();
        assert_eq!(written(34_354_432.0), "34354432");
        assert_eq!(written(9_007_199_254_740_992.0), "9007199254740992");
        assert_eq!(written(-1.0), "-1");
        assert_eq!(written(0.5), "0.5");
    }

    #[test]
    fn a_name_that_an_engine_uses_twice_keeps_both_totals() {
        let named = metrics([("time", Some(1.0)), ("time", None), ("time", Some(3.0))].into_iter());
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["time", "time (2)", "time (3)"]);
    }
}
