//! A law that was fitted.

use super::{Coefficient, Law, ROUNDING};

/// A fitted law, centred on its points to limit rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    law: Law,
    middle: [f64; 2],
    slope: f64,
    /// Sum of squared deviations of the transformed sizes from their mean; 0 without a slope.
    spread: f64,
    points: f64,
}

impl Line {
    /// Least squares through at least one point of size and logarithm of instructions; constant for one size.
    pub(super) fn through(law: Law, points: &[[f64; 2]]) -> Self {
        let count = points.len() as f64;
        let along = || points.iter().map(|[size, log]| [law.of_size(*size), *log]);
        let middle = along().fold([0.0, 0.0], |[x, y], [size, log]| [x + size / count, y + log / count]);
        let [mut spread, mut product] = [0.0, 0.0];
        for [size, log] in along() {
            spread += (size - middle[0]).powi(2);
            product += (size - middle[0]) * (log - middle[1]);
        }
        let is_spread = spread > count * (1e-12 * middle[0]).powi(2) && spread.is_finite() && product.is_finite();
        let (slope, spread) = if is_spread { (product / spread, spread) } else { (0.0, 0.0) };
        Self { law, middle, slope, spread, points: count }
    }

    /// ln y.
    pub(super) fn at(&self, size: f64) -> f64 {
        self.middle[1] + self.slope * (self.law.of_size(size) - self.middle[0])
    }

    /// Factor by which the interval of a launch is wider than that of a known mean.
    pub(super) fn widening(&self, size: f64) -> f64 {
        let about_middle = (1.0 + 1.0 / self.points).sqrt();
        if self.spread == 0.0 {
            return about_middle;
        }
        about_middle.hypot((self.law.of_size(size) - self.middle[0]) / self.spread.sqrt()).min(f64::MAX)
    }

    fn residual(&self, points: &[[f64; 2]]) -> f64 {
        points.iter().map(|[size, log]| (log - self.at(*size)).powi(2)).sum()
    }

    /// a and b.
    pub(super) fn coefficients(&self, points: &[[f64; 2]]) -> [Coefficient; 2] {
        let freedom = points.len().checked_sub(self.law.count()).filter(|freedom| *freedom > 0);
        let deviation = freedom.map(|freedom| (self.residual(points) / freedom as f64).sqrt());
        let [x, y] = self.middle;
        let [of_intercept, of_slope] =
            if self.spread > 0.0 { [x.powi(2) / self.spread, 1.0 / self.spread] } else { [0.0, 0.0] };
        let error = |share: f64| deviation.map(|deviation| deviation * share.sqrt());
        [
            Coefficient { value: y - self.slope * x, standard_error: error(1.0 / self.points + of_intercept) },
            Coefficient { value: self.slope, standard_error: error(of_slope) },
        ]
    }

    pub(super) fn r_squared(&self, points: &[[f64; 2]]) -> f64 {
        let total: f64 = points.iter().map(|[_, log]| (log - self.middle[1]).powi(2)).sum();
        let is_constant = total <= self.points * ROUNDING.powi(2);
        if is_constant { 1.0 } else { 1.0 - self.residual(points) / total }
    }
}
