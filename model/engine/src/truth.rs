//! Predictions compared with measurements and with the median baseline.

use std::collections::BTreeMap;

use super::predict::{Prediction, Range, decided};

/// Speedups between these are too close to call: neither side is clearly right.
pub const TOO_CLOSE: std::ops::RangeInclusive<f64> = 0.8..=1.25;

/// A prediction and its measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The prediction.
    pub prediction: Prediction,
    /// Time on CPUs, seconds.
    pub cpu_seconds: Option<f64>,
    /// Time on GPUs, seconds.
    pub gpu_seconds: Option<f64>,
}

/// Errors of the predictions of one quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// Number of measured cases.
    pub count: usize,
    /// Median of |predicted ÷ measured − 1|.
    pub median: f64,
    /// 90 % quantile of the same.
    pub ninth_decile: f64,
    /// Geometric mean of predicted ÷ measured: above 1, predictions are too large.
    pub bias: f64,
    /// Share of measured values inside the 90 % interval, 0 … 1; `None` without error factors.
    pub coverage: Option<f64>,
}

/// Number of cases with the right side predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sides {
    /// Cases in which the predicted side was faster.
    pub right: usize,
    /// Cases measured on both sides.
    pub of: usize,
    /// The same, among clear measured speedups.
    pub clear_right: usize,
    /// Cases with a clear measured speedup.
    pub clear: usize,
}

/// Summary of predictions compared with measurements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Times on CPUs.
    pub cpu: Option<Errors>,
    /// Times on GPUs.
    pub gpu: Option<Errors>,
    /// CPU ÷ GPU.
    pub speedup: Option<Errors>,
    /// Rank correlation of the speedups (Spearman).
    pub rank_correlation: Option<f64>,
    /// Which side is faster.
    pub sides: Sides,
    /// Cases with a side at least 90 % likely to be faster; all others are too close to call.
    pub decided: usize,
    /// Those of them where that side was faster.
    pub decided_right: usize,
    /// Errors of the median baseline: the median speedup of the other cases, without intervals.
    pub median_baseline_speedup: Option<Errors>,
    /// Sides of the median baseline.
    pub median_baseline_sides: Sides,
}

impl Judged {
    /// The prediction; `None` if the query cannot be judged.
    #[must_use]
    pub fn judgeable(&self) -> Option<&Prediction> {
        Some(&self.prediction).filter(|prediction| prediction.outside.is_none())
    }

    /// CPU ÷ GPU as measured.
    #[must_use]
    pub fn speedup(&self) -> Option<f64> {
        Some(self.cpu_seconds? / self.gpu_seconds?)
    }

    /// Whether the predicted side was faster; `None` unless both were measured, and if the query cannot be judged.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        Some(is_same_side(self.judgeable()?.speedup.value, self.speedup()?))
    }
}

/// Compares predictions with measurements. Queries that cannot be judged are left out.
#[must_use]
pub fn judge(cases: &[Judged]) -> Summary {
    let cases: Vec<&Judged> = cases.iter().filter(|case| case.judgeable().is_some()).collect();
    let errors = |of: &dyn Fn(&Judged) -> Option<(Range, f64)>| {
        let pairs: Vec<(Range, f64)> = cases.iter().filter_map(|case| of(case)).collect();
        let ranged = || pairs.iter().filter(|(range, _)| range.is_known());
        let inside = ranged().filter(|(range, measured)| range.contains(*measured)).count();
        let share = (ranged().count() > 0).then(|| inside as f64 / ranged().count() as f64);
        Errors::new(pairs.iter().map(|(range, measured)| range.value / measured).collect(), share)
    };
    let both: Vec<(f64, f64)> =
        cases.iter().filter_map(|case| Some((case.prediction.speedup.value, case.speedup()?))).collect();
    let measured: Vec<f64> = both.iter().map(|(_, measured)| *measured).collect();
    let usual: Vec<(f64, f64)> =
        (0..measured.len()).filter_map(|at| Some((median_without(&measured, at)?, measured[at]))).collect();
    let decided =
        || cases.iter().filter_map(|case| Some((decided(case.prediction.likelihood?)?, case.speedup()? > 1.0)));
    Summary {
        decided: decided().count(),
        decided_right: decided().filter(|(named, is_faster)| named == is_faster).count(),
        cpu: errors(&|case| Some((case.prediction.cpu, case.cpu_seconds?))),
        gpu: errors(&|case| Some((case.prediction.gpu, case.gpu_seconds?))),
        speedup: errors(&|case| Some((case.prediction.speedup, case.speedup()?))),
        rank_correlation: rank_correlation(&both),
        sides: Sides::new(&both),
        median_baseline_speedup: Errors::new(usual.iter().map(|(found, measured)| found / measured).collect(), None),
        median_baseline_sides: Sides::new(&usual),
    }
}

