//! The score of a centre: weighted sum of points for time and precision.

use super::study::{Interpolation, Scoring};
use crossover_quantity::estimate::Estimate;

/// The score of a centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Score of the mean time and the mean error.
    pub value: f64,
    /// Scores at the ends of their 95 % intervals, the lower first; none if the time has no interval.
    pub interval: Option<[f64; 2]>,
}

impl Score {
    /// The score for a time and a relative error of the probe. Without an error there are no points for precision.
    #[must_use]
    pub fn new(scoring: &Scoring, seconds: Estimate, error: Option<Estimate>) -> Self {
        let of = |seconds: f64, error: Option<f64>| {
            let error = error.map_or(0.0, |error| of_precision(scoring, error));
            scoring.time_weight * of_time(scoring, seconds) + scoring.precision_weight * error
        };
        let value = of(seconds.mean, error.map(|error| error.mean));
        // A table may give more points to longer times, so the ends are sorted.
        let ends = |[low, high]: [f64; 2]| {
            let error = |end: usize| error.map(|error| error.interval.map_or(error.mean, |ends| ends[end]));
            let all = [of(high, error(1)), of(low, error(0)), value];
            [all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max)]
        };
        Self { value, interval: seconds.interval.map(ends) }
    }
}

/// Points for a time.
fn of_time(scoring: &Scoring, seconds: f64) -> f64 {
    let bands = scoring.times.iter().map(|band| [band.up_to_seconds, band.points]);
    points(bands, scoring.interpolation, seconds)
}

/// Points for a relative error.
fn of_precision(scoring: &Scoring, error: f64) -> f64 {
    let bands = scoring.precisions.iter().map(|band| [band.up_to_error, band.points]);
    points(bands, scoring.interpolation, error)
}

/// Points of the first row that the value does not exceed; 0 beyond the last row.
fn points(bands: impl Iterator<Item = [f64; 2]>, interpolation: Interpolation, value: f64) -> f64 {
    let mut before: Option<[f64; 2]> = None;
    for [up_to, points] in bands {
        if value <= up_to {
            return match (interpolation, before) {
                // 0 has no logarithm: up to the first row above 0 the points of that row apply.
                (Interpolation::LogLinear, Some([from, first])) if from > 0.0 => {
                    let share = libm::log(value / from) / libm::log(up_to / from);
                    first + (points - first) * share
                }
                _ => points,
            };
        }
        before = Some([up_to, points]);
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::super::study::{PrecisionBand, TimeBand};
    use super::*;

    fn scoring(interpolation: Interpolation) -> Scoring {
        let times = [(1.0, 100.0), (10.0, 50.0), (100.0, 10.0)];
        let precisions = [(1e-12, 100.0), (1e-6, 40.0)];
        Scoring {
            time_weight: 0.75,
            precision_weight: 0.25,
            interpolation,
            times: times.map(|(up_to_seconds, points)| TimeBand { up_to_seconds, points }).to_vec(),
            precisions: precisions.map(|(up_to_error, points)| PrecisionBand { up_to_error, points }).to_vec(),
        }
    }

    fn of(mean: f64, interval: Option<[f64; 2]>) -> Estimate {
        Estimate { mean, interval, runs: 5 }
    }

    #[test]
    fn a_score_is_the_weighted_sum_of_two_tables() {
        let score = |seconds: f64, error: f64| {
            Score::new(&scoring(Interpolation::Steps), of(seconds, None), Some(of(error, None))).value
        };
        // 0.75 × 50 + 0.25 × 100; on the border 0.75 × 100; 0 beyond both tables.
        assert_eq!([score(5.0, 1e-13), score(1.0, 1.0), score(101.0, 1.0)], [62.5, 75.0, 0.0]);
    }

    #[test]
    fn an_interval_has_the_points_of_its_ends() {
        let score = Score::new(&scoring(Interpolation::Steps), of(5.0, Some([0.5, 12.0])), None);
        assert_eq!(score, Score { value: 37.5, interval: Some([7.5, 75.0]) });
    }

    #[test]
    fn lines_follow_the_logarithm_between_two_rows() {
        let scoring = scoring(Interpolation::LogLinear);
        assert_eq!(of_time(&scoring, 10.0_f64.sqrt()), 75.0);
        assert_eq!([of_time(&scoring, 0.5), of_time(&scoring, 10.0), of_time(&scoring, 1e3)], [100.0, 50.0, 0.0]);
    }
}
