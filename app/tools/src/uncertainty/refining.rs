//! What is sampled next: a first result within seconds, then twice as many samples each time, while that takes no longer than the
//! user's patience.

use std::time::Instant;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::sensitivity::{self, Step, steps};
use crossover_tools::uncertainty::{self, LEAST_SAMPLES};
use crossover_tools::{Sampling, Sensitivity, Uncertain, UncertaintyError, Unknowns};

/// Samples of the distribution of figures.
const SAMPLES: usize = 4_096;
/// The same where figures are formulas: a million take longer than a frame, most of it for sorting.
const SAMPLES_OF_FORMULAS: usize = 65_536;
/// Samples of a sensitivity analysis; each takes an evaluation for every uncertain number, and two.
pub(super) const SENSITIVE_SAMPLES: usize = sensitivity::SAMPLES;
/// About how long sampling may take in all; a slow study has fewer samples.
const PATIENCE_SECONDS: f64 = 10.0;

/// The rounds of a study, and how far they are.
#[derive(Debug, Clone)]
pub(super) struct Refining {
    is_of_formulas: bool,
    /// By samples.
    intervals: Series<usize>,
    sensitivities: Series<Step>,
    seconds: f64,
    evaluations: usize,
}

/// Rounds of one tool.
#[derive(Debug, Clone)]
struct Series<S> {
    /// How far each round goes, and its evaluations with those of the rounds before it.
    rounds: Vec<(S, usize)>,
    /// Rounds that have ended.
    done: usize,
    kept: Kept,
}

impl<S: Copy> Series<S> {
    fn new(rounds: Vec<S>, evaluations: impl Fn(S) -> usize) -> Self {
        let rounds = rounds.into_iter().map(|round| (round, evaluations(round))).collect();
        Self { rounds, done: 0, kept: Kept::default() }
    }

    /// The next round, if there is one.
    fn next(&self) -> Option<S> {
        self.rounds.get(self.done).map(|(round, _)| *round)
    }

    /// New evaluations of the next round.
    fn cost(&self) -> usize {
        let before = self.rounds[..self.done].last().map_or(0, |(_, evaluations)| *evaluations);
        self.rounds.get(self.done).map_or(0, |(_, evaluations)| evaluations - before)
    }
}

/// The next round of intervals and of sensitivities.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Next {
    intervals: Option<usize>,
    sensitivities: Option<Step>,
}

impl Refining {
    pub(super) fn new(study: &Study, unknowns: &Unknowns) -> Self {
        let (subject, causes) = (study.subject(), unknowns.causes().len());
        let (is_of_formulas, numbers) = (is_of_formulas(subject), unknowns.numbers.len());
        // Formulas take no time worth a round of their own.
        let (of_intervals, of_sensitivities) = if is_of_formulas {
            (vec![SAMPLES_OF_FORMULAS], vec![Step::Samples(SENSITIVE_SAMPLES)])
        } else {
            (rounds(subject, LEAST_SAMPLES, SAMPLES), steps(subject, numbers, SENSITIVE_SAMPLES))
        };
        Self {
            is_of_formulas,
            intervals: Series::new(of_intervals, |samples| samples),
            sensitivities: Series::new(of_sensitivities, |step| step.evaluations(numbers, causes)),
            seconds: 0.0,
            evaluations: 0,
        }
    }

    /// The next round, as far as it is affordable; `None` if none is.
    fn next(&self) -> Option<Next> {
        let pace = self.seconds / self.evaluations.max(1) as f64;
        let mut left = PATIENCE_SECONDS - self.seconds;
        let mut is_affordable = |cost: usize| {
            let seconds = pace * cost as f64;
            let is_affordable = self.is_of_formulas || seconds <= left;
            left -= if is_affordable { seconds } else { 0.0 };
            is_affordable
        };
        let intervals = self.intervals.next().filter(|_| is_affordable(self.intervals.cost()));
        // The pace is known from the first intervals.
        let is_known = self.is_of_formulas || self.intervals.done > 0;
        let sensitivities = self.sensitivities.next().filter(|_| is_known && is_affordable(self.sensitivities.cost()));
        (intervals.is_some() || sensitivities.is_some()).then_some(Next { intervals, sensitivities })
    }

    /// New evaluations of a round.
    fn cost(&self, next: Next) -> usize {
        let of = |is_in: bool, cost: usize| if is_in { cost } else { 0 };
        of(next.intervals.is_some(), self.intervals.cost())
            + of(next.sensitivities.is_some(), self.sensitivities.cost())
    }

    /// Counts a round that has ended.
    fn end(&mut self, next: Next, seconds: f64) {
        self.evaluations += self.cost(next);
        self.seconds += seconds;
        self.intervals.done += usize::from(next.intervals.is_some());
        self.sensitivities.done += usize::from(next.sensitivities.is_some());
    }

    /// Whether another round is affordable.
    pub(super) fn is_refinable(&self) -> bool {
        self.next().is_some()
    }

