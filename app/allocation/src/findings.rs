//! The findings of an allocation study for a report.

use anyhow::{Context as _, Result};
use crossover_allocation::Allocation;
use crossover_chart::Chart;
use crossover_export::allocation::results;
use crossover_export::report::Findings;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work as _;

use super::board::EvaluationInput;

pub(super) fn findings(name: &str, study: &Allocation) -> Result<Findings> {
    let input = EvaluationInput(study.clone());
    let shown = input.compute(None, &Ticket::default()).context("the evaluation was cancelled")?;
    Ok(Findings {
        answer: shown.outcome.sentence(),
        charts: [&shown.charts.allocated, &shown.charts.fragments].map(|chart| Chart::Lines(chart.clone())).to_vec(),
        outcome: results(name, study, &shown.outcome).text_report(),
        warnings: shown.outcome.warnings.clone(),
        limits: &["What the allocation model does not contain"],
    })
}
