//! Scaling of features and targets: standardised, and as logarithms if they span decades. All scales come from the training
//! set.

use serde::{Deserialize, Serialize};

/// Ratio of the largest value to the smallest above zero from which on a column is scaled as a logarithm: two decades.
const SPAN: f64 = 100.0;
/// Standard deviations to which inputs are clamped, so that every prediction is finite.
const FARTHEST: f64 = 1000.0;

/// Scaling of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name.
    pub name: String,
    /// Smallest value in the training set.
    pub least: f64,
    /// Largest value in the training set.
    pub most: f64,
    /// Scaled as ln(1 + value / this), the smallest value above zero in the training set; `None`: linear.
    pub log_unit: Option<f64>,
    /// Mean of the transformed values in the training set.
    pub mean: f64,
    /// Standard deviation of the transformed values in the training set; 1 if they are constant.
    pub deviation: f64,
}

/// Scaling of the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetScale {
    /// Whether its natural logarithm is used.
    pub is_log: bool,
    /// Index of the feature by which it is divided; the logarithm of the ratio is used.
    pub relative_to: Option<usize>,
    /// Mean of the transformed target in the training set.
    pub mean: f64,
    /// Standard deviation of the transformed target in the training set; 1 if it is constant.
    pub deviation: f64,
    /// Lower bound of predictions.
    pub least: f64,
    /// Upper bound of predictions.
    pub most: f64,
}

impl Feature {
    pub(super) fn of(name: &str, values: &[f64]) -> Self {
        let [least, most] = range(values);
        let smallest = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        let log_unit = (least >= 0.0 && most / smallest >= SPAN).then_some(smallest);
        let mut feature = Self { name: name.to_owned(), least, most, log_unit, mean: 0.0, deviation: 1.0 };
        let entered: Vec<f64> = values.iter().map(|value| feature.entered(*value)).collect();
        [feature.mean, feature.deviation] = mean_and_deviation(&entered);
        feature
    }

    fn entered(&self, value: f64) -> f64 {
        self.log_unit.map_or(value, |unit| (value.max(0.0) / unit).ln_1p())
    }

    /// The input of the network: standard deviations from the mean.
    #[must_use]
    pub fn scaled(&self, value: f64) -> f64 {
        ((self.entered(value) - self.mean) / self.deviation).clamp(-FARTHEST, FARTHEST)
    }

    /// Whether a value is outside the range of the training set.
    #[must_use]
    pub fn is_out_of_range(&self, value: f64) -> bool {
        !(self.least..=self.most).contains(&value)
    }
}

impl TargetScale {
    /// Scaling from `values` and base features of the training set, and bounds of predictions.
    pub(super) fn of(values: &[f64], bases: Option<(usize, &[f64])>, [least, most]: [f64; 2]) -> Self {
        let [smallest, largest] = range(values);
        let is_log = bases.is_some() || (smallest > 0.0 && largest / smallest >= SPAN);
        let relative_to = bases.map(|(place, _)| place);
        let mut scale = Self { is_log, relative_to, mean: 0.0, deviation: 1.0, least, most };
        let base = |row: usize| bases.and_then(|(_, bases)| bases.get(row).copied());
        let learned: Vec<f64> = values.iter().enumerate().map(|(row, value)| scale.scaled(*value, base(row))).collect();
        [scale.mean, scale.deviation] = mean_and_deviation(&learned);
        scale
    }

    /// The scaled target: standard deviations from the mean. `base`: the value of the feature by which the target is divided.
    #[must_use]
    pub fn scaled(&self, value: f64, base: Option<f64>) -> f64 {
        let learned = if self.is_log { (value / base.unwrap_or(1.0)).ln() } else { value };
        (learned - self.mean) / self.deviation
    }

    /// The inverse of [`TargetScale::scaled`].
    #[must_use]
    pub fn value(&self, scaled: f64, base: Option<f64>) -> f64 {
        let learned = scaled * self.deviation + self.mean;
        let value = if self.is_log { learned.min(600.0).exp() * base.unwrap_or(1.0) } else { learned };
        value.clamp(self.least, self.most)
    }
}

fn range(values: &[f64]) -> [f64; 2] {
    values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [least.min(*value), most.max(*value)])
}

fn mean_and_deviation(values: &[f64]) -> [f64; 2] {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    [mean, if deviation > 1e-12 * mean.abs().max(1e-12) { deviation } else { 1.0 }]
}

/// A number in single precision.
#[expect(clippy::cast_possible_truncation, reason = "networks use single precision")]
pub(super) fn single(value: f64) -> f32 {
    value as f32
}
