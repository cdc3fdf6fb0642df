//! The growth of the data that changes the recommendation, found on a thread of its own: the query, or the longest ones of its
//! application, are predicted again at each growth.

use std::sync::Arc;

use crossover_decision::Decision;
use crossover_export::decision::growth_sentence;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_placement::Placement;
use crossover_plan::decide::growth_of_a_change;

use super::super::import::ApplicationFile;

/// Growths at which a query is predicted, at most.
const GROWTHS: f64 = 17.0;
/// Upper estimate of the time for one node at one growth, milliseconds: its plan is copied, and predicted for each engine. Not
/// measured.
const NODE_MS: f64 = 0.02;

/// A query or its application with the decision about it.
#[derive(Clone)]
pub(super) struct Growing {
    pub(super) study: Placement,
    pub(super) decision: Arc<Decision>,
    /// The file of the application; `None`: the decision is about the query.
    pub(super) application: Option<ApplicationFile>,
}

impl Work for Growing {
    /// The growth in words; nothing if none changes the recommendation.
    type Outcome = Vec<String>;
    const NAME: &'static str = "growth";
    const AGAIN: &'static str = "Find the growth";

    fn milliseconds(&self) -> f64 {
        let of_query = || self.study.query.as_deref().map_or(0, |query| query.plan.nodes.len());
        let nodes = self.application.as_ref().map_or_else(of_query, ApplicationFile::nodes);
        GROWTHS * NODE_MS * nodes as f64
    }

    fn in_words(&self) -> String {
        "Looking for the growth of the data that changes the answer".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let Self { study, decision, application } = self;
        let change = match application {
            None => growth_of_a_change(study, decision, || ticket.is_cancelled()),
            Some(file) => file.growth(study, decision, &|| ticket.is_cancelled()),
        };
        if ticket.is_cancelled() {
            return None;
        }
        Some(change.iter().map(|change| growth_sentence(&self.decision, change)).collect())
    }
}
