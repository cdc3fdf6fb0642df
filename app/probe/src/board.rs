//! Results of a study for the page, computed again after each change.

use std::sync::Arc;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_page::compute::watched::watched;
use crossover_probe::outcome::all_runs;
use crossover_probe::{Outcome, Probe, evaluate_watched};
use crossover_quantity::text::counted;

use super::charts::Charts;

/// Time to evaluate one run in an optimised build, milliseconds.
const RUN_MS: f64 = 0.001;
/// Time to schedule a task at one centre, milliseconds.
const PLACE_MS: f64 = 0.001;

/// A study with its outcome.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The study that everything was computed from.
    pub study: Probe,
    /// Its results.
    pub outcome: Arc<Outcome>,
    /// Its charts.
    pub(super) charts: Charts,
}

/// The evaluation of a study.
#[derive(Debug, Clone)]
pub(super) struct Evaluation(pub(super) Probe);

impl Work for Evaluation {
    type Outcome = Shown;
    const NAME: &'static str = "probe";
    const AGAIN: &'static str = "Compare";

    fn milliseconds(&self) -> f64 {
        let Self(study) = self;
        let tasks: f64 = study.work.iter().map(|work| work.copies).sum();
        let centres = study.centres.len() as f64;
        RUN_MS * all_runs(study) as f64 + PLACE_MS * tasks * centres * 20.0
    }

    fn in_words(&self) -> String {
        let Self(study) = self;
        format!("Comparing {}", counted(all_runs(study) as f64, "run"))
    }

    fn compute(&self, _: Option<&Shown>, ticket: &Ticket) -> Option<Shown> {
        let Self(study) = self;
        let outcome = watched(ticket, all_runs(study), |watch| evaluate_watched(study, watch))?;
        let charts = Charts::new(study, &outcome);
        Some(Shown { charts, outcome: Arc::new(outcome), study: study.clone() })
    }
}
