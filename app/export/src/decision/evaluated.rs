//! The answer about the whole application of the query of a scenario, as `evaluate` prints it.

use crossover_quantity::text::TextReport;
use serde::Serialize;

use super::{DecidedWorkload, WorkloadRecord, data_csv};
use crate::{Format, Written};

/// The answer about an application, as JSON and RON have it.
#[derive(Debug, Serialize)]
struct ApplicationRecord<'a> {
    /// "placement", as of a query.
    study: &'static str,
    /// Name of the scenario.
    scenario: &'a str,
    /// The decision, as of `crossover decide`.
    application: WorkloadRecord<'a>,
}

/// The answer about the application of the query of a scenario; as CSV its options.
#[must_use]
pub fn evaluated(scenario: &str, decided: &DecidedWorkload, format: Format) -> Written {
    let text_report = || {
        let mut report = TextReport::titled(scenario);
        report.heading(decided.title()).paragraph(decided.sentence.clone()).append(decided.details());
        report
    };
    let record = || ApplicationRecord { study: "placement", scenario, application: WorkloadRecord::new(decided) };
    let csv = || decided.decision.as_ref().map(data_csv).unwrap_or_default();
    Written { text: format.write(text_report, record, csv), warnings: decided.warnings() }
}
