//! The findings of a placement study for a report.

use anyhow::{Context as _, Result};
use crossover_chart::Chart;
use crossover_export::decision::chart;
use crossover_export::placement::recommendations;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;
use crossover_placement::whole::Whole;
use crossover_placement::{Outcome, Placement, Side};
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;

use super::board::BoardInput;
use super::{Mode, ViewOptions, charts_of};

/// Operators that the answer names.
const NAMED: usize = 4;

pub(super) fn findings(name: &str, study: &Placement) -> Result<Findings> {
    let input = BoardInput { study: study.clone(), look: ViewOptions::default() };
    let board = input.compute(None, &Ticket::default()).context("the placement was cancelled")?;
    let (outcome, whole) = (board.outcome(), board.plan().map(|plan| plan.whole()));
    let recommended = recommendations(name, study, outcome, whole);
    let decision = recommended.decision();
    let answer = match (decision, whole) {
        (Some(decision), _) => decision.sentence(),
        (None, Some(whole)) => of_plan(whole),
        (None, None) => of_workload(study, outcome),
    };
    let of_options = decision.and_then(chart).map(Chart::Lines);
    let charts = charts_of(&board, if whole.is_some() { Mode::Plan } else { Mode::Curves }, &[]);
    let limits: &[&str] = match whole {
        None => &["What the model does not contain"],
        Some(_) if study.engines.is_some() => {
            &["What a decision leaves out", "What whole engines leave out", "What a whole plan leaves out"]
        }
        Some(_) => &["What a whole plan leaves out", "What the model does not contain"],
    };
    Ok(Findings {
        answer,
        charts: of_options.into_iter().chain(charts).collect(),
        outcome: recommended.text_report(),
        warnings: recommended.warnings,
        limits,
    })
}

/// "Over 100 Gb InfiniBand the workload takes 23.02 s instead of 38.42 s on CPUs alone, a speedup of 1.669×. On GPUs: join;
/// on CPUs: filter."
fn of_workload(study: &Placement, outcome: &Outcome) -> String {
    let summary = &outcome.summary;
    let [cpu, placed] = [summary.cpu_seconds, summary.placed_seconds].map(|seconds| Unit::Seconds.format(seconds));
    let network = summary.variant.label(study);
    if summary.on_gpu == 0 {
        return format!("Over {network} no operator goes to a GPU: the workload stays on CPUs and takes {cpu}.");
    }
    let on = |side: Side| {
        let rows = outcome.chosen().filter(|row| row.placement == side);
        let names: Vec<&str> = rows.map(|row| study.operators[row.operator].name.as_str()).collect();
        match names.len().checked_sub(NAMED).filter(|more| *more > 0) {
            Some(more) => format!("{} and {more} more", names[..NAMED].join(", ")),
            None => names.join(", "),
        }
    };
    let on_cpu = if summary.on_cpu == 0 { String::new() } else { format!("; on CPUs: {}", on(Side::Cpu)) };
    format!(
        "Over {network} the workload takes {placed} instead of {cpu} on CPUs alone, a speedup of {}. On GPUs: {}{on_cpu}.",
        Unit::Factor.format(summary.speedup()),
        on(Side::Gpu),
    )
}

/// "By the hardware model, the query takes 2.454 ms as placed instead of 32.7 ms on CPUs alone, a speedup of 13.33×: 1 of 5 operators
/// runs on GPUs."
fn of_plan(whole: &Whole) -> String {
    let [cpu, placed] = [whole.baselines.all_cpu, whole.seconds].map(|seconds| Unit::Seconds.format(seconds));
    let (on_gpu, all) = (whole.count(Side::Gpu), whole.operators.len());
    if on_gpu == 0 {
        return format!("By the hardware model, no operator of the query goes to a GPU: on CPUs it takes {cpu}.");
    }
    let ratio = whole.baselines.all_cpu / whole.seconds;
    let speedup =
        if ratio.is_finite() { format!(", a speedup of {}", Unit::Factor.format(ratio)) } else { String::new() };
    let run = if on_gpu == 1 { "runs" } else { "run" };
    let operators = counted_of(on_gpu as f64, all as f64, "operator");
    format!(
        "By the hardware model, the query takes {placed} as placed instead of {cpu} on CPUs alone{speedup}: {operators} {run} on GPUs."
    )
}
