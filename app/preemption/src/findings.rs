//! The findings of a preemption study for a report.

use anyhow::{Context as _, Result};
use crossover_export::preemption::results;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;
use crossover_preemption::Preemption;

use super::board::{Evaluation, LoadSweep};
use super::charts::{self, Metric};

pub(super) fn findings(name: &str, study: &Preemption) -> Result<Findings> {
    let shown = Evaluation(study.clone()).compute(None, &Ticket::default()).context("the simulation was cancelled")?;
    // Launches that are listed one by one have no load to change.
    let curves = study.stream.listed.is_empty().then(|| LoadSweep(study.clone()).compute(None, &Ticket::default()));
    Ok(Findings {
        answer: shown.outcome.sentence(study),
        charts: charts::all(&shown, curves.flatten().as_ref(), Metric::default()),
        outcome: results(name, study, &shown.outcome).text_report(),
        warnings: shown.outcome.warnings.clone(),
        limits: &["What preemption does not contain"],
    })
}
