//! The queries of an application, each decided alone: on a thread of its own.

use crossover_decision::Objective;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;

use super::super::super::import::QueriesAlone;
use super::Compared;

/// An application with what the user entered, and the goal.
#[derive(Clone)]
pub(super) struct EachQuery {
    pub(super) compared: Compared,
    pub(super) objective: Objective,
}

impl Work for EachQuery {
    /// Empty if the application cannot be decided.
    type Outcome = QueriesAlone;
    const NAME: &'static str = "queries";
    const AGAIN: &'static str = "Decide its queries";

    fn milliseconds(&self) -> f64 {
        self.compared.milliseconds()
    }

    fn in_words(&self) -> String {
        "Deciding each query of the application".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        Some(self.compared.file.queries(&self.compared.study).unwrap_or_default())
    }
}
