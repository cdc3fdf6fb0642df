//! What is sampled next: a first result within seconds, then twice as many samples each time, while that takes no longer than the
//! user's patience.

use std::time::Instant;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::watched::watched;
use crossover_scenario::Study;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::rounds::{Kept, rounds};
use crossover_tools::sensitivity::{self, FIRST_SAMPLES};
use crossover_tools::uncertainty::{self, LEAST_SAMPLES};
use crossover_tools::{Sampling, Sensitivity, Uncertain, UncertaintyError, Unknowns};

/// Samples of the distribution of figures.
const SAMPLES: usize = 4_096;
/// The same where figures are formulas: a million take longer than a frame, most of it for sorting.
const SAMPLES_OF_FORMULAS: usize = 65_536;
/// Samples of a sensitivity analysis; each takes an evaluation for every uncertain number, and two.
const SENSITIVE_SAMPLES: usize = sensitivity::SAMPLES;
/// About how long sampling may take in all; a slow study has fewer samples.
const PATIENCE_SECONDS: f64 = 10.0;

/// The rounds of a study, and how far they are.
#[derive(Debug, Clone)]
pub(super) struct Refining {
    is_of_formulas: bool,
    intervals: Series,
    sensitivities: Series,
    seconds: f64,
    evaluations: usize,
}

/// Rounds of one tool.
#[derive(Debug, Clone)]
struct Series {
    /// Samples of each round.
    samples: Vec<usize>,
    /// Rounds that have ended.
    done: usize,
    /// Evaluations of each sample.
    each: usize,
    /// Evaluations of the first round besides its samples.
    besides: usize,
    kept: Kept,
}

impl Series {
    fn new(samples: Vec<usize>, each: usize, besides: usize) -> Self {
        Self { samples, done: 0, each, besides, kept: Kept::default() }
    }

    /// Samples of the next round, if there is one.
    fn next(&self) -> Option<usize> {
        self.samples.get(self.done).copied()
    }

    /// New evaluations of the next round.
    fn cost(&self) -> usize {
        let before = self.done.checked_sub(1).map_or(0, |last| self.samples[last]);
        let besides = if self.done == 0 { self.besides } else { 0 };
        self.next().map_or(0, |samples| (samples - before) * self.each + besides)
    }
}

/// Samples of the next round of intervals and of sensitivities.
type Next = [Option<usize>; 2];

impl Refining {
    pub(super) fn new(study: &Study, unknowns: &Unknowns) -> Self {
        let (subject, causes) = (study.subject(), unknowns.causes().len());
        let is_of_formulas = is_of_formulas(subject);
        // Formulas take no time worth a round of their own.
        let series = |first: usize, all: usize| if is_of_formulas { vec![all] } else { rounds(subject, first, all) };
        let samples = if is_of_formulas { SAMPLES_OF_FORMULAS } else { SAMPLES };
        Self {
            is_of_formulas,
            intervals: Series::new(series(LEAST_SAMPLES, samples), 1, 0),
            sensitivities: Series::new(
                series(FIRST_SAMPLES, SENSITIVE_SAMPLES),
                causes + 2,
                2 * unknowns.numbers.len(),
            ),
            seconds: 0.0,
            evaluations: 0,
        }
    }

    /// The next round, as far as it is affordable; `None` if none is.
    fn next(&self) -> Option<Next> {
        let pace = self.seconds / self.evaluations.max(1) as f64;
        let mut left = PATIENCE_SECONDS - self.seconds;
        let mut affordable = |series: &Series| {
            let seconds = pace * series.cost() as f64;
            let samples = series.next().filter(|_| self.is_of_formulas || seconds <= left);
            left -= if samples.is_some() { seconds } else { 0.0 };
            samples
        };
        let intervals = affordable(&self.intervals);
        // The pace is known from the first intervals.
        let sensitivities =
            if self.is_of_formulas || self.intervals.done > 0 { affordable(&self.sensitivities) } else { None };
        (intervals.is_some() || sensitivities.is_some()).then_some([intervals, sensitivities])
    }

    /// Whether another round is affordable.
    pub(super) fn is_refinable(&self) -> bool {
        self.next().is_some()
    }

    /// Samples of all rounds.
    pub(super) fn all(&self) -> usize {
        self.intervals.samples.last().copied().unwrap_or_default()
    }

    /// Samples of all rounds of sensitivities, and those of the last that has ended.
    pub(super) fn sensitive(&self) -> [usize; 2] {
        let last = self.sensitivities.done.checked_sub(1).map_or(0, |last| self.sensitivities.samples[last]);
        [last, self.sensitivities.samples.last().copied().unwrap_or_default()]
    }

