//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// Quantile of 90 %.
pub(crate) const QUANTILE_90: f64 = 1.281_551_565_544_600_4;

/// Integration: from minus this to this many standard deviations. Less than 2·10⁻¹⁵ of the probability is outside.
const REACH: f64 = 8.0;
/// Intervals that an integration begins with.
const INTERVALS: u32 = 16;
/// Estimated error at which an integration ends.
const TOLERANCE: f64 = 1e-7;
/// Width at which an interval with a jump is not halved again: less than half of this is between the two sides.
const NARROWEST: f64 = 1e-9;

/// Probability of a value up to `z`.
pub(crate) fn cumulative(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// An interval of an integration, with the integrand at both ends and in the middle.
#[derive(Clone, Copy)]
struct Interval {
    from: f64,
    width: f64,
    values: [f64; 3],
}

impl Interval {
    /// The integral by Simpson's rule.
    fn area(&self) -> f64 {
        let [first, middle, last] = self.values;
        self.width / 6.0 * (first + 4.0 * middle + last)
    }

    fn halves(&self, integrand: &impl Fn(f64) -> f64) -> [Self; 2] {
        let Self { from, width, values: [first, middle, last] } = *self;
        let half = |from: f64, first: f64, last: f64| Self {
            from,
            width: width / 2.0,
            values: [first, integrand(from + width / 4.0), last],
        };
        [half(from, first, middle), half(from + width / 2.0, middle, last)]
    }
}

/// Mean of a function of a standard normal number, for monotone functions with values from 0 to 1 within 10⁻⁶: adaptive Simpson's
/// rule (Lyness, Journal of the ACM 16, 1969). The function may be steep, or jump: every rule without halving is wrong by up to
/// half of the probability between two of its points there.
pub(crate) fn mean(of: impl Fn(f64) -> f64) -> f64 {
    let density = |z: f64| libm::exp(-z * z / 2.0) / (2.0 * PI).sqrt();
    let integrand = |z: f64| of(z) * density(z);
    let width = 2.0 * REACH / f64::from(INTERVALS);
    let first = |at: u32| {
        let from = width * f64::from(at) - REACH;
        let values = [from, from + width / 2.0, from + width].map(&integrand);
        Interval { from, width, values }
    };
    let mut open: Vec<Interval> = (0..INTERVALS).map(first).collect();
    let mut sum = 0.0;
    while let Some(interval) = open.pop() {
        let halves = interval.halves(&integrand);
        let refined: f64 = halves.iter().map(Interval::area).sum();
        // The error of the halves is a fifteenth of the change, because that of the rule is of the fourth order.
        let error = (refined - interval.area()) / 15.0;
        if error.is_nan() || error.abs() <= TOLERANCE * interval.width / (2.0 * REACH) || interval.width < NARROWEST {
            sum += refined + error;
        } else {
            open.extend(halves);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use crossover_quantity::spread::Z_90;

    use super::*;

    /// Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.1.
    #[test]
    fn the_distribution_has_its_published_values() {
        assert!((cumulative(Z_90) - 0.95).abs() < 1e-12);
        assert!((cumulative(QUANTILE_90) - 0.9).abs() < 1e-12);
        for (z, published) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (3.0, 0.998_650_101_968_370),
            (-1.0, 0.158_655_253_931_457),
        ] {
            assert!((cumulative(z) - published).abs() < 1e-14, "{z}: {}", cumulative(z));
        }
    }

    #[test]
    fn the_mean_of_a_square_is_one_and_that_of_an_exponential_is_known() {
        assert!((mean(|z| z * z) - 1.0).abs() < 1e-6);
        assert!((mean(|z| (0.7 * z).exp()) - (0.7_f64 * 0.7 / 2.0).exp()).abs() < 1e-6);
    }

    /// E[Φ(a + b·Z)] = Φ(a / √(1 + b²)): Owen, A table of normal integrals, 1980, 10,010.8.
    #[test]
    fn the_mean_of_a_probability_is_right_however_steep_it_is() {
        for slope in [0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1e4, 1e8] {
            // The step is beyond the range, in the tails, beside a point of the rule, and on it.
            for step in [-1e3, -3.0, -0.51, -1e-5, 0.0, 1e-3, 0.125, 0.37, 2.0, 12.0] {
                let expected = cumulative(-slope * step / 1.0_f64.hypot(slope));
                let found = mean(|z| cumulative(slope * (z - step)));
                assert!((found - expected).abs() < 1e-6, "slope {slope} at {step}: {found}, {expected}");
            }
        }
    }

    /// Both of two normal numbers are negative with 1/4 + arcsin(ρ)/2π: Sheppard, Philosophical Transactions A 192, 1899.
    #[test]
    fn the_probability_of_a_quadrant_is_that_of_sheppard() {
        for (correlation, published) in [(0.0, 0.25), (0.5, 1.0 / 3.0), (-0.5, 1.0 / 6.0), (0.5_f64.sqrt(), 0.375)] {
            let rest = (1.0_f64 - correlation * correlation).sqrt();
            let found = mean(|z| if z <= 0.0 { cumulative(-correlation * z / rest) } else { 0.0 });
            assert!((found - published).abs() < 1e-6, "{correlation}: {found}");
        }
    }
}
