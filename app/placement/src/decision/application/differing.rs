//! The queries of an application that, decided alone, have another recommendation: found on a thread of its own, because each is decided.

use crossover_decision::Objective;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;

use super::Compared;

/// An application with what the user entered, and the goal.
#[derive(Clone)]
pub(super) struct Differing {
    pub(super) compared: Compared,
    pub(super) objective: Objective,
}

impl Work for Differing {
    /// A sentence without a full stop; `None` if all of them have the recommendation of the application.
    type Outcome = Option<String>;
    const NAME: &'static str = "queries";
    const AGAIN: &'static str = "Decide its queries";

    fn milliseconds(&self) -> f64 {
        self.compared.milliseconds()
    }

    fn in_words(&self) -> String {
        "Deciding each query of the application".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        Some(self.compared.file.note(&self.compared.study))
    }
}