impl Errors {
    fn new(ratios: Vec<f64>, coverage: Option<f64>) -> Option<Self> {
        let count = ratios.len();
        let bias = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count as f64).exp();
        let errors: Vec<f64> = ratios.into_iter().map(|ratio| (ratio - 1.0).abs()).collect();
        let median = median(errors.clone())?;
        Some(Self { count, median, ninth_decile: quantile(errors, 9)?, bias, coverage })
    }
}

impl Sides {
    fn new(pairs: &[(f64, f64)]) -> Self {
        let clear = |(_, measured): &&(f64, f64)| !TOO_CLOSE.contains(measured);
        let is_right = |(found, measured): &&(f64, f64)| is_same_side(*found, *measured);
        Self {
            right: pairs.iter().filter(is_right).count(),
            of: pairs.len(),
            clear_right: pairs.iter().filter(clear).filter(is_right).count(),
            clear: pairs.iter().filter(clear).count(),
        }
    }
}

fn is_same_side(found: f64, measured: f64) -> bool {
    (found > 1.0) == (measured > 1.0)
}

/// Median; `None` without numbers.
pub(super) fn median(numbers: Vec<f64>) -> Option<f64> {
    quantile(numbers, 5)
}

/// The mean of each query: all its runs count as one.
pub(super) fn means<'r>(numbers: impl Iterator<Item = (&'r str, f64)>) -> BTreeMap<&'r str, f64> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (query, number) in numbers {
        let (sum, count) = sums.entry(query).or_default();
        *sum += number;
        *count += 1.0;
    }
    sums.into_iter().map(|(query, (sum, count))| (query, sum / count)).collect()
}

fn median_without(numbers: &[f64], left_out: usize) -> Option<f64> {
    let others = numbers.iter().enumerate().filter(|(at, _)| *at != left_out);
    median(others.map(|(_, number)| *number).collect())
}

/// A quantile in tenths, between two numbers by their distance (Hyndman and Fan 1996, definition 7).
fn quantile(mut numbers: Vec<f64>, tenths: usize) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let place = tenths * numbers.len().checked_sub(1)?;
    let (below, above) = (numbers[place / 10], numbers[place.div_ceil(10)]);
    Some(below + (above - below) * (place % 10) as f64 / 10.0)
}

/// Spearman's rank correlation; `None` if one side has no order.
pub(super) fn rank_correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let a = ranks(&pairs.iter().map(|(a, _)| *a).collect::<Vec<f64>>());
    let b = ranks(&pairs.iter().map(|(_, b)| *b).collect::<Vec<f64>>());
    let middle = f64::midpoint(pairs.len() as f64, 1.0);
    let sum = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum::<f64>();
    let spread = (sum(&a, &a) * sum(&b, &b)).sqrt();
    (spread > 0.0).then(|| sum(&a, &b) / spread)
}

/// Ranks in ascending order, from 1; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let place = |number: &f64| {
        let below = numbers.iter().filter(|other| *other < number).count() as f64;
        let equal = numbers.iter().filter(|other| *other == number).count() as f64;
        below + f64::midpoint(equal, 1.0)
    };
    numbers.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_order_and_are_shared_by_equals() {
        // By hand: Spearman of a reversed order is −1.
        assert_eq!(rank_correlation(&[(1.0, 30.0), (2.0, 20.0), (5.0, 10.0)]), Some(-1.0));
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
        assert_eq!(rank_correlation(&[(1.0, 1.0), (1.0, 2.0)]), None);
    }

    #[test]
    fn quantiles_lie_between_numbers() {
        assert_eq!(quantile(vec![4.0, 1.0, 3.0, 2.0], 5), Some(2.5));
        assert_eq!(quantile(vec![1.0, 2.0], 9), Some(1.9));
        assert_eq!(quantile(Vec::new(), 5), None);
    }
}