    /// Samples the next round; `None` if it was cancelled.
    pub(super) fn round(
        &mut self,
        study: &Study,
        sampling: &Sampling,
        ticket: &Ticket,
    ) -> Option<Result<Round, UncertaintyError>> {
        let [intervals, sensitivities] = self.next().unwrap_or_default();
        let mut total = 0;
        for (series, next) in [(&self.intervals, intervals), (&self.sensitivities, sensitivities)] {
            total += if next.is_some() { series.cost() } else { 0 };
        }
        let (began, subject) = (Instant::now(), study.subject());
        let of = |samples: &Series| Sampling {
            samples: samples.samples.last().copied().unwrap_or(SAMPLES),
            ..sampling.clone()
        };
        let (all_intervals, all_sensitivities) = (of(&self.intervals), of(&self.sensitivities));
        let found = watched(ticket, total, |watch| {
            let intervals = intervals
                .map(|samples| uncertainty::round(subject, &all_intervals, samples, &mut self.intervals.kept, watch));
            let intervals = match intervals.transpose() {
                Ok(Some(None)) => return None,
                Ok(found) => found.flatten(),
                Err(error) => return Some(Err(error)),
            };
            let sensitivities = sensitivities.map(|samples| {
                sensitivity::round(subject, &all_sensitivities, samples, &mut self.sensitivities.kept, watch)
            });
            match sensitivities.transpose() {
                Ok(Some(None)) => None,
                Ok(found) => Some(Ok(Round { intervals, sensitivities: found.flatten() })),
                Err(error) => Some(Err(error)),
            }
        })?;
        if found.is_ok() {
            self.intervals.done += usize::from(intervals.is_some());
            self.sensitivities.done += usize::from(sensitivities.is_some());
            self.seconds += began.elapsed().as_secs_f64();
            self.evaluations += total;
        }
        Some(found)
    }

    /// No further rounds: the next one is not possible, such as with too many values.
    pub(super) fn stop(&mut self) {
        for series in [&mut self.intervals, &mut self.sensitivities] {
            series.samples.truncate(series.done);
        }
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

    /// A study of so many evaluations a second, with all samples affordable up to the patience.
    fn refining(seconds: f64) -> Refining {
        let series = |first: usize, all: usize| {
            std::iter::successors(Some(first), |samples| Some(samples * 2))
                .take_while(|samples| *samples <= all)
                .collect()
        };
        Refining {
            is_of_formulas: false,
            intervals: Series::new(series(64, 4_096), 1, 0),
            sensitivities: Series::new(series(16, 1_024), 12, 20),
            seconds,
            evaluations: 0,
        }
    }

    /// Ends a round after so many seconds for each evaluation.
    fn ended(refining: &mut Refining, pace: f64) -> Option<Next> {
        let next = refining.next()?;
        let costs = [refining.intervals.cost(), refining.sensitivities.cost()];
        let total: usize = next.iter().zip(costs).map(|(next, cost)| if next.is_some() { cost } else { 0 }).sum();
        refining.intervals.done += usize::from(next[0].is_some());
        refining.sensitivities.done += usize::from(next[1].is_some());
        refining.seconds += pace * total as f64;
        refining.evaluations += total;
        Some(next)
    }

    #[test]
    fn the_first_result_has_the_intervals_of_few_samples_and_the_next_one_what_they_depend_on() {
        let mut refining = refining(0.0);
        assert_eq!(ended(&mut refining, 1e-3), Some([Some(64), None]));
        assert_eq!(ended(&mut refining, 1e-3), Some([Some(128), Some(16)]));
        assert_eq!(ended(&mut refining, 1e-3), Some([Some(256), Some(32)]));
        assert_eq!(refining.sensitive(), [32, 1_024]);
    }

    #[test]
    fn no_round_begins_that_would_take_longer_than_the_patience() {
        for pace in [1e-4, 1e-3, 1e-2, 0.1] {
            let mut refining = refining(0.0);
            while ended(&mut refining, pace).is_some() {}
            assert!(refining.seconds <= PATIENCE_SECONDS, "{pace}: {}", refining.seconds);
            // What is left is less than the cheapest round that was not begun.
            let cheapest = [&refining.intervals, &refining.sensitivities].map(|series| (series.next(), series.cost()));
            for (next, cost) in cheapest {
                assert!(next.is_none() || refining.seconds + pace * cost as f64 > PATIENCE_SECONDS, "{pace}");
            }
        }
    }
}
