//! The outcome of a regulation study: as records for programs, and as reports for people.

use crossover_model::regulation::{Outcome, Regulation};

use super::Format;

/// Everything a regulation study answers.
#[derive(Debug, Clone)]
pub struct Results<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    evaluated: (&'a Regulation, &'a Outcome),
}

/// The records of an outcome.
#[must_use]
pub fn results<'a>(scenario: &'a str, study: &'a Regulation, outcome: &'a Outcome) -> Results<'a> {
    Results { scenario, evaluated: (study, outcome) }
}

impl Results<'_> {
    /// The results as text.
    #[must_use]
    pub fn write(&self, _format: Format) -> String {
        let (_, outcome) = self.evaluated;
        format!("{} TOPS -> {} TOPS\n", outcome.before().tops, outcome.after().tops)
    }
}
