//! 90 % intervals of values that are no figures, such as the curves of a page: the uncertain numbers of a study are drawn together, with
//! the same samples as for the bands of figures.

use super::bands::{Errors, interval};
use super::points::{At, Pointwise};
use super::rounds::{Growing, Kept, evaluate_round};
use super::sampled::{NotAllowed, some_allowed};
use super::sequence::Sequences;
use super::uncertainty::{Sampling, UncertaintyError};
use super::unknowns::Unknowns;
use super::values::{MOST_VALUES, Values};
use crossover_study::{Subject, Watch};

/// 90 % intervals of values of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Intervals {
    /// Samples.
    pub samples: usize,
    /// How many numbers are uncertain.
    pub unknown: usize,
    /// P5 and P95 of each value; `None` where it is never finite.
    pub ends: Vec<Option<[f64; 2]>>,
    /// Error of sampling: half of the 95 % interval of an end, as a share of the width of its interval; the mean over all ends. `None`
    /// where no interval has a width.
    pub error: Option<f64>,
    /// Invalid samples.
    pub not_allowed: Option<NotAllowed>,
}

/// One round, with so many samples, of the intervals of `count` values that `values` computes of a valid study; it keeps the values of the
/// round before. `None` if it was cancelled. The same on any number of threads. Counts new samples.
///
/// # Errors
/// [`UncertaintyError`] if no number is uncertain, or the sampling is invalid.
pub fn round<S: Subject + Clone>(
    study: &S,
    sampling: &Sampling,
    samples_of_round: usize,
    (count, values): (usize, impl Fn(&S) -> Vec<f64> + Sync),
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<Intervals>, UncertaintyError> {
    let unknowns = sampling.unknowns(study)?;
    if unknowns.is_empty() {
        return Err(UncertaintyError::Nothing);
    }
    let sampling = sampling.round(samples_of_round)?;
    if samples_of_round.saturating_mul(count) > MOST_VALUES {
        return Err(UncertaintyError::TooMany(samples_of_round, count));
    }
    let sequences = sampling.sequences(unknowns.dimensions(), 1);
    let samples = samples_of_round;
    evaluate_round(Joint { study, unknowns, sequences, samples, count, values }, samples_of_round, kept, watch)
}

/// The samples.
struct Joint<'a, S, F> {
    study: &'a S,
    unknowns: Unknowns,
    sequences: Sequences,
    samples: usize,
    /// How many values each sample has.
    count: usize,
    values: F,
}

impl<S: Subject + Clone, F: Fn(&S) -> Vec<f64> + Sync> Pointwise for Joint<'_, S, F> {
    type State = S;
    type Found = Intervals;
    type Error = UncertaintyError;

    fn points(&self) -> usize {
        self.samples
    }

    fn figures(&self) -> usize {
        self.count
    }

    /// A copy for changed numbers: without sources and distributions, which are not used.
    fn start(&self) -> S {
        let mut study = self.study.clone();
        study.sources_mut().clear();
        study.spreads_mut().clear();
        study
    }

    fn at(&self, study: &mut S, number: usize, _: Watch<'_>) -> Option<At> {
        let dimensions = 0..self.unknowns.dimensions();
        let point: Vec<f64> = dimensions.map(|dimension| self.sequences.coordinate(number, dimension)).collect();
        Some(self.unknowns.move_to(study, &point).map(|()| (self.values)(study)))
    }

    fn conclude(self, found: Values) -> Result<Intervals, UncertaintyError> {
        let not_allowed = some_allowed(&found).map_err(UncertaintyError::Nowhere)?;
        let mut errors = Errors::default();
        let mut ends = Vec::with_capacity(self.count);
        for value in 0..self.count {
            let found = interval(found.column(value).iter().copied());
            if let Some(found) = &found {
                errors.add(found);
            }
            ends.push(found.map(|found| found.ends));
        }
        let unknown = self.unknowns.numbers.len();
        Ok(Intervals { samples: self.samples, unknown, ends, error: errors.mean(), not_allowed })
    }
}

impl<S: Subject + Clone, F: Fn(&S) -> Vec<f64> + Sync> Growing for Joint<'_, S, F> {
    fn earlier(&self, number: usize, samples: usize) -> Option<usize> {
        (number < samples).then_some(number)
    }
}
