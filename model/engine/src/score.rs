//! Scores of predictions of queries that the fit did not see, next to a constant that knows nothing about the query.
//!
//! The constant is the geometric mean of the measured speedups of the other queries. A prediction is worth something if its
//! mean error is smaller than that of the constant.

use serde::Serialize;

use super::predict::Range;
use super::truth::{TOO_CLOSE, rank_correlation};

/// A query is answered if the logarithm of its predicted speedup is further from 0 than this: a factor of 1.35.
pub const ANSWERED: f64 = 0.3;

/// A measured query and its prediction by a fit that did not see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredQuery {
    /// The query.
    pub query: String,
    /// Measured time in today's engine, seconds.
    pub cpu_seconds: f64,
    /// Measured time in the other engine, seconds.
    pub gpu_seconds: f64,
    /// Predicted time in today's engine, seconds; `None`: the measured one is known to the prediction.
    pub predicted_cpu_seconds: Option<f64>,
    /// Predicted time in the other engine, seconds; `None`: outside what was fitted. Where the time in today's engine is predicted too, the
    /// interval is that of their ratio.
    pub predicted: Option<Range>,
    /// The speedup that the constant predicts; `None` if no other query was measured.
    pub constant: Option<f64>,
}

/// What predictions of queries are worth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Score {
    /// Measured queries.
    pub queries: usize,
    /// Those of them with a prediction; all figures below are of these.
    pub predicted: usize,
    /// Spearman's rank correlation of predicted and measured speedups; `None` if one side has no order.
    pub rank_correlation: Option<f64>,
    /// Mean of |ln(predicted ÷ measured)| of the speedups; `None` without a prediction.
    pub error: Option<f64>,
    /// The same of the constant.
    pub constant_error: Option<f64>,
    /// Queries with an answer: see [`ANSWERED`].
    pub answered: usize,
    /// Answered queries with a clear measured speedup: see [`TOO_CLOSE`].
    pub clear: usize,
    /// Those of them where the predicted side was faster.
    pub clear_right: usize,
    /// Predictions with an interval.
    pub ranged: usize,
    /// Those of them with the measured speedup inside.
    pub inside: usize,
}

/// How a prediction compares with the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoredSide {
    /// Outside what was fitted: there is no prediction.
    Refused,
    /// The predicted speedup is too near 1 to name a side.
    Unanswered,
    /// The measured speedup is too near 1 for a right side.
    NearOne,
    /// The named side was faster.
    Right,
    /// The named side was slower.
    Wrong,
}

impl ScoredQuery {
    /// Measured speedup.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cpu_seconds / self.gpu_seconds
    }

    /// Predicted speedup: the time in today's engine, measured or predicted, ÷ the predicted one in the other.
    #[must_use]
    pub fn predicted_speedup(&self) -> Option<Range> {
        let Range { value, low, high } = self.predicted?;
        let today = self.predicted_cpu_seconds.unwrap_or(self.cpu_seconds);
        Some(Range { value: today / value, low: today / high, high: today / low })
    }

    /// Whether the prediction names the right side.
    #[must_use]
    pub fn side(&self) -> ScoredSide {
        let Some(found) = self.predicted_speedup() else { return ScoredSide::Refused };
        if found.value.ln().abs() <= ANSWERED {
            ScoredSide::Unanswered
        } else if TOO_CLOSE.contains(&self.speedup()) {
            ScoredSide::NearOne
        } else if (found.value > 1.0) == (self.speedup() > 1.0) {
            ScoredSide::Right
        } else {
            ScoredSide::Wrong
        }
    }
}

impl Score {
    /// What these predictions are worth.
    #[must_use]
    pub fn of(queries: &[ScoredQuery]) -> Self {
        let pairs: Vec<(f64, f64)> =
            queries.iter().filter_map(|query| Some((query.predicted_speedup()?.value, query.speedup()))).collect();
        let constants: Vec<(f64, f64)> = queries
            .iter()
            .filter(|query| query.predicted.is_some())
            .filter_map(|query| Some((query.constant?, query.speedup())))
            .collect();
        let sides: Vec<ScoredSide> = queries.iter().map(ScoredQuery::side).collect();
        let count = |side: ScoredSide| sides.iter().filter(|found| **found == side).count();
        let [right, wrong, near] = [ScoredSide::Right, ScoredSide::Wrong, ScoredSide::NearOne].map(count);
        let ranged: Vec<bool> = queries
            .iter()
            .filter_map(|query| Some((query.predicted_speedup()?, query.speedup())))
            .filter(|(range, _)| range.is_known())
            .map(|(range, measured)| range.contains(measured))
            .collect();
        Self {
            queries: queries.len(),
            predicted: pairs.len(),
            rank_correlation: rank_correlation(&pairs),
            error: mean_error(&pairs),
            constant_error: mean_error(&constants),
            answered: right + wrong + near,
            clear: right + wrong,
            clear_right: right,
            ranged: ranged.len(),
            inside: ranged.iter().filter(|is_inside| **is_inside).count(),
        }
    }