    /// Samples of all rounds of intervals.
    pub(super) fn all(&self) -> usize {
        self.intervals.rounds.last().map_or(0, |(samples, _)| *samples)
    }

    /// Samples the next round; `None` if it was cancelled.
    pub(super) fn round(
        &mut self,
        study: &Study,
        sampling: &Sampling,
        ticket: &Ticket,
    ) -> Option<Result<Round, UncertaintyError>> {
        let next = self.next().unwrap_or_default();
        let (began, subject) = (Instant::now(), study.subject());
        let of_intervals = Sampling { samples: self.all(), ..sampling.clone() };
        let of_sensitivities = Sampling { samples: SENSITIVE_SAMPLES, ..sampling.clone() };
        let found = watched(ticket, self.cost(next), |watch| {
            let intervals = next
                .intervals
                .map(|samples| uncertainty::round(subject, &of_intervals, samples, &mut self.intervals.kept, watch));
            let intervals = match intervals.transpose() {
                Ok(Some(None)) => return None,
                Ok(found) => found.flatten(),
                Err(error) => return Some(Err(error)),
            };
            let sensitivities = next
                .sensitivities
                .map(|step| sensitivity::round(subject, &of_sensitivities, step, &mut self.sensitivities.kept, watch));
            match sensitivities.transpose() {
                Ok(Some(None)) => None,
                Ok(found) => Some(Ok(Round { intervals, sensitivities: found.flatten() })),
                Err(error) => Some(Err(error)),
            }
        })?;
        if found.is_ok() {
            self.end(next, began.elapsed().as_secs_f64());
        }
        Some(found)
    }

    /// No further rounds: the next one is not possible, such as with too many values.
    pub(super) fn stop(&mut self) {
        self.intervals.rounds.truncate(self.intervals.done);
        self.sensitivities.rounds.truncate(self.sensitivities.done);
    }
}

/// What a round found; `None` where it had no samples of that.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) intervals: Option<Uncertain>,
    pub(super) sensitivities: Option<Sensitivity>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A study with ten uncertain numbers.
    fn refining() -> Refining {
        let doubled = |first: usize, all: usize| {
            std::iter::successors(Some(first), |samples| Some(samples * 2)).take_while(move |samples| *samples <= all)
        };
        let steps = [8, 10].map(Step::OneAtATime).into_iter().chain(doubled(16, 1_024).map(Step::Samples));
        Refining {
            is_of_formulas: false,
            intervals: Series::new(doubled(64, 4_096).collect(), |samples| samples),
            sensitivities: Series::new(steps.collect(), |step| step.evaluations(10, 10)),
            seconds: 0.0,
            evaluations: 0,
        }
    }

    /// Ends a round after so many seconds for each evaluation.
    fn ended(refining: &mut Refining, pace: f64) -> Option<Next> {
        let next = refining.next()?;
        refining.end(next, pace * refining.cost(next) as f64);
        Some(next)
    }

    #[test]
    fn the_first_result_has_the_intervals_of_few_samples_and_the_next_ones_what_they_depend_on() {
        let mut refining = refining();
        let mut ended = || ended(&mut refining, 1e-3);
        let next = |samples, step| Some(Next { intervals: Some(samples), sensitivities: step });
        assert_eq!(ended(), next(64, None));
        assert_eq!(ended(), next(128, Some(Step::OneAtATime(8))));
        assert_eq!(ended(), next(256, Some(Step::OneAtATime(10))));
        assert_eq!(ended(), next(512, Some(Step::Samples(16))));
        // 512 samples, 16 of twelve evaluations each, and both ends of ten numbers.
        assert_eq!(refining.evaluations, 724);
    }

    /// Both ends of ten numbers take 1 s, 16 samples of twelve evaluations 9.6 s.
    #[test]
    fn a_slow_study_has_its_numbers_moved_one_at_a_time_where_samples_take_too_long() {
        let (mut refining, mut last) = (refining(), None);
        while let Some(next) = ended(&mut refining, 0.05) {
            last = next.sensitivities.or(last);
        }
        assert_eq!(last, Some(Step::OneAtATime(10)));
    }

    #[test]
    fn no_round_begins_that_would_take_longer_than_the_patience() {
        for pace in [1e-4, 1e-3, 1e-2, 0.1] {
            let mut refining = refining();
            while ended(&mut refining, pace).is_some() {}
            assert!(refining.seconds <= PATIENCE_SECONDS, "{pace}: {}", refining.seconds);
            // What is left is less than the cheapest round that was not begun.
            let Refining { intervals, sensitivities, .. } = &refining;
            let left = [intervals.next().map(|_| intervals.cost()), sensitivities.next().map(|_| sensitivities.cost())];
            for cost in left.into_iter().flatten() {
                assert!(refining.seconds + pace * cost as f64 > PATIENCE_SECONDS, "{pace}");
            }
        }
    }
}
