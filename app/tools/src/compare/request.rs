//! What the Compare page computes: the comparison with its likelihoods, and the curves.

use crossover_export::compare::ComparedDecisions;
use crossover_page::application::AnswerApplication;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_study::Subject;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::paired::SAMPLES;
use crossover_tools::titles::title_at;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{
    self as tools, Comparison, Paired, PairedError, Range, Sampling, Sweep, Swept, Unknowns, compare, paired,
};

use crate::pace::affordable;

/// About how long sampling may take.
const PATIENCE_SECONDS: f64 = 2.0;

/// What a comparison depends on.
#[derive(Debug, Clone)]
pub(super) struct CompareRequest {
    pub(super) studies: Vec<Study>,
    /// What finds the answers about the applications of their queries.
    pub(super) answer: Option<AnswerApplication>,
}

/// The result of a comparison.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) comparison: Comparison,
    pub(super) likelihood: Likelihood,
    /// What should run the query of each scenario, or its application, in whole engines.
    pub(super) decisions: ComparedDecisions,
}

/// Likelihoods of a comparison.
#[derive(Debug)]
pub(super) enum Likelihood {
    /// Every number is known exactly.
    Exact,
    /// Scenarios were drawn together.
    Sampled(Paired),
    /// That takes longer than a moment.
    TakesLong,
    /// They cannot be drawn.
    Failed(String),
}

impl Work for CompareRequest {
    type Outcome = Result<Found, String>;
    const NAME: &'static str = "comparison";
    const AGAIN: &'static str = "Compare";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Evaluating {} scenarios", self.studies.len())
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let studies = subjects(&self.studies);
        let comparison = match watched(ticket, studies.len(), |watch| compare(&studies, watch)) {
            Ok(found) => found?,
            Err(error) => return Some(Err(error.to_string())),
        };
        let likelihood = self.likelihood(&comparison, ticket)?;
        let answer = |study: &Study| self.answer.and_then(|AnswerApplication(answer)| answer(study));
        let decisions = ComparedDecisions::new(&self.studies, answer);
        Some(Ok(Found { comparison, likelihood, decisions }))
    }
}

impl CompareRequest {
    /// The likelihoods of a comparison; `None` if it was cancelled.
    fn likelihood(&self, comparison: &Comparison, ticket: &Ticket) -> Option<Likelihood> {
        let studies = subjects(&self.studies);
        if studies.iter().all(|study| Unknowns::of(*study).is_empty()) {
            return Some(Likelihood::Exact);
        }
        let mut samples = SAMPLES;
        for study in self.studies.iter().filter(|study| !is_of_formulas(study.subject())) {
            let seconds = PATIENCE_SECONDS / studies.len() as f64;
            samples = samples.min(watched(ticket, 1, |watch| affordable(study, seconds, watch))?);
        }
        if samples < LEAST_SAMPLES {
            return Some(Likelihood::TakesLong);
        }
        let sampling = Sampling { samples, ..Sampling::default() };
        let all = samples * studies.len();
        Some(match watched(ticket, all, |watch| paired(&studies, &comparison.figures, &sampling, watch)) {
            Ok(found) => Likelihood::Sampled(found?),
            Err(PairedError::Nothing) => Likelihood::Exact,
            Err(error) => Likelihood::Failed(error.to_string()),
        })
    }
}

/// What curves depend on.
#[derive(Debug, Clone)]
pub(super) struct Along {
    pub(super) studies: Vec<Study>,
    pub(super) x: Range,
}

impl Work for Along {
    type Outcome = Result<Vec<Swept>, String>;
    const NAME: &'static str = "curves of a comparison";
    const AGAIN: &'static str = "Follow";

    fn milliseconds(&self) -> f64 {
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        let number = self.studies.first().map(|study| title_at(study.subject(), &self.x.path)).unwrap_or_default();
        format!("Evaluating {} scenarios at {} values of {number}", self.studies.len(), self.x.points)
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let studies = subjects(&self.studies);
        let along = Sweep { x: self.x.clone(), figures: Vec::new() };
        let values = self.x.points * studies.len();
        let curves = watched(ticket, values, |watch| tools::compare::curves(&studies, &along, watch));
        curves.map_err(|error| error.to_string()).transpose()
    }
}

fn subjects(studies: &[Study]) -> Vec<&dyn Subject> {
    studies.iter().map(Study::subject).collect()
}