    /// Mean error ÷ that of the constant; below 1 the predictions know something about the queries.
    #[must_use]
    pub fn error_ratio(&self) -> Option<f64> {
        Some(self.error? / self.constant_error?)
    }

    /// Whether the predictions are better than the constant; `None` without predictions or a constant. Else the constant is the answer.
    #[must_use]
    pub fn is_better_than_constant(&self) -> Option<bool> {
        Some(self.error? < self.constant_error?)
    }

    /// Share of the queries with an answer.
    #[must_use]
    pub fn answered_share(&self) -> f64 {
        self.answered as f64 / self.queries.max(1) as f64
    }

    /// Share of the intervals that contain the measured speedup.
    #[must_use]
    pub fn inside_share(&self) -> Option<f64> {
        (self.ranged > 0).then(|| self.inside as f64 / self.ranged as f64)
    }
}

/// For each query the geometric mean of the measured speedups of the others, without its siblings: `q14a` and `q14b` are
/// parts of one query. `speedups` are queries with their measured speedup.
#[must_use]
pub fn constants(speedups: &[(&str, f64)]) -> Vec<Option<f64>> {
    let of = |query: &str| {
        let others = speedups.iter().filter(|(other, _)| family(other) != family(query));
        geometric_mean(others.map(|(_, speedup)| *speedup))
    };
    speedups.iter().map(|(query, _)| of(query)).collect()
}

/// Geometric mean; `None` without numbers.
#[must_use]
pub fn geometric_mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number.ln(), count + 1.0));
    (count > 0.0).then(|| (sum / count).exp())
}

/// The name of a query without the letter of its part: "q14a" → "q14".
#[must_use]
pub fn family(query: &str) -> &str {
    let whole = query.trim_end_matches(['a', 'b']);
    if whole.ends_with(|c: char| c.is_ascii_digit()) { whole } else { query }
}

