//! What the Compare page computes: the comparison with its likelihoods, in rounds.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Instant;

use crossover_export::compare::{ComparedDecisions, so_far};
use crossover_page::application::AnswerApplication;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_quantity::text::{counted, counted_of};
use crossover_scenario::Study;
use crossover_study::Subject;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::paired::{self, FIRST_SAMPLES, SAMPLES};
use crossover_tools::rounds::Kept;
use crossover_tools::{Comparison, Paired, PairedError, Sampling, Unknowns, compare};

use crate::pace::next_samples;

/// About how long sampling of simulations may take.
const PATIENCE_SECONDS: f64 = 10.0;

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
    of: Vec<Study>,
    pub(super) comparison: Comparison,
    pub(super) likelihood: Likelihood,
    /// What should run the query of each scenario, or its application, in whole engines.
    pub(super) decisions: ComparedDecisions,
    rounds: Rounds,
}

/// Likelihoods of a comparison.
#[derive(Debug)]
pub(super) enum Likelihood {
    /// Every number is known exactly.
    Exact,
    /// Scenarios were drawn together.
    Sampled(Paired),
    /// Not sampled yet, or that takes longer than the user's patience.
    NotSampled,
    /// They cannot be drawn.
    Failed(String),
}

/// The rounds of sampling, and how far they are.
#[derive(Debug, Clone)]
struct Rounds {
    is_of_formulas: bool,
    /// Samples of the last round; none before the first.
    samples: usize,
    /// About how long a sample of all scenarios takes.
    seconds: f64,
    spent_seconds: f64,
    kept: Vec<Kept>,
}

impl Rounds {
    /// Samples of the next round; `None` if none is affordable.
    fn next(&self) -> Option<usize> {
        match (self.is_of_formulas, self.samples) {
            // Formulas take no time worth a round of their own.
            (true, SAMPLES) => None,
            (true, _) => Some(SAMPLES),
            (false, before) => {
                next_samples(before, [FIRST_SAMPLES, SAMPLES], self.seconds, PATIENCE_SECONDS - self.spent_seconds)
            }
        }
    }
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
        format!("Evaluating {}", counted(self.studies.len() as f64, "scenario"))
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|before| before.as_ref().ok()).filter(|before| before.of == self.studies);
        if let Some(before) = before {
            return self.sampled(before, ticket).map(Ok);
        }
        match self.first(ticket)? {
            Ok(first) if first.rounds.is_of_formulas && first.is_refinable() => self.sampled(&first, ticket).map(Ok),
            other => Some(other),
        }
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        outcome.as_ref().is_ok_and(Found::is_refinable)
    }
}

impl CompareRequest {
    /// The comparison without likelihoods; `None` if it was cancelled.
    fn first(&self, ticket: &Ticket) -> Option<Result<Found, String>> {
        let (studies, began) = (subjects(&self.studies), Instant::now());
        let comparison = match watched(ticket, studies.len(), |watch| compare(&studies, watch)) {
            Ok(found) => found?,
            Err(error) => return Some(Err(error.to_string())),
        };
        let answer = |study: &Study| self.answer.and_then(|AnswerApplication(answer)| answer(study));
        let is_exact = studies.iter().all(|study| Unknowns::of(*study).is_empty());
        let cores = available_parallelism().map_or(1, NonZeroUsize::get) as f64;
        Some(Ok(Found {
            of: self.studies.clone(),
            comparison,
            likelihood: if is_exact { Likelihood::Exact } else { Likelihood::NotSampled },
            decisions: ComparedDecisions::new(&self.studies, answer),
            rounds: Rounds {
                is_of_formulas: studies.iter().all(|study| is_of_formulas(*study)),
                samples: 0,
                seconds: began.elapsed().as_secs_f64() / cores,
                spent_seconds: 0.0,
                kept: Vec::new(),
            },
        }))
    }

