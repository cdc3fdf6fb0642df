//! What a report takes from a study's own room.

use crossover_chart::Chart;
use crossover_quantity::text::Document;

/// What a scenario comes to, in the words and charts of its kind.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The answer to the question of its kind: one sentence.
    pub answer: String,
    /// The charts, as they are first shown.
    pub charts: Vec<Chart>,
    /// The outcome as a report of its own.
    pub outcome: Document,
    /// What a careful reader should know.
    pub warnings: Vec<String>,
    /// Sections of docs/model that say what the model leaves out, by their titles.
    pub limits: &'static [&'static str],
}
