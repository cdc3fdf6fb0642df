//! Several runs of the same workload today: their median, and how far they spread.

use std::f64::consts::FRAC_PI_2;

use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use serde::{Deserialize, Serialize};

/// Runs of one workload on today's machines, at least two.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredRuns {
    /// Their number.
    pub count: usize,
    /// The shortest, seconds.
    pub shortest_seconds: f64,
    /// The median, seconds.
    pub median_seconds: f64,
    /// The longest, seconds.
    pub longest_seconds: f64,
    /// Standard deviation of the logarithms of their times.
    pub deviation: f64,
}

impl MeasuredRuns {
    /// Runs of these times, seconds; `None` for fewer than two.
    #[must_use]
    pub fn of(seconds: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = seconds.into_iter().filter(|time| time.is_finite() && *time > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        let [shortest, .., longest] = sorted.as_slice() else { return None };
        let count = sorted.len();
        let mean = sorted.iter().map(|time| time.ln()).sum::<f64>() / count as f64;
        let squares: f64 = sorted.iter().map(|time| (time.ln() - mean).powi(2)).sum();
        Some(Self {
            count,
            shortest_seconds: *shortest,
            median_seconds: median(&sorted),
            longest_seconds: *longest,
            deviation: (squares / (count - 1) as f64).sqrt(),
        })
    }

    /// Standard error of the logarithm of the median: √(π/2)·s/√n for normal logarithms (Kendall and Stuart, The Advanced Theory
    /// of Statistics, volume 1, section 14.12).
    #[must_use]
    pub fn deviation_of_median(&self) -> f64 {
        FRAC_PI_2.sqrt() * self.deviation / (self.count as f64).sqrt()
    }

    /// "median of 7 runs from 41 s to 58 s".
    #[must_use]
    pub fn sentence(&self) -> String {
        let [shortest, longest] = [self.shortest_seconds, self.longest_seconds].map(|time| Unit::Seconds.format(time));
        format!("median of {} from {shortest} to {longest}", counted(self.count as f64, "run"))
    }
}

/// Median of sorted numbers, at least one.
fn median(sorted: &[f64]) -> f64 {
    let count = sorted.len();
    f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_runs_have_a_median_and_the_deviation_of_their_logarithms() {
        // By hand: logarithms of 1, e and e² have the mean 1 and the variance (1 + 0 + 1) ÷ 2.
        let e = std::f64::consts::E;
        let runs = MeasuredRuns::of([e * e, 1.0, e]).expect("three runs");
        assert_eq!((runs.count, runs.shortest_seconds, runs.median_seconds), (3, 1.0, e));
        assert!((runs.longest_seconds - e * e).abs() < 1e-12 && (runs.deviation - 1.0).abs() < 1e-12, "{runs:?}");
        // By hand: √1.570796 ÷ √3 = 0.723601.
        assert!((runs.deviation_of_median() - 0.723_601).abs() < 1e-6, "{}", runs.deviation_of_median());
        let two = MeasuredRuns::of([10.0, 20.0]).expect("two runs");
        assert_eq!(two.median_seconds, 15.0);
    }

    #[test]
    fn one_run_has_no_spread() {
        assert_eq!(MeasuredRuns::of([5.0]), None);
        assert_eq!(MeasuredRuns::of([5.0, 0.0, f64::NAN]), None, "a run without a time is none");
    }

    #[test]
    fn the_sentence_has_the_number_of_runs_and_their_ends() {
        let runs = MeasuredRuns::of([41.0, 47.0, 45.0, 58.0, 50.0, 46.0, 52.0]).expect("seven runs");
        assert_eq!(runs.sentence(), "median of 7 runs from 41 s to 58 s");
        assert_eq!(runs.median_seconds, 47.0);
    }
}