    /// The same comparison with the likelihoods of the next round; `None` if it was cancelled.
    fn sampled(&self, before: &Found, ticket: &Ticket) -> Option<Found> {
        let (studies, mut rounds) = (subjects(&self.studies), before.rounds.clone());
        let samples = rounds.next().unwrap_or(SAMPLES);
        let sampling = Sampling { samples: SAMPLES, ..Sampling::default() };
        let (figures, began) = (&before.comparison.figures, Instant::now());
        let new = (samples - rounds.samples) * studies.len();
        let found =
            watched(ticket, new, |watch| paired::round(&studies, figures, &sampling, samples, &mut rounds.kept, watch));
        let likelihood = match found {
            Ok(found) => Likelihood::Sampled(found?),
            Err(PairedError::Nothing) => Likelihood::Exact,
            Err(error) => Likelihood::Failed(error.to_string()),
        };
        rounds.spent_seconds += began.elapsed().as_secs_f64();
        rounds.seconds = rounds.spent_seconds / samples as f64;
        rounds.samples = samples;
        Some(Found {
            of: self.studies.clone(),
            comparison: before.comparison.clone(),
            likelihood,
            decisions: before.decisions.clone(),
            rounds,
        })
    }
}

impl Found {
    /// Whether another round is affordable.
    pub(super) fn is_refinable(&self) -> bool {
        let may_be = matches!(self.likelihood, Likelihood::NotSampled | Likelihood::Sampled(_));
        may_be && self.rounds.next().is_some()
    }

    /// "64 of 4,096 samples of each scenario; speedup: b better in 71.3 % of samples (each likelihood ± 3.6 % or less)"; `None` without
    /// samples.
    pub(super) fn so_far(&self, names: &[String]) -> Option<String> {
        let Likelihood::Sampled(paired) = &self.likelihood else { return None };
        let samples = counted_of(paired.samples as f64, SAMPLES as f64, "sample");
        Some(format!("{samples} of each scenario; {}", so_far(names, &self.comparison, Some(paired))))
    }
}

fn subjects(studies: &[Study]) -> Vec<&dyn Subject> {
    studies.iter().map(Study::subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 samples of 0.1 s take 3.2 s, as many more take 6.4 s in all, and 64 more would take 12.8 s in all.
    #[test]
    fn a_slow_comparison_is_sampled_in_rounds_as_long_as_the_user_waits() {
        let mut rounds =
            Rounds { is_of_formulas: false, samples: 0, seconds: 0.1, spent_seconds: 0.0, kept: Vec::new() };
        let mut found = Vec::new();
        while let Some(samples) = rounds.next() {
            rounds.spent_seconds += 0.1 * (samples - rounds.samples) as f64;
            rounds.samples = samples;
            found.push(samples);
        }
        assert_eq!(found, [32, 64]);
        assert_eq!(Rounds { seconds: 1.0, samples: 0, spent_seconds: 0.0, ..rounds }.next(), None, "32 s");
    }

    #[test]
    fn a_simulation_is_compared_first_and_then_sampled() {
        let text = include_str!("../../../../scenarios/allocation-tie.ron");
        let scenario = crossover_scenario::read(text).expect("a scenario");
        let mut study = scenario.study;
        let other = study.clone();
        let spread = crossover_quantity::spread::Distribution::Uniform { low: 0.1, high: 0.2 };
        let spread = crossover_quantity::spread::Spread::alone(spread);
        study.subject_mut().spreads_mut().insert("arrivals.demand".to_owned(), spread);
        let request = CompareRequest { studies: vec![other, study], answer: None };
        let first = request.compute(None, &Ticket::default()).expect("not cancelled");
        let found = first.as_ref().expect("a comparison");
        assert!(matches!(found.likelihood, Likelihood::NotSampled) && found.is_refinable());
        let next = request.compute(Some(&first), &Ticket::default()).expect("not cancelled").expect("a comparison");
        assert!(matches!(&next.likelihood, Likelihood::Sampled(paired) if paired.samples == FIRST_SAMPLES));
        let so_far = next.so_far(&["a".to_owned(), "b".to_owned()]).expect("samples");
        assert!(so_far.starts_with("32 of 4,096 samples of each scenario; "), "{so_far}");
    }
}