/// Mean of |ln(found ÷ measured)|.
fn mean_error(pairs: &[(f64, f64)]) -> Option<f64> {
    let sum: f64 = pairs.iter().map(|(found, measured)| (found / measured).ln().abs()).sum();
    (!pairs.is_empty()).then(|| sum / pairs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(name: &str, cpu: f64, gpu: f64, predicted: Option<f64>, constant: f64) -> ScoredQuery {
        ScoredQuery {
            query: name.to_owned(),
            cpu_seconds: cpu,
            gpu_seconds: gpu,
            predicted_cpu_seconds: None,
            predicted: predicted.map(|seconds| Range::new(seconds, 1.5)),
            constant: Some(constant),
        }
    }

    fn assert_near(found: Option<f64>, expected: f64) {
        let found = found.expect("a number");
        assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    }

    /// Speedups 4, 2, 1 and ½; predicted 2, 2, 1.6 and 1.6.
    fn four() -> [ScoredQuery; 4] {
        [
            query("q1", 8.0, 2.0, Some(4.0), 1.0),
            query("q2", 8.0, 4.0, Some(4.0), 1.0),
            query("q3", 8.0, 8.0, Some(5.0), 1.0),
            query("q4", 8.0, 16.0, Some(5.0), 1.0),
        ]
    }

    #[test]
    fn figures_are_those_of_a_calculation_by_hand() {
        let score = Score::of(&four());
        assert_eq!((score.queries, score.predicted), (4, 4));
        // Ranks 3.5, 3.5, 1.5, 1.5 against 4, 3, 2, 1. Sum of products of deviations 1·1.5 + 1·0.5 + 1·0.5 + 1·1.5 = 4, of squares
        // 4 and 5.
        assert_near(score.rank_correlation, 4.0 / 20.0_f64.sqrt());
        // Predicted ÷ measured: ½, 1, 1.6 and 3.2.
        assert_near(score.error, (2.0_f64.ln() + 1.6_f64.ln() + 3.2_f64.ln()) / 4.0);
        // The constant 1 is off by factors of 4, 2, 1 and 2.
        assert_near(score.constant_error, 16.0_f64.ln() / 4.0);
        // All are answered: ln 1.6 = 0.47. q3 is near 1; of the three clear ones, q4 is wrong.
        assert_eq!((score.answered, score.clear, score.clear_right), (4, 3, 2));
        // Within a factor of 1.5: only q2.
        assert_eq!((score.inside, score.ranged), (1, 4));
    }

    #[test]
    fn a_query_near_one_is_unanswered_and_one_without_a_prediction_refused() {
        // Predicted speedups 1.34 and 1.36: their logarithms are 0.293 and 0.307.
        let queries = [
            query("q1", 1.34, 0.5, Some(1.0), 2.0),
            query("q2", 1.36, 0.5, Some(1.0), 2.0),
            query("q3", 1.0, 5.0, None, 9.0),
        ];
        assert_eq!(
            queries.each_ref().map(ScoredQuery::side),
            [ScoredSide::Unanswered, ScoredSide::Right, ScoredSide::Refused]
        );
        let score = Score::of(&queries);
        assert_eq!((score.queries, score.predicted, score.answered), (3, 2, 1));
        assert_near(Some(score.answered_share()), 1.0 / 3.0);
        // What was refused does not count against the constant either: it is off by 1.34 and 1.36.
        assert_near(score.constant_error, f64::midpoint(1.34_f64.ln(), 1.36_f64.ln()));
    }

    #[test]
    fn an_interval_of_times_becomes_one_of_speedups() {
        let range = query("q1", 6.0, 3.0, Some(2.0), 1.0).predicted_speedup().expect("a prediction");
        // 2 s within a factor of 1.5: 1.33 … 3 s, so 4.5× … 2×.
        assert_near(Some(range.value), 3.0);
        assert_near(Some(range.low), 2.0);
        assert_near(Some(range.high), 4.5);
        assert!(range.contains(2.0));
    }

    #[test]
    fn a_speedup_of_two_predicted_times_has_the_measured_one_to_compare_with() {
        let planned = ScoredQuery { predicted_cpu_seconds: Some(9.0), ..query("q1", 6.0, 3.0, Some(2.0), 1.0) };
        // 9 ÷ 2 within a factor of 1.5, and 6 ÷ 3 as measured.
        let range = planned.predicted_speedup().expect("a prediction");
        assert_near(Some(range.value), 4.5);
        assert_near(Some(range.low), 3.0);
        assert_near(Some(range.high), 6.75);
        assert_near(Some(planned.speedup()), 2.0);
    }

    #[test]
    fn predictions_equal_to_the_constant_are_worth_as_much() {
        let queries = [query("q1", 4.0, 1.0, Some(2.0), 2.0), query("q2", 1.0, 1.0, Some(0.5), 2.0)];
        assert_near(Score::of(&queries).error_ratio(), 1.0);
        assert_eq!(Score::of(&queries).is_better_than_constant(), Some(false));
    }

    #[test]
    fn the_constant_is_the_geometric_mean_of_the_queries_that_are_no_siblings() {
        let found = constants(&[("q14a", 1.0), ("q14b", 16.0), ("q2", 4.0), ("q9", 9.0)]);
        // By hand: √(4·9), twice; ∛(1·16·9); ∛(1·16·4).
        for (found, expected) in found.into_iter().zip([6.0, 6.0, 144.0_f64.cbrt(), 4.0]) {
            assert_near(found, expected);
        }
        assert_eq!(constants(&[("q14a", 1.0), ("q14b", 2.0)]), [None, None]);
    }

    #[test]
    fn only_a_letter_after_a_number_is_a_part() {
        assert_eq!(["q14a", "q2", "crab", "scan_b", "q39b"].map(family), ["q14", "q2", "crab", "scan_b", "q39"]);
    }

    #[test]
    fn nothing_has_no_figures() {
        let score = Score::of(&[]);
        assert_eq!((score.error, score.rank_correlation, score.inside_share()), (None, None, None));
        assert_eq!((score.error_ratio(), score.is_better_than_constant()), (None, None));
    }
}
