//! Sampling in rounds: each has twice the samples of the one before, keeps their values, and gives a result of its own. So a first
//! result is there soon, however slow the study.

use rayon::prelude::*;

use super::batch::is_of_formulas;
use super::points::{At, Pointwise, Shard, evaluate_shard};
use super::values::Values;
use crossover_study::{Subject, Watch};

/// Samples of the first round where figures are formulas, and the factor between rounds: they are evaluated anew in each.
const OF_FORMULAS: (usize, usize) = (4_096, 16);

/// A tool that draws samples in equal, independent parts. In each part further samples follow the earlier ones.
pub(super) trait Growing: Pointwise {
    /// The number that a point has where there are only so many samples; `None`, or beyond all of them, if it is not among those.
    fn earlier(&self, number: usize, samples: usize) -> Option<usize>;
}

/// The values of a round, which the next one keeps; none before the first, and none of formulas.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// Its samples; 0: it had other points only.
    samples: usize,
    values: Values,
}

/// Samples of each round, from the first to all.
#[must_use]
pub fn rounds(study: &dyn Subject, first: usize, all: usize) -> Vec<usize> {
    let (first, factor) = if is_of_formulas(study) { OF_FORMULAS } else { (first, 2) };
    growing(first, factor, all)
}

/// Sizes that grow by a factor from the first to the whole.
#[must_use]
pub fn growing(first: usize, factor: usize, whole: usize) -> Vec<usize> {
    let grown = std::iter::successors(Some(first), |size| size.checked_mul(factor));
    grown.take_while(|size| *size < whole).chain([whole]).collect()
}

/// The place of a sample among fewer: both are in as many equal parts, one after the other.
pub(super) fn earlier_sample(sample: usize, samples: usize, fewer: usize, parts: usize) -> Option<usize> {
    let [each, of_fewer] = [samples, fewer].map(|samples| samples.div_ceil(parts));
    let (part, index) = (sample / each, sample % each);
    (index < of_fewer).then_some(part * of_fewer + index)
}

/// The result of a round with so many samples; `None` if it was cancelled. Equal to that of all its points. Counts new points.
pub(super) fn evaluate_round<T: Growing>(
    tool: T,
    samples: usize,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<T::Found>, T::Error> {
    match values_of_round(&tool, samples, kept, watch) {
        Some(values) => tool.conclude(values).map(Some),
        None => Ok(None),
    }
}

/// The values of such a round; `None` if it was cancelled.
pub(super) fn values_of_round<T: Growing>(
    tool: &T,
    samples: usize,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Option<Values> {
    if tool.batch().is_some() {
        return evaluate_shard(tool, Shard::WHOLE, watch);
    }
    let before = &*kept;
    let one = |state: &mut T::State, number: usize| {
        if watch.is_cancelled() {
            return None;
        }
        let earlier = tool.earlier(number, before.samples);
        if let Some(earlier) = earlier.filter(|earlier| *earlier < before.values.len()) {
            return Some(before.values.at(earlier));
        }
        let found = tool.at(state, number, watch)?;
        watch.count(1);
        Some(found)
    };
    let found: Option<Vec<At>> = (0..tool.points()).into_par_iter().map_init(|| tool.start(), one).collect();
    let values = Values::of(tool.figures(), found?);
    *kept = Kept { samples, values: values.clone() };
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two parts of three samples are 0 1 2 and 3 4 5; of two samples 0 1 and 2 3.
    #[test]
    fn a_sample_has_its_place_among_fewer_in_its_own_part() {
        let found: Vec<Option<usize>> = (0..6).map(|sample| earlier_sample(sample, 6, 4, 2)).collect();
        assert_eq!(found, [Some(0), Some(1), None, Some(2), Some(3), None]);
    }
}
