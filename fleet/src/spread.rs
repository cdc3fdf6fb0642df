//! The interval of a sum of predictions.
//!
//! ```text
//! a_i = m_i · ln ε_i / 1.645                 m_i predicted seconds of distinct queries, ε_i their error factors
//! V   = Σ_e [r·(Σ a_i)² + (1 − r)·Σ a_i²]    of the queries of each engine e; r correlation of the errors of two of them
//! M   = Σ m_i,   s = √V / M                  the sum is M·e^(±1.645·s)
//! ```
//! Repetitions of a query in one engine have the same error, so they are one query here. Errors of different engines are
//! uncorrelated, as in a decision (`crossover_decision::decision::ERROR_CORRELATION`). See `docs/model/fleet.md`.

use std::collections::BTreeMap;

use crossover_decision::PredictedTime;
use crossover_quantity::spread::Z_90;

use crate::application::Range;

/// Correlation of the errors of distinct queries in one engine, which share one profile. Assumed, not measured: with 0
/// errors of many queries cancel out, with 1 they do not.
pub const ERROR_CORRELATION: f64 = 0.5;

/// Sums of predictions: of times, or of costs, which are times with a price.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sum {
    /// Predicted: the sum of the medians.
    predicted: f64,
    /// Prediction × standard deviation of its logarithm, by engine and query.
    standard_deviations: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Sum {
    /// Adds the prediction for a query, which has the error factor (90 %) `within`. All queries of such a sum are of one engine.
    pub fn add(&mut self, query: &str, predicted: f64, within: f64) {
        self.add_all("", predicted, [(query, predicted * within.ln() / Z_90)]);
    }

    /// Adds the prediction and the standard deviations of another sum, whose queries are of this engine.
    pub fn add_all<'a>(
        &mut self,
        engine: &str,
        predicted: f64,
        standard_deviations: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        self.predicted += predicted;
        let queries = self.standard_deviations.entry(engine.to_owned()).or_default();
        for (query, standard_deviation) in standard_deviations {
            match queries.get_mut(query) {
                Some(sum) => *sum += standard_deviation,
                None => _ = queries.insert(query.to_owned(), standard_deviation),
            }
        }
    }

    /// Prediction × standard deviation, by query.
    #[must_use]
    pub fn standard_deviations(self) -> Vec<(String, f64)> {
        self.standard_deviations.into_values().flatten().collect()
    }

    /// Standard deviation of the logarithm of the sum.
    fn standard_deviation(&self) -> f64 {
        let of_engine = |queries: &BTreeMap<String, f64>| {
            let (sum, squares) = queries.values().fold((0.0, 0.0), |(sum, squares), a| (sum + a, squares + a * a));
            ERROR_CORRELATION * sum * sum + (1.0 - ERROR_CORRELATION) * squares
        };
        let variance: f64 = self.standard_deviations.values().map(of_engine).sum();
        if self.predicted > 0.0 { variance.sqrt() / self.predicted } else { 0.0 }
    }

    /// The 90 % interval of a sum with this mean, to which `known` without error is added: log-normal, so that a sum of one
    /// prediction has the interval of that prediction.
    #[must_use]
    pub fn interval_around(&self, mean: f64, known: f64) -> [f64; 2] {
        let deviation = self.standard_deviation();
        let median = mean * (-deviation * deviation / 2.0).exp();
        [-Z_90, Z_90].map(|z| known + median * (z * deviation).exp())
    }

    /// The sum with its 90 % interval, plus `known` seconds without error.
    #[must_use]
    pub fn range(&self, known: f64) -> Range {
        let within = (Z_90 * self.standard_deviation()).exp();
        let Self { predicted, .. } = *self;
        Range { value: known + predicted, low: known + predicted / within, high: known + predicted * within }
    }

    /// The sum as a predicted time, plus `known` seconds without error.
    #[must_use]
    pub fn time(&self, known: f64) -> PredictedTime {
        let deviation = Some(self.standard_deviation()).filter(|deviation| *deviation > 0.0);
        PredictedTime { known_seconds: known, median_seconds: self.predicted, deviation }
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
    fn errors_of_different_engines_cancel_out() {
        let a = 10.0 * 3.0_f64.ln() / Z_90;
        let (mut one, mut two) = (Sum::default(), Sum::default());
        for (engine, query) in [("RAPIDS", "a"), ("RAPIDS", "b")] {
            one.add_all(engine, 10.0, [(query, a)]);
        }
        for engine in ["RAPIDS", "Gluten"] {
            two.add_all(engine, 10.0, [("a", a)]);
        }
        // By hand: √(0.5·4 + 0.5·2)/2 = 0.866025 and √2/2 = 0.707107; 3^0.866025 = 2.589400, 3^0.707107 = 2.174581.
        assert!((one.range(0.0).high / 20.0 - 2.589_400).abs() < 1e-5, "{:?}", one.range(0.0));
        assert!((two.range(0.0).high / 20.0 - 2.174_581).abs() < 1e-5, "{:?}", two.range(0.0));
    }

    #[test]
    fn the_interval_around_the_mean_of_one_prediction_is_its_own() {
        let mut sum = Sum::default();
        sum.add("a", 10.0, 2.0);
        let mean = sum.time(0.0).mean();
        let [low, high] = sum.interval_around(mean, 5.0);
        assert!((low - 10.0).abs() < 1e-9 && (high - 25.0).abs() < 1e-9, "{low} … {high}");
    }

    #[test]
    fn without_measured_errors_there_is_no_interval() {
        let mut sum = Sum::default();
        sum.add("a", 10.0, 1.0);
        assert_eq!(sum.time(1.0).interval(), None);
        assert_eq!(sum.range(1.0), Range { value: 11.0, low: 11.0, high: 11.0 });
    }
}
