//! Fits T(V) = a + V/b to times at several sizes.
//!
//! Least squares of the *relative* error: Σ((a + V/b − T)/T)² is least. Sizes span a factor of a thousand;
//! absolute errors would fit the largest one alone. Both parts are kept from being negative.

use crossover_harness::generator::Generator;
use crossover_harness::statistics::quantile;
use crossover_measured::calibration::{CostCurve, MeasuredCurve};

/// Times of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Input, bytes.
    pub bytes: f64,
    /// Seconds, one entry per sample.
    pub samples_s: Vec<f64>,
}

impl Point {
    /// Median, seconds.
    #[must_use]
    pub fn median(&self) -> f64 {
        let mut sorted = self.samples_s.clone();
        sorted.sort_by(f64::total_cmp);
        quantile(&sorted, 0.5)
    }
}

/// Rounds of the bootstrap that gives the intervals.
const ROUNDS: u64 = 1_000;

/// Fits medians; the intervals are a bootstrap over the samples, so they show the noise of the samples, not the error of
/// the form. `None` with fewer than two sizes, or if no rate is found (times that do not grow).
#[must_use]
pub fn fit(points: &[Point]) -> Option<MeasuredCurve> {
    let usable = |point: &&Point| point.bytes > 0.0 && !point.samples_s.is_empty() && point.median() > 0.0;
    let points: Vec<&Point> = points.iter().filter(usable).collect();
    let medians: Vec<(f64, f64)> = points.iter().map(|point| (point.bytes, point.median())).collect();
    let curve = least_squares(&medians)?;
    let generator = Generator::new(0xF17);
    let mut draw = 0;
    let mut resampled: Vec<CostCurve> = Vec::new();
    for _ in 0..ROUNDS {
        let medians: Vec<(f64, f64)> = points
            .iter()
            .map(|point| {
                let count = point.samples_s.len() as u64;
                let mut sample: Vec<f64> = (0..count)
                    .map(|_| {
                        draw += 1;
                        #[expect(clippy::cast_possible_truncation, reason = "below the number of samples")]
                        let index = generator.below(draw, count) as usize;
                        point.samples_s[index]
                    })
                    .collect();
                sample.sort_by(f64::total_cmp);
                (point.bytes, quantile(&sample, 0.5))
            })
            .collect();
        resampled.extend(least_squares(&medians));
    }
    Some(MeasuredCurve {
        curve,
        fixed_seconds_interval: interval(curve.fixed_seconds, resampled.iter().map(|curve| curve.fixed_seconds)),
        gb_per_s_interval: interval(curve.gb_per_s, resampled.iter().map(|curve| curve.gb_per_s)),
        r_squared: r_squared(&medians, curve),
    })
}

/// The middle 95 % of the values; never without the value itself.
fn interval(value: f64, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        return (value, value);
    }
    (quantile(&sorted, 0.025).min(value), quantile(&sorted, 0.975).max(value))
}

/// The normal equations with weights 1/T²; a part that would be negative is 0, and the other one fitted alone.
pub(super) fn least_squares(points: &[(f64, f64)]) -> Option<CostCurve> {
    if points.len() < 2 {
        return None;
    }
    // With u = 1/T and x = V/T the relative error is a·u + s·x − 1, s = 1/b in seconds per byte.
    let sum = |term: &dyn Fn(f64, f64) -> f64| points.iter().map(|(v, t)| term(1.0 / t, v / t)).sum::<f64>();
    let (uu, ux, xx) = (sum(&|u, _| u * u), sum(&|u, x| u * x), sum(&|_, x| x * x));
    let (u1, x1) = (sum(&|u, _| u), sum(&|_, x| x));
    let determinant = uu * xx - ux * ux;
    let both =
        (determinant > 1e-12 * uu * xx).then(|| ((u1 * xx - x1 * ux) / determinant, (x1 * uu - u1 * ux) / determinant));
    let (fixed, seconds_per_byte) = match both {
        Some((fixed, slope)) if fixed >= 0.0 => (fixed, slope),
        _ => (0.0, x1 / xx),
    };
    let gb_per_s = 1e-9 / seconds_per_byte;
    (seconds_per_byte > 0.0 && gb_per_s.is_finite()).then_some(CostCurve { fixed_seconds: fixed, gb_per_s })
}

