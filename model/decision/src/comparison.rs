//! The likelihood that one time is below another one, both with errors.

use crate::normal::{cumulative, mean};
use crate::time::PredictedTime;

/// Beyond this many standard deviations a probability is 0 in double precision.
const REACH: f64 = 40.0;
/// Halvings of an interval until its ends are the same number.
const HALVINGS: usize = 64;

/// Likelihood that one time takes less than `factor` times the other one, with errors of this correlation, 0 or 1 where both have a
/// known part; `None` without a measured error.
pub(crate) fn chance_below(one: &PredictedTime, other: &PredictedTime, factor: f64, correlation: f64) -> Option<f64> {
    let (s, t) = (one.deviation?, other.deviation?);
    // The mean is over the smaller error, so that its function is smooth.
    let chance =
        if s < t { 1.0 - under(other, one, 1.0 / factor, correlation) } else { under(one, other, factor, correlation) };
    Some(chance.clamp(0.0, 1.0))
}

/// The likelihood where the first error is not the smaller one.
fn under(one: &PredictedTime, other: &PredictedTime, factor: f64, correlation: f64) -> f64 {
    let (s, t) = (one.deviation.unwrap_or(0.0), other.deviation.unwrap_or(0.0));
    // Given the other one's error z, this one's is normal around ρ·z.
    let rest = s * (1.0 - correlation * correlation).sqrt();
    if rest <= 0.0 {
        return under_with_same_error(one, other, factor);
    }
    if one.known_seconds == 0.0 && other.known_seconds == 0.0 {
        // The quotient of two log-normal numbers is log-normal.
        let deviation = (s * s + t * t - 2.0 * correlation * s * t).sqrt();
        return cumulative((factor * other.median_seconds / one.median_seconds).ln() / deviation);
    }
    mean(|z| {
        let limit = factor * other.at(z) - one.known_seconds;
        if limit <= 0.0 {
            return 0.0;
        }
        cumulative(((limit / one.median_seconds).ln() - s * correlation * z) / rest)
    })
}

/// The likelihood where both times have the same error z: that of the z with f·T₂(z) − T₁(z) > 0.
fn under_with_same_error(one: &PredictedTime, other: &PredictedTime, factor: f64) -> f64 {
    let (s, t) = (one.deviation.unwrap_or(0.0), other.deviation.unwrap_or(0.0));
    let margin = |z: f64| factor * other.at(z) - one.at(z);
    if s == t {
        // The margin rises or falls everywhere, or is the same everywhere.
        let is_always_same = margin(0.0) == 0.0 && margin(1.0) == 0.0;
        return if is_always_same { 0.5 } else { chance_of_gain(&margin, -REACH, REACH) };
    }
    // It rises up to here, then it falls.
    let turn = (factor * other.median_seconds * t / (one.median_seconds * s)).ln() / (s - t);
    let turn = if turn.is_nan() { 0.0 } else { turn.clamp(-REACH, REACH) };
    chance_of_gain(&margin, -REACH, turn) + chance_of_gain(&margin, turn, REACH)
}

/// Probability of the numbers from `from` to `to` at which a function is positive that rises or falls between them.
fn chance_of_gain(function: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let is_gain = |z: f64| function(z) > 0.0;
    match (is_gain(from), is_gain(to)) {
        (false, false) => 0.0,
        (true, true) => cumulative(to) - cumulative(from),
        (is_first, _) => {
            let [mut low, mut high] = [from, to];
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if is_gain(middle) == is_first {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            if is_first { cumulative(low) - cumulative(from) } else { cumulative(to) - cumulative(high) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(known: f64, median: f64, deviation: f64) -> PredictedTime {
        PredictedTime { known_seconds: known, median_seconds: median, deviation: Some(deviation) }
    }

    #[track_caller]
    fn assert_near(found: Option<f64>, expected: f64, within: f64) {
        let found = found.expect("errors");
        assert!((found - expected).abs() <= within, "{found}, expected {expected}");
    }

    /// Of 100 s + 1 s·e^(Z₁/2) and 100 s·e^(Z₂/2) the first one is less where Z₂ is above ln(1 + e^(Z₁/2)/100)/(1/2): nearly a step.
    /// The expected value is a mean over Z₁, which is smooth, by the midpoint rule.
    #[test]
    fn a_known_part_beside_a_small_rest_is_compared_as_exactly_as_any_other() {
        let (one, other) = (time(100.0, 1.0, 0.5), time(0.0, 100.0, 0.5));
        let count = 20_000_u32;
        let step = 16.0 / f64::from(count);
        let weight = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * step;
        let at = |number: u32| step * (f64::from(number) + 0.5) - 8.0;
        let given = |z: f64| weight(z) * cumulative(-(1.0 + (0.5 * z).exp() / 100.0).ln() / 0.5);
        let expected: f64 = (0..count).map(|number| given(at(number))).sum();
        assert_near(chance_below(&one, &other, 1.0, 0.0), expected, 1e-6);
        assert_near(chance_below(&other, &one, 1.0, 0.0), 1.0 - expected, 1e-6);
    }

    /// 10 + 5·e^(Z/2) < 15·e^(Z/2) where e^(Z/2) > 1, and 10 + 10·e^(Z/2) < 12·e^(Z/2) where it is above 5.
    #[test]
    fn one_error_of_both_has_an_exact_likelihood() {
        let below = |one: &PredictedTime, other: &PredictedTime| chance_below(one, other, 1.0, 1.0);
        assert_near(below(&time(10.0, 5.0, 0.5), &time(0.0, 15.0, 0.5)), 0.5, 1e-12);
        let rare = cumulative(-2.0 * 5.0_f64.ln());
        assert_near(below(&time(10.0, 10.0, 0.5), &time(0.0, 12.0, 0.5)), rare, 1e-12);
        assert_near(below(&time(0.0, 12.0, 0.5), &time(10.0, 10.0, 0.5)), 1.0 - rare, 1e-12);
        // The same time is as likely below as above itself.
        assert_near(below(&time(1.0, 12.0, 0.5), &time(1.0, 12.0, 0.5)), 0.5, 0.0);
        // e^Z < 2·e^(Z/2) − 3/4 where e^(Z/2) is between 1/2 and 3/2.
        let between = cumulative(2.0 * 1.5_f64.ln()) - cumulative(-2.0 * 2.0_f64.ln());
        assert_near(below(&time(0.75, 1.0, 1.0), &time(0.0, 2.0, 0.5)), between, 1e-12);
        assert_near(below(&time(0.0, 2.0, 0.5), &time(0.75, 1.0, 1.0)), 1.0 - between, 1e-12);
        assert_near(below(&time(1.25, 1.0, 1.0), &time(0.0, 2.0, 0.5)), 0.0, 0.0);
    }

    #[test]
    fn times_without_an_error_are_compared_as_they_are() {
        let measured = PredictedTime::measured;
        for (one, other, expected) in [(1.0, 2.0, 1.0), (2.0, 1.0, 0.0), (1.0, 1.0, 0.5)] {
            assert_near(chance_below(&measured(one), &measured(other), 1.0, 0.0), expected, 0.0);
        }
        let unknown = PredictedTime { deviation: None, ..measured(1.0) };
        assert_eq!(chance_below(&unknown, &measured(1.0), 1.0, 0.0), None);
    }
}
