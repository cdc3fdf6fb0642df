//! Errors of predictions on runs that were not used in training.

use serde::{Deserialize, Serialize};

/// Errors of a predictor.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Errors {
    /// √(mean of (predicted − measured)²), in the target's unit.
    pub rmse: f64,
    /// Mean of |predicted − measured|, in the target's unit.
    pub mae: f64,
    /// Mean of |predicted − measured| / measured in percent, over measured values above 0; `None` without such.
    pub mape_percent: Option<f64>,
    /// Number of runs.
    pub runs: usize,
}

impl Errors {
    /// Errors of pairs of predicted and measured values.
    #[must_use]
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (mut errors, mut relative, mut positive) = (Self::default(), 0.0, 0_usize);
        for (predicted, measured) in pairs {
            let error = (predicted - measured).abs();
            errors.runs += 1;
            errors.rmse += error * error;
            errors.mae += error;
            if measured > 0.0 {
                positive += 1;
                relative += error / measured;
            }
        }
        let runs = errors.runs.max(1) as f64;
        errors.rmse = (errors.rmse / runs).sqrt();
        errors.mae /= runs;
        errors.mape_percent = (positive > 0).then(|| 100.0 * relative / positive as f64);
        errors
    }

    pub(super) fn is_sound(&self) -> bool {
        let numbers = [self.rmse, self.mae, self.mape_percent.unwrap_or(0.0)];
        numbers.iter().all(|number| number.is_finite() && *number >= 0.0)
    }
}

/// Errors of the network and of the baselines, on the same runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorComparison {
    /// The type of device; `None`: all.
    pub device: Option<String>,
    /// The trained network.
    pub network: Errors,
    /// The mean of the training set, of the same device.
    pub mean: Errors,
    /// Ridge regression for each device.
    pub ridge: Errors,
}

impl ErrorComparison {
    pub(super) fn is_sound(&self) -> bool {
        [self.network, self.mean, self.ridge].iter().all(Errors::is_sound)
    }
}

#[cfg(test)]
mod tests {
    use super::Errors;

    #[test]
    fn errors_are_what_their_names_say() {
        // Errors 1, 3 and 0.5 against 2, 4 and 0: √((1 + 9 + 0.25) / 3), 4.5 / 3, (50 % + 75 %) / 2.
        let errors = Errors::of([(3.0, 2.0), (1.0, 4.0), (0.5, 0.0)]);
        assert!((errors.rmse - (10.25_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((errors.mae - 1.5).abs() < 1e-12);
        assert!((errors.mape_percent.expect("two above 0") - 62.5).abs() < 1e-12);
        assert_eq!(errors.runs, 3);
        assert_eq!(Errors::of([(1.0, 0.0)]).mape_percent, None);
    }
}
