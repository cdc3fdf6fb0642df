//! Uncertainty of a fitted curve, from the intervals of the times that it was fitted to. It does not contain the error of the form.

use crossover_measured::calibration::CostCurve;
use crossover_quantity::estimate::{BAND_CONFIDENCE, CONFIDENCE, student};

use super::fit::least_squares;
use super::sweep::Sweep;
use crate::report::Measurement;

/// Variances of a and of s = 1/b in T(V) = a + s·V, and their covariance; V in GB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveSpread {
    fixed: f64,
    both: f64,
    seconds_per_gb: f64,
}

impl CurveSpread {
    /// Half the width of the 90 % interval of the time for this many bytes of input, seconds.
    #[must_use]
    pub fn half(&self, bytes: f64) -> f64 {
        let gb = bytes / 1e9;
        let variance = self.fixed + 2.0 * gb * self.both + gb * gb * self.seconds_per_gb;
        student(0.0, BAND_CONFIDENCE) * variance.max(0.0).sqrt()
    }
}

impl Sweep<'_> {
    /// The spread of the curve that was fitted to this sweep, by first-order propagation of the errors of the medians. `None`
    /// without an interval of a time.
    #[must_use]
    pub fn spread(&self, curve: &CostCurve) -> Option<CurveSpread> {
        let fitted: Vec<&Measurement> = self.fitted_measurements().collect();
        let medians: Vec<(f64, f64)> =
            fitted.iter().filter_map(|one| Some((one.bytes_logical, one.time?.median_s))).collect();
        // Like the curve: with too few sizes, in proportion to the largest one.
        let used = if least_squares(&medians).is_some() { fitted } else { vec![*self.measurements.last()?] };
        let rows: Vec<Row> = used.iter().filter_map(|one| Row::of(one, curve)).collect();
        if rows.is_empty() {
            return None;
        }
        let sum = |term: &dyn Fn(&Row) -> f64| rows.iter().map(term).sum::<f64>();
        let (uu, ux, xx) = (sum(&|row| row.u * row.u), sum(&|row| row.u * row.x), sum(&|row| row.x * row.x));
        let of_error = |term: &dyn Fn(&Row) -> f64| sum(&|row| row.variance * term(row));
        let [of_uu, of_ux, of_xx] =
            [of_error(&|row| row.u * row.u), of_error(&|row| row.u * row.x), of_error(&|row| row.x * row.x)];
        let determinant = uu * xx - ux * ux;
        if curve.fixed_seconds > 0.0 && determinant > 1e-12 * uu * xx {
            // M⁻¹·V·M⁻¹ of the matrix M of the normal equations and the variance V of their right side.
            let [a, b, c] = [xx, -ux, uu].map(|of| of / determinant);
            return Some(CurveSpread {
                fixed: a * a * of_uu + 2.0 * a * b * of_ux + b * b * of_xx,
                both: a * b * of_uu + (a * c + b * b) * of_ux + b * c * of_xx,
                seconds_per_gb: b * b * of_uu + 2.0 * b * c * of_ux + c * c * of_xx,
            });
        }
        // A fixed part of 0 is not fitted.
        Some(CurveSpread { fixed: 0.0, both: 0.0, seconds_per_gb: of_xx / (xx * xx) })
    }
}

/// A row of the least squares, with u = 1/T and x = V/T.
struct Row {
    u: f64,
    x: f64,
    /// Variance of what a relative error of T adds to the row's share of the normal equations, per u and x.
    variance: f64,
}

impl Row {
    fn of(measurement: &Measurement, curve: &CostCurve) -> Option<Self> {
        let time = measurement.time.filter(|time| time.median_s > 0.0 && measurement.bytes_logical > 0.0)?;
        let gb = measurement.bytes_logical / 1e9;
        let (u, x) = (1.0 / time.median_s, gb / time.median_s);
        let residual = curve.fixed_seconds * u + x / curve.gb_per_s - 1.0;
        let (low, high) = time.ci95_s;
        let relative = (high - low) / (2.0 * student(0.0, CONFIDENCE) * time.median_s);
        Some(Self { u, x, variance: (relative * (1.0 + 2.0 * residual)).powi(2) })
    }
}

#[cfg(test)]
mod tests {
    use crate::report::example::measured;
    use crate::report::{Measurement, Side};

    use super::*;

    /// Seconds of some bytes; the 95 % interval of the time is ± 25 %.
    fn of(bytes: f64, seconds: f64) -> Measurement {
        Measurement { bytes_logical: bytes, ..measured("filter.append", Side::Gpu, seconds) }
    }

    /// Half of a 90 % interval, as a share, of times with a 95 % interval of ± 25 %: quantiles 1.645 and 1.960 of the normal
    /// distribution.
    const HALF: f64 = 0.25 * 1.644_854 / 1.959_964;

    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-5, "{found} for {expected}");
    }

    /// 50 µs and 10 GB/s. The line through two times has the intervals of both; between them, at V = ½ (V₁ + V₂), T = ½ (T₁ + T₂).
    #[test]
    fn a_line_through_two_times_has_their_intervals() {
        let (small, large) = (of(1e6, 150e-6), of(1e8, 10.05e-3));
        let sweep = Sweep { measurements: vec![&small, &large] };
        let spread = sweep.spread(&CostCurve { fixed_seconds: 50e-6, gb_per_s: 10.0 }).expect("a spread");
        assert_near(spread.half(1e6), HALF * 150e-6);
        assert_near(spread.half(1e8), HALF * 10.05e-3);
        assert_near(spread.half(50.5e6), HALF * 150e-6_f64.hypot(10.05e-3) / 2.0);
    }

    /// Without a fixed part, T = s·V, and both sizes give s with the same relative error: that of s is smaller by √2.
    #[test]
    fn a_curve_without_a_fixed_part_has_one_relative_error() {
        let (small, large) = (of(1e6, 100e-6), of(1e8, 10e-3));
        let sweep = Sweep { measurements: vec![&small, &large] };
        let spread = sweep.spread(&CostCurve { fixed_seconds: 0.0, gb_per_s: 10.0 }).expect("a spread");
        assert_near(spread.half(1e7), HALF * 1e-3 / 2.0_f64.sqrt());
    }

    /// The small size is in a cache, so the curve is in proportion to the large one alone.
    #[test]
    fn a_curve_in_proportion_to_the_largest_size_has_its_interval() {
        let (small, large) = (of(1e6, 10e-6), of(1e8, 10e-3));
        let sweep = Sweep { measurements: vec![&small, &large] };
        let spread = sweep.spread(&CostCurve { fixed_seconds: 0.0, gb_per_s: 10.0 }).expect("a spread");
        assert_near(spread.half(1e7), HALF * 1e-3);
    }
}
