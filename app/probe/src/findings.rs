//! Findings of a probe study for a report.

use anyhow::{Context as _, Result};
use crossover_export::probe::results;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;
use crossover_probe::Probe;

use super::board::Evaluation;

pub(super) fn findings(name: &str, study: &Probe) -> Result<Findings> {
    let shown = Evaluation(study.clone()).compute(None, &Ticket::default()).context("the comparison was cancelled")?;
    Ok(Findings {
        answer: shown.outcome.sentence(study),
        charts: shown.charts.all(),
        outcome: results(name, study, &shown.outcome).text_report(),
        warnings: shown.outcome.warnings.clone(),
        limits: &["What probes do not contain"],
    })
}
