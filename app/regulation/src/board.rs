//! The runs of the study on the page, computed again after each change.

use std::sync::Arc;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, Evaluations, Work};
use crossover_page::compute::watched::watched;
use crossover_quantity::text::counted;
use crossover_regulation::outcome::{all_periods, evaluate_watched};
use crossover_regulation::{Outcome, Regulation, strategy_names};
use egui::{Context, Ui};

use super::spread::Spread;

/// Time of one step with noise, a gain schedule and fuzzy rules in an optimised build, milliseconds; see “Speed of
/// the program” in docs/MEASURING.md.
const STEP_MS: f64 = 138e-6;

/// The runs of a study.
#[derive(Debug)]
pub struct Board(Computed<SimulationRequest>);

/// A study with all its runs.
#[derive(Debug)]
pub struct Shown {
    /// The study that everything was computed from.
    pub study: Regulation,
    /// All runs, and before against after.
    pub outcome: Outcome,
    /// Intervals of the curves; `None` without noise, for a study that is too large, or before they are computed.
    pub(super) spread: Option<Spread>,
}

/// A study to simulate.
#[derive(Debug, Clone)]
pub(super) struct SimulationRequest(pub(super) Regulation);

impl Work for SimulationRequest {
    type Outcome = Shown;
    const NAME: &'static str = "simulation";
    const AGAIN: &'static str = "Simulate";

    fn milliseconds(&self) -> f64 {
        let Self(study) = self;
        STEP_MS * all_periods(study) as f64 * study.clusters.len() as f64
    }

    /// "Simulating 7 runs of 100,000 periods in 2 clusters"
    fn in_words(&self) -> String {
        let Self(study) = self;
        let (runs, clusters) = (strategy_names(study).count() as f64, study.clusters.len() as f64);
        let [runs, periods, clusters] =
            [(runs, "run"), (study.run.periods, "period"), (clusters, "cluster")].map(|(count, of)| counted(count, of));
        format!("Simulating {runs} of {periods} in {clusters}")
    }

    fn is_refinable(&self, shown: &Shown) -> bool {
        shown.spread.is_none() && Spread::is_of(&self.0)
    }

    fn compute(&self, before: Option<&Shown>, ticket: &Ticket) -> Option<Shown> {
        let Self(study) = self;
        if let Some(before) = before.filter(|before| before.study == *study && self.is_refinable(before)) {
            let spread = Spread::new(study, &before.outcome, ticket)?;
            return Some(Shown { study: study.clone(), outcome: before.outcome.clone(), spread: Some(spread) });
        }
        let outcome = watched(ticket, all_periods(study), |watch| evaluate_watched(study, watch))?;
        Some(Shown { study: study.clone(), outcome, spread: None })
    }
}

impl Board {
    /// Computes short runs at once, long ones when the page is shown.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        Self(Computed::of(SimulationRequest(study.clone())))
    }

    /// Computes the runs again if the study has changed, and takes finished runs.
    pub fn refresh(&mut self, ctx: &Context, study: &Regulation) {
        self.0.refresh(ctx, |SimulationRequest(wanted)| wanted == study, || SimulationRequest(study.clone()));
    }

    /// The runs on the screen; none before the first ones are finished.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        self.0.shown().map(AsRef::as_ref)
    }

    /// The runs of this study, if they are finished.
    pub(super) fn current(&self, study: &Regulation) -> Option<Arc<Shown>> {
        self.0.shown().filter(|shown| shown.study == *study).map(Arc::clone)
    }

    /// Number of the outcome; it changes with each new outcome.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.0.number()
    }

    /// How often the runs were computed, and where.
    #[must_use]
    pub fn evaluations(&self) -> Evaluations {
        self.0.evaluations()
    }

    /// Whether runs are computed on another thread.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.0.is_busy()
    }

    /// Dims the following widgets while they show an earlier study.
    pub fn dim(&self, ui: &mut Ui) {
        self.0.dim(ui);
    }

    /// Shows progress, cancellation or the error of the computation.
    pub fn state(&mut self, ui: &mut Ui) {
        self.0.state(ui);
    }
}
