//! A mean of runs with its interval, and quantiles of values.

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// Confidence level of the interval of a mean.
pub const CONFIDENCE: f64 = 0.95;
/// Confidence level of the interval of a fitted number, as in
/// [`Fitted`](crate::provenance::Provenance::Fitted).
pub const FITTED_CONFIDENCE: f64 = 0.90;
/// Confidence level of the bands of curves.
pub const BAND_CONFIDENCE: f64 = 0.90;

/// A mean with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean.
    pub mean: f64,
    /// Lower and upper end; none for a single run.
    pub interval: Option<[f64; 2]>,
    /// Runs.
    pub runs: usize,
}

impl Estimate {
    /// Of some runs, with the 95 % confidence interval by Student's t distribution; none without runs. The lower end is at least 0.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::with_confidence(values, CONFIDENCE)
    }

    /// The same with the interval of another confidence level, 0 < `confidence` < 1.
    #[must_use]
    pub fn with_confidence(values: &[f64], confidence: f64) -> Option<Self> {
        let mean = mean(values)?;
        let interval = interval(values, confidence).map(|[low, high]| [low.max(0.0), high]);
        Some(Self { mean, interval, runs: values.len() })
    }

    /// The same times a number above 0.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { mean: self.mean * factor, interval: self.interval.map(|ends| ends.map(|end| end * factor)), ..self }
    }

    /// Half of the interval ÷ mean; none without an interval.
    #[must_use]
    pub fn relative(self) -> Option<f64> {
        self.interval.map(|[_, high]| (high - self.mean) / self.mean)
    }
}

/// Mean of some values; none without any.
fn mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().map(|value| value / count).sum())
}

/// The confidence interval of the mean of values of either sign, by Student's t distribution; none for a single value. 0 < `confidence` < 1.
#[must_use]
pub fn interval(values: &[f64], confidence: f64) -> Option<[f64; 2]> {
    let count = values.len() as f64;
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let half = student(count - 1.0, confidence) * (squares / (count - 1.0) / count).sqrt();
    Some([mean - half, mean + half])
}

/// Half of an interval in standard errors, by Student's t distribution: with this confidence level, 0 < `confidence` < 1.
/// Without degrees of freedom above 0 that of the normal distribution, the limit of many.
#[must_use]
pub fn student(freedom: f64, confidence: f64) -> f64 {
    let below = f64::midpoint(1.0, confidence);
    let of_many = |_| Normal::standard().inverse_cdf(below);
    StudentsT::new(0.0, 1.0, freedom).map_or_else(of_many, |t| t.inverse_cdf(below))
}

/// The quantile of a share, 0 … 1, of ascending values: between the two values next to its rank (Hyndman and Fan, The American
/// Statistician 50, 1996, definition 7); none without values.
#[must_use]
pub fn quantile(ascending: &[f64], share: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to the number of values")]
    let below = at.floor() as usize;
    let above = (below + 1).min(last);
    Some(ascending[below] + (ascending[above] - ascending[below]) * (at - below as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By numpy.quantile([1, 2, 4, 8], [0.05, 0.95]): rank 0.15 is 0.15 of the way from 1 to 2, rank 2.85 is 0.85 of that from 4 to 8.
    #[test]
    fn a_quantile_is_between_the_values_next_to_its_rank() {
        for (share, expected) in [(0.05, 1.15), (0.95, 7.4), (0.0, 1.0), (1.0, 8.0)] {
            let found = quantile(&[1.0, 2.0, 4.0, 8.0], share).expect("four values");
            assert!((found - expected).abs() < 1e-12, "{share}: {found}");
        }
        assert_eq!((quantile(&[3.0], 0.95), quantile(&[], 0.5)), (Some(3.0), None));
    }

    /// Tables of the distribution, as in every textbook: 12.706, 2.776, 2.262, 1.984 for 1, 4, 9, 99 degrees of freedom.
    #[test]
    fn intervals_are_those_of_the_t_distribution() {
        for (freedom, expected) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (99.0, 1.984), (f64::NAN, 1.960)] {
            let found = student(freedom, CONFIDENCE);
            assert!((found - expected).abs() < 6e-4, "{freedom}: {found}");
        }
        for (freedom, expected) in [(1.0, 6.314), (4.0, 2.132), (9.0, 1.833), (0.0, 1.645)] {
            let found = student(freedom, FITTED_CONFIDENCE);
            assert!((found - expected).abs() < 6e-4, "{freedom}: {found}");
        }
        // Mean 3, standard deviation √2.5, standard error √0.5.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("runs");
        let [low, high] = estimate.interval.expect("five runs");
        assert_eq!((estimate.mean, estimate.runs), (3.0, 5));
        assert!((high - 3.0 - 2.776 * 0.5_f64.sqrt()).abs() < 1e-3 && (low + high - 6.0).abs() < 1e-12);
        let narrower = Estimate::with_confidence(&[1.0, 2.0, 3.0, 4.0, 5.0], BAND_CONFIDENCE).expect("runs");
        let [low, high] = narrower.interval.expect("five runs");
        assert!((high - 3.0 - 2.132 * 0.5_f64.sqrt()).abs() < 1e-3 && (low + high - 6.0).abs() < 1e-12);
    }

    #[test]
    fn an_interval_of_values_of_both_signs_is_not_cut_at_zero() {
        // Mean 0, standard deviation √2.5 as above.
        let [low, high] = interval(&[-2.0, -1.0, 0.0, 1.0, 2.0], CONFIDENCE).expect("five values");
        assert!((high - 2.776 * 0.5_f64.sqrt()).abs() < 1e-3 && (low + high).abs() < 1e-12, "{low} {high}");
        let cut = Estimate::of(&[-2.0, -1.0, 0.0, 1.0, 2.0]).and_then(|of| of.interval).expect("five values");
        assert_eq!(cut, [0.0, high]);
        assert_eq!((interval(&[3.0], CONFIDENCE), interval(&[], CONFIDENCE)), (None, None));
    }

    #[test]
    fn one_run_has_no_interval_and_none_no_mean() {
        assert_eq!(Estimate::of(&[2.0]), Some(Estimate { mean: 2.0, interval: None, runs: 1 }));
        assert_eq!(Estimate::of(&[]), None);
    }
}
