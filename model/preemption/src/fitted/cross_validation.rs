//! Cross-validation of the estimators: error and interval of each.

use rand_distr::{Distribution as _, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::estimators::{Estimators, Measured};
use super::{Error, Estimator};
use crossover_quantity::estimate::FITTED_CONFIDENCE;

/// With fewer pairs an interval is as wide as the largest error: with 9 pairs the largest error is the 90 % quantile.
pub(super) const ENOUGH_PAIRS: usize = 9;
/// Folds of the cross-validation; with fewer pairs, leave-one-out.
const FOLDS: usize = 5;
/// Seed that assigns pairs to folds.
const SEED: u64 = 0;

/// The error of every estimator and half the width of its interval, in the order of [`Estimator::ALL`]. Both numbers of a pair are in
/// one fold.
///
/// An interval is as wide as the 90 % quantile of the errors at left-out pairs (Barber, Candès, Ramdas and Tibshirani, Predictive
/// inference with the jackknife+, Annals of Statistics 49, 2021, without its correction for each fold).
pub(super) fn errors<L: Copy + Ord>(measured: &[Measured], known: &[Option<L>]) -> ([Error; 4], [f64; 4]) {
    let folds = folds(measured.len());
    let mut off: [Vec<f64>; 4] = Default::default();
    let mut squares_of_sums = [0.0; 4];
    for fold in 0..FOLDS.min(measured.len()) {
        let of_fold = |is_left_out: bool| {
            let pairs = measured.iter().zip(&folds).filter(move |(_, of_pair)| (**of_pair == fold) == is_left_out);
            pairs.map(|(pair, _)| pair)
        };
        let learned = Estimators::from(&of_fold(false).collect::<Vec<_>>(), known);
        for pair in of_fold(true) {
            let [first, second] = pair.kernels;
            for by in Estimator::ALL {
                let estimated = |own, other| learned.estimate(by, own, other).0;
                off[by as usize].extend(pair.speeds().map(|(own, other, speed)| estimated(own, other) - speed));
                let sum = estimated(first, second) + estimated(second, first) - pair.normalised[0] - pair.normalised[1];
                squares_of_sums[by as usize] += sum.powi(2);
            }
        }
    }
    let root = |squares: f64, count: usize| (squares / count as f64).sqrt();
    let error = |by: Estimator| Error {
        normalised: root(off[by as usize].iter().map(|off| off.powi(2)).sum(), off[by as usize].len()),
        sum: root(squares_of_sums[by as usize], measured.len()),
    };
    (Estimator::ALL.map(error), off.each_ref().map(|off| half(off)))
}

/// The fold of each pair, by a fixed seed.
fn folds(pairs: usize) -> Vec<usize> {
    let mut random = Pcg64Mcg::seed_from_u64(SEED);
    let mut order: Vec<(u64, usize)> = (0..pairs).map(|pair| (StandardUniform.sample(&mut random), pair)).collect();
    order.sort_unstable();
    let mut folds = vec![0; pairs];
    for (place, (_, pair)) in order.into_iter().enumerate() {
        folds[pair] = place % FOLDS;
    }
    folds
}

/// The 90 % quantile of the sizes of the errors, for the next error.
fn half(off: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = off.iter().map(|off| off.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    // The place of the ⌈0.9·(n + 1)⌉th of n.
    let place = (1..=sizes.len()).find(|place| *place as f64 >= FITTED_CONFIDENCE * (sizes.len() + 1) as f64);
    place.and_then(|place| sizes.get(place - 1)).or(sizes.last()).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_left_out_in_parts_of_one_size_that_a_seed_draws() {
        let of_pairs = folds(23);
        let sizes = [0, 1, 2, 3, 4].map(|fold| of_pairs.iter().filter(|of_pair| **of_pair == fold).count());
        assert_eq!(sizes, [5, 5, 5, 4, 4]);
        assert_eq!(of_pairs, folds(23));
        // Not consecutive: neighbours have kernels in common.
        assert_ne!(of_pairs, (0..23).map(|pair| pair % FOLDS).collect::<Vec<_>>());
    }

    #[test]
    fn an_interval_is_as_wide_as_ninety_of_a_hundred_errors() {
        let errors = |count: i32| {
            (1..=count).map(|error| f64::from(error) * if error % 2 == 0 { 1.0 } else { -1.0 }).collect::<Vec<_>>()
        };
        // ⌈0.9·100⌉, ⌈0.9·40⌉; of 8 no error is large enough, and of none nothing is known.
        for (count, expected) in [(99, 90.0), (39, 36.0), (9, 9.0), (8, 8.0), (0, 0.0)] {
            assert_eq!(half(&errors(count)), expected, "{count}");
        }
    }
}