/// Share of the variance of log T that the curve explains. In the logarithm, because the fit is relative.
fn r_squared(points: &[(f64, f64)], curve: CostCurve) -> f64 {
    let logarithms: Vec<f64> = points.iter().map(|(_, t)| t.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
    let total: f64 = logarithms.iter().map(|log| (log - mean).powi(2)).sum();
    let predicted = |v: f64| (curve.fixed_seconds + v / 1e9 / curve.gb_per_s).ln();
    let left: f64 = points.iter().map(|(v, t)| (predicted(*v) - t.ln()).powi(2)).sum();
    if total > 0.0 { 1.0 - left / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn points(sizes_and_times: &[(f64, f64)]) -> Vec<Point> {
        sizes_and_times.iter().map(|(bytes, time)| Point { bytes: *bytes, samples_s: vec![*time; 12] }).collect()
    }

    #[test]
    fn times_on_a_line_give_back_the_line() {
        // 50 µs and 10 GB/s: 1 MB takes 150 µs, 100 MB 10.05 ms.
        let curve = fit(&points(&[(1e6, 150e-6), (1e7, 1.05e-3), (1e8, 10.05e-3)])).expect("a fit");
        assert!((curve.curve.fixed_seconds - 50e-6).abs() < 1e-12, "{curve:?}");
        assert!((curve.curve.gb_per_s - 10.0).abs() < 1e-6, "{curve:?}");
        assert!(curve.r_squared > 0.999_999);
        let (low, high) = curve.gb_per_s_interval;
        assert!(high - low < 1e-6, "samples without noise");
    }

    #[test]
    fn a_fixed_cost_is_never_negative() {
        // Faster than proportional at the small end, as in a cache.
        let curve = fit(&points(&[(1e6, 50e-6), (1e7, 1e-3), (1e8, 10e-3)])).expect("a fit");
        assert_eq!(curve.curve.fixed_seconds, 0.0);
        assert!(curve.curve.gb_per_s > 10.0 && curve.curve.gb_per_s < 20.0, "between both rates: {curve:?}");
    }

    #[test]
    fn too_little_gives_no_curve() {
        assert_eq!(fit(&points(&[(1e6, 1e-3)])), None);
        assert_eq!(fit(&points(&[(1e6, 1e-3), (1e7, 0.0)])), None, "a time of zero is no time");
        assert_eq!(fit(&[]), None);
        let shrinking = fit(&points(&[(1e6, 1e-2), (1e9, 1e-6)]));
        assert!(shrinking.is_none_or(|curve| curve.curve.gb_per_s > 0.0));
    }

    #[test]
    fn noisy_samples_give_a_wide_interval_around_the_value() {
        let noisy = |bytes: f64, time: f64| Point {
            bytes,
            samples_s: (0..20).map(|sample| time * (0.8 + 0.02 * f64::from(sample))).collect(),
        };
        let curve = fit(&[noisy(1e6, 150e-6), noisy(1e7, 1.05e-3), noisy(1e8, 10.05e-3)]).expect("a fit");
        let (low, high) = curve.gb_per_s_interval;
        assert!(low < curve.curve.gb_per_s && curve.curve.gb_per_s < high);
        assert!((high - low) / curve.curve.gb_per_s > 0.05, "{curve:?}");
    }

    proptest! {
        #[test]
        fn exact_times_are_recovered(fixed in 1e-6_f64..1e-3, rate in 0.1_f64..5e3) {
            let line = |bytes: f64| (bytes, fixed + bytes / 1e9 / rate);
            let curve = fit(&points(&[line(65_536.0), line(1e6), line(1.6e7), line(2.56e8), line(1e9)])).expect("a fit");
            prop_assert!((curve.curve.fixed_seconds / fixed - 1.0).abs() < 1e-3);
            prop_assert!((curve.curve.gb_per_s / rate - 1.0).abs() < 1e-3);
        }
    }
}
