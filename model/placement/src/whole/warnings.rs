//! Warnings about the decision for a whole plan.

use std::collections::BTreeSet;

use super::fixed::Fixed;
use super::outcome::{Decided, Whole};
use super::verdict::is_of;
use crate::study::{Overlap, Placement, Query, Side};
use crossover_quantity::text::{counted, counted_of};
use crossover_query::Kind;

/// One sentence for each omission, estimate or unmet pin of the decision.
pub(super) fn warnings(study: &Placement, query: &Query, whole: &Whole) -> Vec<String> {
    let costs = if study.engines.is_some() { None } else { usual_costs(study, query, whole) };
    let general =
        [overlap(study), outside(whole), estimates(whole), costs, scores(query, whole), recorded_on_gpus(query, whole)];
    general
        .into_iter()
        .chain(engines(study, query, whole))
        .flatten()
        .chain(balances(query))
        .chain(pins(query, whole))
        .chain(parted(query, whole))
        .chain(pinned_to_gpu(whole))
        .collect()
}

fn overlap(study: &Placement) -> Option<String> {
    let overlaps = study.policy.overlap != Overlap::Nothing;
    overlaps.then(|| "The times of a whole plan add up; the overlap of the policy does not apply.".to_owned())
}

/// A query or clusters that no measurement reaches.
fn outside(whole: &Whole) -> Option<String> {
    let verdict = whole.verdict.as_ref()?;
    let judged = |why: &String| format!("Outside what was measured: {why}. The time on GPUs cannot be judged.");
    let differs = |why: &String| format!("More than was measured: {why}.");
    verdict.outside.as_ref().map(judged).or_else(|| verdict.difference.as_ref().map(differs))
}

/// Totals of the file that are not those of the operators.
fn balances(query: &Query) -> impl Iterator<Item = String> {
    query.plan.balances.iter().filter_map(|balance| {
        let clause = balance.clause()?;
        let effect = if balance.is_judged() { "" } else { ". So no option can be judged" };
        Some(format!("In this query, {clause}{effect}."))
    })
}

/// Times recorded on GPUs are not CPU times.
fn recorded_on_gpus(query: &Query, whole: &Whole) -> Option<String> {
    let on_gpu = whole.operators.iter().filter(|decided| query.plan.nodes[decided.node].ran_on_gpu).count();
    let all = whole.operators.len();
    (on_gpu > 0).then(|| {
        let operators = counted_of(on_gpu as f64, all as f64, "operator");
        format!("{operators} ran on GPUs when the plan was recorded; their times are not CPU times.")
    })
}

/// Assumptions for a plan of another engine than those of the study.
fn engines(study: &Placement, query: &Query, whole: &Whole) -> [Option<String>; 2] {
    let Some(engines) = &study.engines else { return [None, None] };
    let plan = &query.plan;
    let has_exchange = whole.operators.iter().any(|decided| plan.nodes[decided.node].kind.is_exchange());
    let is_spread = engines.cpu.machines.max(engines.gpu.machines) > 1.0;
    let implied = (is_spread && !has_exchange)
        .then(|| "The plan has no exchanges; the model adds them where Spark and RAPIDS have them.".to_owned());
    let of_other = (!plan.engine.is_empty() && !is_of(plan, &engines.cpu)).then(|| {
        format!(
            "The plan comes from {}; its core-seconds, on the machine that made it, are taken as the work of {}.",
            plan.engine, engines.cpu.name
        )
    });
    [implied, of_other]
}

fn estimates(whole: &Whole) -> Option<String> {
    let is_guess = |decided: &&Decided| {
        let numbers = &whole.numbers[decided.node];
        numbers.rows_out.is_estimated() || numbers.bytes_out.is_estimated()
    };
    let guessed = whole.operators.iter().filter(is_guess).count();
    let all = whole.operators.len();
    (guessed > 0).then(|| {
        let operators = counted_of(guessed as f64, all as f64, "operator");
        format!("In this query, rows or bytes of {operators} are estimated, not reported.")
    })
}

/// Kinds of operators without costs in the study.
fn usual_costs(study: &Placement, query: &Query, whole: &Whole) -> Option<String> {
    let given: BTreeSet<Kind> = study.operators.iter().filter_map(|operator| operator.kind).collect();
    let nodes = whole.operators.iter().map(|decided| &query.plan.nodes[decided.node]);
    let missing: BTreeSet<Kind> = nodes
        .filter(|node| node.cpu_seconds.is_none())
        .map(|node| node.kind)
        .filter(|kind| !given.contains(kind))
        .collect();
    let names: Vec<&str> = missing.into_iter().map(Kind::label).collect();
    (!names.is_empty())
        .then(|| format!("The study has no costs for {}; the default costs of these kinds are used.", names.join(", ")))
}

/// Classes without a score, where scores replace GPU times.
fn scores(query: &Query, whole: &Whole) -> Option<String> {
    let nodes = whole.operators.iter().map(|decided| &query.plan.nodes[decided.node]);
    let missing: BTreeSet<&str> = nodes
        .filter(|node| query.use_scores && query.score(node).is_none())
        .map(|node| node.class.as_deref().unwrap_or(&node.name))
        .collect();
    let names: Vec<&str> = missing.into_iter().collect();
    (!names.is_empty()).then(|| format!("No score for {}; the model's GPU times are used.", names.join(", ")))
}

/// Pins without effect, and pins to a side that cannot run the operator.
fn pins(query: &Query, whole: &Whole) -> impl Iterator<Item = String> {
    query.pins.iter().filter_map(|(id, side)| {
        let node = query.plan.nodes.get(*id)?;
        let name = format!("{} (node {id})", node.name);
        if whole.of_node(*id).is_none() {
            return Some(format!("The pin of {name} has no effect: the node does no work of its own."));
        }
        if *side == Side::Cpu {
            return None;
        }
        if node.class.as_ref().is_some_and(|class| query.unsupported.contains_key(class)) {
            return Some(format!("{name} is pinned to the GPU, but the support list has no GPU version of it."));
        }
        node.why_cpu_only().map(|why| format!("{name} is pinned to the GPU, but {why}."))
    })
}

/// Pins that separate operators which the engine runs on one side.
fn parted(query: &Query, whole: &Whole) -> Option<String> {
    let tie = whole.parted().next()?;
    let name = |place: usize| {
        let id = whole.operators[place].node;
        format!("{} (node {id})", query.plan.nodes[id].name)
    };
    let (from, to, why) = (name(tie.from), name(tie.to), tie.rule.why());
    Some(format!(
        "{from} and {to} are on different sides, which RAPIDS does not support: {why}. Their times are not achievable."
    ))
}

/// Operators that are pinned to GPUs in the baseline with all on CPUs, which is then not a cluster without GPUs.
fn pinned_to_gpu(whole: &Whole) -> Option<String> {
    let is_pinned = |decided: &&Decided| decided.side == Side::Gpu && decided.fixed == Some(Fixed::Pinned);
    match whole.operators.iter().filter(is_pinned).count() {
        0 => None,
        1 => Some("All on CPU keeps the pins: one operator stays on the GPU there too.".to_owned()),
        count => {
            let operators = counted(count as f64, "operator");
            Some(format!("All on CPU keeps the pins: {operators} stay on the GPU there too."))
        }
    }
}
