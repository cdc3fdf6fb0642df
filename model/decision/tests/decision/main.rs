//! Decisions between today's engine and candidates, compared with outcomes that are drawn at random, and with formulas of the
//! literature.

mod against;
mod broken_limits;
mod candidates;
mod chances;
mod dependence;
mod draws;
mod front;
mod growths;
mod laws;
mod limits;
mod prices;
mod reasons;
mod rules;
mod savings;
mod sentences;
mod ties;
mod trials;

use crossover_decision::{Baseline, Candidate, Goal, Objective, PredictedTime, Price, TimeLimit};

/// Quantile of 90 % of the normal distribution: NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.1, to more digits.
const QUANTILE_90: f64 = 1.281_551_565_544_600_4;
/// Seconds of an hour.
const HOUR: f64 = 3600.0;

/// Today's engine, measured.
fn measured(seconds: f64, usd_per_hour: Option<f64>) -> Baseline {
    Baseline::measured("today", seconds, usd_per_hour.map(Price::entered))
}

/// A time with a known part, the median of the rest, and the deviation of its logarithm.
fn time(known: f64, median: f64, deviation: f64) -> PredictedTime {
    PredictedTime { known_seconds: known, median_seconds: median, deviation: Some(deviation) }
}

/// A candidate beside a measured time; its engine has its name.
fn candidate(title: &str, time: PredictedTime, usd_per_hour: Option<f64>) -> Candidate {
    Candidate::predicted(title, time, usd_per_hour.map(Price::entered))
}

/// The least cost within this factor of today's time.
fn cost_within(factor: f64) -> Objective {
    Objective { time_limit: TimeLimit::Factor(factor), ..Objective::default() }
}

/// The least time within this cost of a run, or within today's.
fn least_time(budget_usd: Option<f64>) -> Objective {
    Objective { goal: Goal::Time, budget_usd, ..Objective::default() }
}

/// Probability of a standard normal number up to `z`.
fn normal(z: f64) -> f64 {
    0.5 * (1.0 + libm::erf(z / std::f64::consts::SQRT_2))
}

/// Fails unless both numbers are equal up to this difference.
#[track_caller]
fn assert_near(found: f64, expected: f64, difference: f64) {
    assert!((found - expected).abs() <= difference, "{found} instead of {expected}");
}
