//! What a report takes from a regulation study.

use anyhow::{Context as _, Result};
use crossover_export::Format;
use crossover_export::regulation::results;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;
use crossover_quantity::unit::Unit;
use crossover_regulation::Regulation;

use super::board::{Asked, Shown};
use super::time;

pub(super) fn findings(name: &str, study: &Regulation) -> Result<Findings> {
    let shown = Asked(study.clone()).compute(None, &Ticket::default()).context("the simulation was called off")?;
    Ok(Findings {
        answer: answer(&shown),
        charts: time::charts(&shown),
        outcome: results(name, study, &shown.outcome).document(),
        warnings: shown.outcome.every_warning(),
        limits: &["What the regulation model does not contain"],
    })
}

/// "The controller PID brings throughput from 15,000 TOPS to 21,500 TOPS, at 1.333× the work per watt; nothing is moved any more
/// 57 periods after the last change of demand."
fn answer(shown: &Shown) -> String {
    let Shown { study, outcome } = shown;
    let [before, after] = [outcome.before(), outcome.after()].map(|worth| Unit::Tops.format(worth.tops));
    let rests = match outcome.chosen().figures.settling_periods {
        Some(1) => "nothing is moved any more 1 period after the last change of demand".to_owned(),
        Some(periods) => format!(
            "nothing is moved any more {} periods after the last change of demand",
            Unit::Count.format(periods as f64)
        ),
        None => "it does not settle: demand never rests, or something is moved until the end".to_owned(),
    };
    format!(
        "The controller {} brings throughput from {before} to {after}, at {} the work per watt; {rests}.",
        study.policy.controller,
        Unit::Factor.format(outcome.efficiency()),
    )
}
