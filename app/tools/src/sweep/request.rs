//! What the Sweep page computes: curves in rounds, first few values, then all of them, then their bands.

use std::time::Instant;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_tools::bands::SAMPLES;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::titles::title_at;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Bands, BandsError, Range, Sampling, Sweep, Swept, Unknowns, bands, sweep};

/// Points of each curve in the first round of a simulation.
const FIRST_POINTS: usize = 26;
/// About how long the bands of a simulation may take.
const PATIENCE_SECONDS: f64 = 10.0;

/// What curves depend on.
#[derive(Debug, Clone)]
pub(super) struct SweepRequest {
    pub(super) study: Study,
    pub(super) sweep: Sweep,
}

impl Work for SweepRequest {
    type Outcome = Result<Found, String>;
    const NAME: &'static str = "sweep";
    const AGAIN: &'static str = "Sweep";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance; many evaluations exceed a frame, but mostly end soon.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Evaluating at {} values of {}", self.values(), title_at(self.study.subject(), &self.sweep.x.path))
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|found| found.as_ref().ok()).filter(|found| self.is_same(&found.of));
        let round = match before {
            Some(before) => before.round.next(),
            None if is_of_formulas(self.study.subject()) => Round::Bands,
            None => Round::Few,
        };
        let sweep_of_round = match round {
            Round::Few => Sweep {
                x: Range { points: self.sweep.x.points.min(FIRST_POINTS), ..self.sweep.x.clone() },
                ..self.sweep.clone()
            },
            Round::All | Round::Bands => self.sweep.clone(),
        };
        let began = Instant::now();
        let found = watched(ticket, self.values(), |watch| sweep(self.study.subject(), &sweep_of_round, watch));
        let swept = match found {
            Ok(swept) => swept?,
            Err(error) => return Some(Err(error.to_string())),
        };
        let seconds = began.elapsed().as_secs_f64();
        let samples = if round == Round::Bands { self.samples(seconds) } else { None };
        let bands = match samples {
            Some(samples) => {
                let sampling = Sampling { samples, ..Sampling::default() };
                let all = samples * self.values();
                match watched(ticket, all, |watch| bands(self.study.subject(), &self.sweep, &sampling, watch)) {
                    Ok(bands) => Ok(Some(bands?)),
                    // Without other uncertain numbers there is no band, which is no error.
                    Err(BandsError::NothingElse(_)) => Ok(None),
                    Err(error) => Err(error.to_string()),
                }
            }
            None => Ok(None),
        };
        Some(Ok(Found { of: self.clone(), round, seconds, swept, bands }))
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        outcome.as_ref().is_ok_and(|found| match found.round {
            Round::Few => true,
            Round::All => self.samples(found.seconds).is_some(),
            Round::Bands => false,
        })
    }
}

/// What a round of a sweep computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    /// The curves at few values.
    Few,
    /// The curves at all values.
    All,
    /// The same with their bands.
    Bands,
}

impl Round {
    fn next(self) -> Self {
        match self {
            Self::Few => Self::All,
            Self::All | Self::Bands => Self::Bands,
        }
    }
}

/// Curves with their bands.
#[derive(Debug)]
pub(super) struct Found {
    /// What was requested.
    of: SweepRequest,
    round: Round,
    /// How long its curves took.
    seconds: f64,
    pub(super) swept: Swept,
    /// `None` where they would take long; an error where they are impossible.
    pub(super) bands: Result<Option<Bands>, String>,
}

impl SweepRequest {
    fn is_same(&self, other: &Self) -> bool {
        self.sweep == other.sweep && self.study == other.study
    }

    /// Samples at each value of the number, where one of each takes so many seconds; none where they would take long.
    fn samples(&self, seconds: f64) -> Option<usize> {
        if Unknowns::of(self.study.subject()).is_empty() {
            return None;
        }
        if is_of_formulas(self.study.subject()) {
            return Some(SAMPLES);
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number, clamped")]
        let affordable = (PATIENCE_SECONDS / seconds.max(1e-9)).min(SAMPLES as f64) as usize;
        (affordable >= LEAST_SAMPLES).then_some(affordable)
    }

    /// How many values there are; of a whole number perhaps fewer than points.
    fn values(&self) -> usize {
        self.sweep.values(self.study.subject()).map_or(self.sweep.x.points, |values| values.len())
    }
}
