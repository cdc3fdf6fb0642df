//! A trained network and its predictions.

use super::card::ModelCard;
use super::error::TrainError;
use super::network::Network;
use super::scale::single;
use super::table::LARGEST;

/// A trained network with its model card.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(super) card: ModelCard,
    pub(super) networks: Vec<Network>,
}

/// The prediction for a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Predicted value for each type of device, in the unit of the model card.
    pub of_devices: Vec<(String, f64)>,
    /// Features outside the range of the training set; with any of them the prediction is an extrapolation.
    pub out_of_range: Vec<OutOfRange>,
}

/// A feature outside the range of the training set.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfRange {
    /// Its name.
    pub feature: String,
    /// Requested value.
    pub value: f64,
    /// Smallest value in the training set.
    pub min: f64,
    /// Largest value in the training set.
    pub max: f64,
}

impl std::fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { feature, value, min, max } = self;
        write!(f, "{feature} is {value}; the predictor was trained from {min} to {max}")
    }
}

/// "batch, conv and pool".
fn and(names: &[&str]) -> String {
    match names {
        [more @ .., last] if !more.is_empty() => format!("{} and {last}", more.join(", ")),
        _ => names.concat(),
    }
}

impl Model {
    /// The model card.
    #[must_use]
    pub fn card(&self) -> &ModelCard {
        &self.card
    }

    /// The values of its features in their order, each looked up by its name.
    ///
    /// # Errors
    /// [`TrainError::InvalidFeatures`]: missing features.
    pub fn features(&self, of: impl Fn(&str) -> Option<f64>) -> Result<Vec<f64>, TrainError> {
        let found: Vec<Option<f64>> = self.card.features.iter().map(|feature| of(&feature.name)).collect();
        let pairs = self.card.features.iter().zip(&found);
        let absent: Vec<&str> =
            pairs.filter(|(_, value)| value.is_none()).map(|(feature, _)| feature.name.as_str()).collect();
        if absent.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        let it = if absent.len() == 1 { "it" } else { "them" };
        Err(TrainError::InvalidFeatures(format!(
            "the predictor needs the {} {}, which the input lacks; supply {it} or retrain without {it}",
            if absent.len() == 1 { "feature" } else { "features" },
            and(&absent)
        )))
    }

    /// The prediction for a task with these features, in the order of the model card.
    ///
    /// # Errors
    /// [`TrainError::InvalidFeatures`]: another number of features, or one that is not a number from -1e18 to 1e18, or not above
    /// 0 where the target was divided by it.
    pub fn predict(&self, features: &[f64]) -> Result<Prediction, TrainError> {
        let expected = self.card.features.len();
        if features.len() != expected {
            let problem =
                format!("{} features; the predictor needs {expected}, in the order of its model card", features.len());
            return Err(TrainError::InvalidFeatures(problem));
        }
        let pairs = || self.card.features.iter().zip(features.iter().copied());
        for (place, (feature, value)) in pairs().enumerate() {
            let is_base = self.card.scale.relative_to == Some(place);
            if value.is_nan() || value.abs() > LARGEST || (is_base && value <= 0.0) {
                let least = if is_base { 0.0 } else { -LARGEST };
                let problem = format!("{} is {value}; expected a number from {least:e} to {LARGEST:e}", feature.name);
                return Err(TrainError::InvalidFeatures(problem));
            }
        }
        let out_of_range =
            pairs().filter(|(feature, value)| feature.is_out_of_range(*value)).map(|(feature, value)| OutOfRange {
                feature: feature.name.clone(),
                value,
                min: feature.least,
                max: feature.most,
            });
        let out_of_range = out_of_range.collect();
        Ok(Prediction {
            of_devices: self.card.devices.iter().cloned().zip(self.outputs(features)).collect(),
            out_of_range,
        })
    }

    /// The predictions of the members, averaged, for each device.
    pub(super) fn outputs(&self, features: &[f64]) -> Vec<f64> {
        let pairs = self.card.features.iter().zip(features);
        let inputs: Vec<f32> = pairs.map(|(feature, value)| single(feature.scaled(*value))).collect();
        let mut sums = vec![0.0; self.card.devices.len()];
        for network in &self.networks {
            for (sum, output) in sums.iter_mut().zip(network.output(&inputs)) {
                *sum += f64::from(output);
            }
        }
        let base = self.card.scale.relative_to.and_then(|place| features.get(place).copied());
        let members = self.networks.len() as f64;
        sums.into_iter().map(|sum| self.card.scale.value(sum / members, base)).collect()
    }
}
