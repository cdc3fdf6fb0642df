//! A predicted time, and the distribution of its error.
//!
//! ```text
//! T = k + m·e^(s·Z)          Z standard normal
//! ```
//! k is known: the part of an application that a move does not change. m is the median of the rest, s the standard deviation of
//! the logarithm of its error.

use crossover_quantity::spread::Z_90;
use serde::{Deserialize, Serialize};

use crate::normal::cumulative;

/// A predicted time. Written with its median and its 90 % interval, so that no reader computes them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written")]
pub struct PredictedTime {
    /// The known part, seconds.
    pub known_seconds: f64,
    /// Median of the rest, seconds.
    pub median_seconds: f64,
    /// Standard deviation of the logarithm of the rest; 0: no error, `None`: no measured error.
    pub deviation: Option<f64>,
}

/// A predicted time as it is written. What follows from the other numbers is not read again.
#[derive(Serialize)]
struct Written {
    known_seconds: f64,
    median_seconds: f64,
    deviation: Option<f64>,
    /// The median of the whole.
    seconds: f64,
    /// The ends of its 90 % interval.
    interval_seconds: Option<[f64; 2]>,
}

impl From<PredictedTime> for Written {
    fn from(time: PredictedTime) -> Self {
        let PredictedTime { known_seconds, median_seconds, deviation } = time;
        Self { known_seconds, median_seconds, deviation, seconds: time.value(), interval_seconds: time.interval() }
    }
}

impl PredictedTime {
    /// A measured time.
    #[must_use]
    pub fn measured(seconds: f64) -> Self {
        Self { known_seconds: 0.0, median_seconds: seconds, deviation: Some(0.0) }
    }

    /// A predicted time with the factor within which 90 % of the measured ones lay; 1: no measured error.
    #[must_use]
    pub fn within(seconds: f64, error_factor_90: f64) -> Self {
        let deviation = (error_factor_90 > 1.0).then(|| error_factor_90.ln() / Z_90);
        Self { known_seconds: 0.0, median_seconds: seconds, deviation }
    }

    /// The same with a known part.
    #[must_use]
    pub fn plus_known(self, seconds: f64) -> Self {
        Self { known_seconds: self.known_seconds + seconds, ..self }
    }

    /// The median, seconds.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.known_seconds + self.median_seconds
    }

    /// The ends of the 90 % interval, seconds; `None` without a measured error, or without any.
    #[must_use]
    pub fn interval(&self) -> Option<[f64; 2]> {
        let within = (Z_90 * self.deviation.filter(|deviation| *deviation > 0.0)?).exp();
        Some([self.known_seconds + self.median_seconds / within, self.known_seconds + self.median_seconds * within])
    }

    /// The mean, seconds: above the median, because long times are further away from it than short ones.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let deviation = self.deviation.unwrap_or(0.0);
        self.known_seconds + self.median_seconds * (deviation * deviation / 2.0).exp()
    }

    /// Seconds in the middle of the error `z` standard deviations above the median.
    pub(crate) fn at(&self, z: f64) -> f64 {
        self.known_seconds + self.median_seconds * (self.deviation.unwrap_or(0.0) * z).exp()
    }

    /// Probability of a time up to `limit` where the logarithm of the rest has this standard deviation.
    pub(crate) fn chance_within(&self, limit: f64, deviation: f64) -> f64 {
        let rest = limit - self.known_seconds;
        if rest <= 0.0 {
            return 0.0;
        }
        let distance = (rest / self.median_seconds).ln();
        if deviation > 0.0 { cumulative(distance / deviation) } else { f64::from(u8::from(distance >= 0.0)) }
    }

    /// Mean of the excess over `limit`, seconds, where the logarithm of the rest has this standard deviation.
    pub(crate) fn mean_excess(&self, limit: f64, deviation: f64) -> f64 {
        let mean = self.median_seconds * (self.deviation.unwrap_or(0.0).powi(2) / 2.0).exp();
        let rest = limit - self.known_seconds;
        if rest <= 0.0 || deviation <= 0.0 {
            return (mean - rest).max(0.0);
        }
        // Black's formula: the mean of what a log-normal number exceeds a limit by.
        let above = (mean / rest).ln() / deviation + deviation / 2.0;
        mean * cumulative(above) - rest * cumulative(above - deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal;

    #[test]
    fn an_interval_has_nine_of_ten_times_of_the_part_that_is_predicted() {
        let time = PredictedTime::within(10.0, 2.0).plus_known(5.0);
        let [low, high] = time.interval().expect("an error");
        assert!((low - 10.0).abs() < 1e-12 && (high - 25.0).abs() < 1e-12, "{low} … {high}");
        let deviation = time.deviation.expect("an error");
        assert!((time.chance_within(25.0, deviation) - 0.95).abs() < 1e-9);
        assert_eq!(time.chance_within(5.0, deviation), 0.0);
        assert_eq!(PredictedTime::within(10.0, 1.0).interval(), None);
    }

    #[test]
    fn the_mean_excess_is_the_integral_of_the_excess() {
        let time = PredictedTime::within(10.0, 3.0).plus_known(2.0);
        let deviation = time.deviation.expect("an error");
        for limit in [0.5, 4.0, 12.0, 40.0] {
            let expected = normal::mean(|z| (time.at(z) - limit).max(0.0));
            let found = time.mean_excess(limit, deviation);
            assert!((found / expected - 1.0).abs() < 1e-6, "above {limit}: {found}, {expected}");
        }
        assert!((time.mean() - normal::mean(|z| time.at(z))).abs() < 1e-5);
    }
}
