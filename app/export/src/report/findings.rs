//! The part of a report that depends on the kind of study.

use crossover_chart::Chart;
use crossover_quantity::text::TextReport;

/// The answer and the charts of a scenario.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The answer to the question of its kind: one sentence.
    pub answer: String,
    /// The charts, as they are first shown.
    pub charts: Vec<Chart>,
    /// The outcome as a report of its own.
    pub outcome: TextReport,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Sections of docs/model that list what the model leaves out, by their titles.
    pub limits: &'static [&'static str],
}
