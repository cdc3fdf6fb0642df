//! What the Sweep page computes: the curves of one scenario, in rounds.

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_tools::{Bands, Swept};

use crate::curves::{Curves, CurvesRequest};

/// The curves of one scenario.
#[derive(Debug, Clone)]
pub(super) struct SweepRequest(pub(super) CurvesRequest);

impl Work for SweepRequest {
    type Outcome = Result<Curves, String>;
    const NAME: &'static str = "sweep";
    const AGAIN: &'static str = "Sweep";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance; many evaluations exceed a frame, but mostly end soon.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Evaluating at {} values of {}", self.0.values(), self.0.number())
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        self.0.round(before, ticket)
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        outcome.as_ref().is_ok_and(Curves::is_refinable)
    }
}

/// The curves of a scenario, and their bands.
pub(super) fn of_scenario(curves: &Curves) -> Option<(&Swept, Result<Option<&Bands>, &str>)> {
    let bands = curves.bands.first()?;
    Some((curves.swept.first()?, bands.as_ref().map(Option::as_ref).map_err(String::as_str)))
}
