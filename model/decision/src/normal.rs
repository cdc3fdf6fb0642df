//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};
use std::sync::LazyLock;

/// Quantile of 90 %.
pub(crate) const QUANTILE_90: f64 = 1.281_551_565_544_600_4;

/// Integration: from minus this to this many standard deviations.
const REACH: f64 = 8.0;
/// Intervals of an integration.
const INTERVALS: u32 = 400;

/// Probability of a value up to `z`.
pub(crate) fn cumulative(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// Points of an integration with their weights: the density there × the distance of two points.
static POINTS: LazyLock<Vec<[f64; 2]>> = LazyLock::new(|| {
    let step = 2.0 * REACH / f64::from(INTERVALS);
    let point = |at: u32| {
        let z = step * f64::from(at) - REACH;
        [z, libm::exp(-z * z / 2.0) * step / (2.0 * PI).sqrt()]
    };
    (0..=INTERVALS).map(point).collect()
});

/// Mean of a function of a standard normal number: the trapezoidal rule, which converges exponentially here.
pub(crate) fn mean(of: impl Fn(f64) -> f64) -> f64 {
    POINTS.iter().map(|[z, weight]| of(*z) * weight).sum()
}

#[cfg(test)]
mod tests {
    use crossover_quantity::spread::Z_90;

    use super::*;

    #[test]
    fn the_distribution_has_its_known_quantiles() {
        assert!((cumulative(Z_90) - 0.95).abs() < 1e-12);
        assert!((cumulative(QUANTILE_90) - 0.9).abs() < 1e-12);
        assert!((cumulative(0.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn the_mean_of_a_square_is_one_and_that_of_an_exponential_is_known() {
        assert!((mean(|z| z * z) - 1.0).abs() < 1e-9);
        assert!((mean(|z| (0.7 * z).exp()) - (0.7_f64 * 0.7 / 2.0).exp()).abs() < 1e-9);
    }
}
