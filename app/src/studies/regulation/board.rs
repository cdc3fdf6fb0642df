//! Everything the page shows, computed once for each change of the study.

use crossover_model::regulation::{Outcome, Regulation, evaluate};

/// Everything the page shows.
#[derive(Debug)]
pub struct Board {
    study: Regulation,
    outcome: Outcome,
}

impl Board {
    /// Computes everything.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        Self { outcome: evaluate(study), study: study.clone() }
    }

    /// Computes everything again if the study differs from the last one.
    pub fn refresh(&mut self, study: &Regulation) {
        if self.study != *study {
            *self = Self::new(study);
        }
    }

    /// The study that everything was computed from.
    #[must_use]
    pub fn study(&self) -> &Regulation {
        &self.study
    }

    /// All runs, and before against after.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}
