//! The distribution of a figure over its samples: mean, standard deviation and quantiles, each with the error of sampling.

use crossover_quantity::estimate::quantile;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::PARTS;
use crate::selected::SelectedFigure;

/// The distribution of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Distributed {
    /// Which figure.
    pub selected: SelectedFigure,
    /// Its present value.
    pub present: Option<f64>,
    /// Its values, ascending.
    pub values: Vec<f64>,
    /// Samples in which it has no value.
    pub missing: usize,
    /// Mean, with the standard error of sampling.
    pub mean: Sampled,
    /// Standard deviation, with that error.
    pub standard_deviation: Sampled,
    /// P5, P50 and P95, with that error.
    pub quantiles: [Sampled; 3],
}

/// Values that differ by less than this share of themselves differ by rounding.
const ROUNDING: f64 = 1e-12;

/// Shares of [`Distributed::quantiles`].
pub const SHARES: [f64; 3] = [0.05, 0.5, 0.95];

/// A value that was found by sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// The value.
    pub value: f64,
    /// Its standard error, by how far independent parts of the samples differ.
    pub error: f64,
    /// How many parts there were.
    pub parts: usize,
}

impl Sampled {
    /// A value of all samples, and that of each part of them.
    #[must_use]
    pub(crate) fn of(value: f64, parts: &[f64]) -> Self {
        let parts: Vec<f64> = parts.iter().copied().filter(|of| of.is_finite()).collect();
        let count = parts.len() as f64;
        let mean = parts.iter().sum::<f64>() / count;
        let squares: f64 = parts.iter().map(|of| (of - mean).powi(2)).sum();
        Self { value, error: (squares / (count - 1.0) / count).sqrt(), parts: parts.len() }
    }

    /// Half of its 95 % interval, by Student's t; NaN with fewer than two parts.
    #[must_use]
    pub fn half_95(&self) -> f64 {
        let freedom = self.parts as f64 - 1.0;
        StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |student| student.inverse_cdf(0.975) * self.error)
    }
}

impl Distributed {
    /// Whether the present value is outside the 90 % interval.
    #[must_use]
    pub fn is_unusual_now(&self) -> bool {
        let [low, _, high] = self.quantiles.map(|quantile| quantile.value);
        self.present.is_some_and(|now| {
            let rounding = ROUNDING * now.abs();
            now < low - rounding || now > high + rounding
        })
    }

    /// The quantile of a share; `None` without values.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        quantile(&self.values, share)
    }

    /// The likelihood that the figure is at least this, apart from rounding.
    #[must_use]
    pub fn at_least(&self, level: f64) -> f64 {
        let least = level - ROUNDING * level.abs();
        let below = self.values.partition_point(|value| *value < least);
        (self.values.len() - below) as f64 / self.values.len() as f64
    }
}

/// The distribution of the values of a figure, of which those that are not finite are missing among so many allowed samples.
pub(super) fn distributed(
    selected: SelectedFigure,
    present: Option<f64>,
    found: &[f64],
    allowed: usize,
) -> Distributed {
    let finite = |part: &[f64]| {
        let mut values: Vec<f64> = part.iter().copied().filter(|value| value.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let parts: Vec<Vec<f64>> = found.par_chunks(found.len().div_ceil(PARTS)).map(finite).collect();
    let mut values = parts.concat();
    // Parts that are ascending are merged, which a stable sort does.
    values.sort_by(f64::total_cmp);
    let of = |measure: &dyn Fn(&[f64]) -> f64| {
        Sampled::of(measure(&values), &parts.iter().map(|part| measure(part)).collect::<Vec<f64>>())
    };
    Distributed {
        present,
        missing: allowed - values.len(),
        mean: of(&mean),
        standard_deviation: of(&standard_deviation),
        quantiles: SHARES.map(|share| of(&|values| quantile(values, share).unwrap_or(f64::NAN))),
        selected,
        values,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation; 0 where the values differ by rounding alone.
fn standard_deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (values.len() as f64 - 1.0)).sqrt();
    if deviation <= ROUNDING * mean.abs() { 0.0 } else { deviation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_by_rounding_have_no_standard_deviation() {
        assert_ne!(0.1 + 0.2, 0.3, "by one unit in the last place");
        assert_eq!(standard_deviation(&[0.1 + 0.2, 0.3, 0.3]), 0.0);
        // 1 + 0 + 1 of 3 − 1.
        assert_eq!(standard_deviation(&[1.0, 2.0, 3.0]), 1.0);
        // The root of 2 × 1e-9² of 2 − 1 at ± 1e-9 from 1.
        let small = standard_deviation(&[1.0 - 1e-9, 1.0 + 1e-9]);
        assert!((small / (2.0_f64.sqrt() * 1e-9) - 1.0).abs() < 1e-6, "{small}");
        assert!(standard_deviation(&[1.0]).is_nan(), "of one value it is unknown");
    }
}
