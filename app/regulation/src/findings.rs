//! Contents of a report on a regulation study.

use anyhow::{Context as _, Result};
use crossover_export::regulation::results;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_regulation::Regulation;

use super::board::{Shown, SimulationRequest};
use super::time;

pub(super) fn findings(name: &str, study: &Regulation) -> Result<Findings> {
    const CANCELLED: &str = "the simulation was cancelled";
    let request = SimulationRequest(study.clone());
    let mut shown = request.compute(None, &Ticket::default()).context(CANCELLED)?;
    if request.is_refinable(&shown) {
        shown = request.compute(Some(&shown), &Ticket::default()).context(CANCELLED)?;
    }
    Ok(Findings {
        answer: answer(&shown),
        charts: time::charts(&shown),
        outcome: results(name, study, &shown.outcome).text_report(),
        warnings: shown.outcome.every_warning(),
        limits: &["What the regulation model does not contain"],
    })
}

/// "Controller PID changes the throughput from 15,000 TOPS to 21,500 TOPS, at 1.333× the throughput per watt. It settles
/// 57 periods after the last change of demand."
fn answer(shown: &Shown) -> String {
    let Shown { study, outcome, .. } = shown;
    let [before, after] = [outcome.before(), outcome.after()].map(|delivered| Unit::Tops.format(delivered.tops));
    let settles = match outcome.chosen().figures.settling_periods {
        Some(periods) => {
            format!("It settles {} after the last change of demand", counted(periods as f64, "period"))
        }
        None => "It does not settle: demand or actions continue to the end".to_owned(),
    };
    format!(
        "Controller {} changes the throughput from {before} to {after}, at {} the throughput per watt. {settles}.",
        study.policy.controller,
        Unit::Factor.format(outcome.efficiency()),
    )
}
