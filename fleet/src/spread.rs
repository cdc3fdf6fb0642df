//! The interval of a sum of predictions.
//!
//! ```text
//! a_i = m_i · ln ε_i / 1.645                 m_i predicted seconds of distinct queries, ε_i their error factors
//! V   = r·(Σ a_i)² + (1 − r)·Σ a_i²          r correlation of the errors of distinct queries
//! M   = Σ m_i,   s = √V / M                  the sum is M·e^(±1.645·s)
//! ```
//! Repetitions of a query have the same error, so they are one query here. See `docs/model/fleet.md`.

use std::collections::BTreeMap;

use crossover_decision::PredictedTime;
use crossover_quantity::spread::Z_90;

use crate::application::Range;

/// Correlation of the errors of distinct queries, which share one cluster and one profile. Assumed, not measured: with 0
/// errors of many queries cancel out, with 1 they do not.
pub const ERROR_CORRELATION: f64 = 0.5;

/// Sums of predictions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sum {
    /// Predicted, seconds.
    seconds: f64,
    /// Seconds × standard deviation, by query.
    standard_deviations: BTreeMap<String, f64>,
}

impl Sum {
    /// Adds seconds of a query, whose prediction has the error factor (90 %) `within`.
    pub fn add(&mut self, query: &str, seconds: f64, within: f64) {
        self.seconds += seconds;
        self.add_standard_deviation(query, seconds * within.ln() / Z_90);
    }

    /// Adds seconds and standard deviations of another sum.
    pub fn add_all<'a>(&mut self, seconds: f64, standard_deviations: impl IntoIterator<Item = (&'a str, f64)>) {
        self.seconds += seconds;
        for (query, standard_deviation) in standard_deviations {
            self.add_standard_deviation(query, standard_deviation);
        }
    }

    fn add_standard_deviation(&mut self, query: &str, standard_deviation: f64) {
        match self.standard_deviations.get_mut(query) {
            Some(sum) => *sum += standard_deviation,
            None => _ = self.standard_deviations.insert(query.to_owned(), standard_deviation),
        }
    }

    /// Seconds × standard deviation, by query.
    #[must_use]
    pub fn standard_deviations(self) -> Vec<(String, f64)> {
        self.standard_deviations.into_iter().collect()
    }

    /// Standard deviation of the logarithm of the sum.
    fn standard_deviation(&self) -> f64 {
        let (sum, squares) =
            self.standard_deviations.values().fold((0.0, 0.0), |(sum, squares), a| (sum + a, squares + a * a));
        let variance = ERROR_CORRELATION * sum * sum + (1.0 - ERROR_CORRELATION) * squares;
        if self.seconds > 0.0 { variance.sqrt() / self.seconds } else { 0.0 }
    }

    /// The sum with its 90 % interval, plus `known` seconds without error.
    #[must_use]
    pub fn range(&self, known: f64) -> Range {
        let within = (Z_90 * self.standard_deviation()).exp();
        Range { value: known + self.seconds, low: known + self.seconds / within, high: known + self.seconds * within }
    }

    /// The sum as a predicted time, plus `known` seconds without error.
    #[must_use]
    pub fn time(&self, known: f64) -> PredictedTime {
        let deviation = Some(self.standard_deviation()).filter(|deviation| *deviation > 0.0);
        PredictedTime { known_seconds: known, median_seconds: self.seconds, deviation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_of_a_query_do_not_narrow_its_interval() {
        let mut sum = Sum::default();
        sum.add("q", 10.0, 2.0);
        sum.add("q", 30.0, 2.0);
        let range = sum.range(5.0);
        assert!((range.value - 45.0).abs() < 1e-9, "{range:?}");
        assert!((range.low - 25.0).abs() < 1e-9 && (range.high - 85.0).abs() < 1e-9, "{range:?}");
        // The decision takes the same interval.
        let [low, high] = sum.time(5.0).interval().expect("an error");
        assert!((low - 25.0).abs() < 1e-9 && (high - 85.0).abs() < 1e-9, "{low} … {high}");
    }

    #[test]
    fn different_queries_cancel_out_half_of_their_variance() {
        let mut sum = Sum::default();
        for query in ["a", "b", "c", "d"] {
            sum.add(query, 10.0, 3.0);
        }
        // By hand: √(0.5·16 + 0.5·4)/4 = 0.790569; 3^0.790569 = 2.383403.
        assert!((sum.range(0.0).high / 40.0 - 2.383_403).abs() < 1e-5, "{:?}", sum.range(0.0));
    }

    #[test]
    fn without_measured_errors_there_is_no_interval() {
        let mut sum = Sum::default();
        sum.add("a", 10.0, 1.0);
        assert_eq!(sum.time(1.0).interval(), None);
        assert_eq!(sum.range(1.0), Range { value: 11.0, low: 11.0, high: 11.0 });
    }
}
