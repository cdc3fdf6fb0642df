//! What is said of the whole application of a query.

use crossover_decision::Decision;

use super::DecidedWorkload;

/// What is said of the whole application of a study's query.
#[derive(Debug, Clone, PartialEq)]
pub enum ApplicationAnswer {
    /// The decision about it, with everything that a report has.
    Decided(Box<DecidedWorkload>),
    /// Why it cannot be judged, as a sentence.
    NotJudged(String),
}

impl ApplicationAnswer {
    /// The decision about it; `None` if it cannot be judged.
    #[must_use]
    pub fn into_decision(self) -> Option<Decision> {
        match self {
            Self::Decided(decided) => decided.decision,
            Self::NotJudged(_) => None,
        }
    }
}
