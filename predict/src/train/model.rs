//! A trained network and its predictions.

use super::card::ModelCard;
use super::error::TrainError;
use super::hardware::TypeHardware;
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

/// The prediction for a task on one type of GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct TypePrediction {
    /// Predicted value, in the unit of the model card.
    pub value: f64,
    /// RMSE on the test set: of this type, or of types that are predicted from the others; `None`: not known, as a feature is out
    /// of range.
    pub rmse: Option<f64>,
    /// Whether the runs do not have this type: it is predicted from its hardware.
    pub is_unseen: bool,
    /// Features outside the range of the training set; with any of them the prediction is an extrapolation.
    pub out_of_range: Vec<OutOfRange>,
}

/// Fewest test runs of a type for an error of its own.
const FEWEST_OF_TYPE: usize = 10;

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

    /// The prediction for a type of GPU. A type of the runs has its own hardware, from the model card; of any other type `hardware`
    /// has it, by the name of the feature. `of` has all other features.
    ///
    /// # Errors
    /// [`TrainError::InvalidFeatures`]: missing features, as [`Model::predict`], or a type without runs whose hardware is not known.
    pub fn predict_on(
        &self,
        device: &str,
        hardware: impl Fn(&str) -> Option<f64>,
        of: impl Fn(&str) -> Option<f64>,
    ) -> Result<TypePrediction, TrainError> {
        let card = &self.card;
        let known = card.devices.iter().position(|name| name.eq_ignore_ascii_case(device));
        let Some(types) = &card.hardware else {
            let place = known.ok_or_else(|| {
                TrainError::InvalidFeatures(format!(
                    "no run is on {device}, and the runs do not have the hardware of two types (columns device, capability, memory, cores)"
                ))
            })?;
            return self.of_known(place, &self.features(of)?);
        };
        let features = |place: usize| {
            let own = |name: &str| {
                let feature = card.features.iter().position(|feature| feature.name == name)?;
                types.value(place, feature)
            };
            self.features(|name| own(name).or_else(|| of(name)))
        };
        if let Some(place) = known {
            return self.of_known(place, &features(place)?);
        }
        let names: Vec<&str> = types.features.iter().map(|place| card.features[*place].name.as_str()).collect();
        let values: Vec<Option<f64>> = names.iter().map(|name| hardware(name)).collect();
        let absent: Vec<&str> =
            names.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(name, _)| *name).collect();
        if !absent.is_empty() {
            let problem = format!("no run is on {device}; give its {}", and(&absent));
            return Err(TrainError::InvalidFeatures(problem));
        }
        let values: Vec<f64> = values.into_iter().flatten().collect();
        let mut known = Vec::new();
        let mut out_of_range = Vec::new();
        for place in 0..card.devices.len() {
            let one = self.of_known(place, &features(place)?)?;
            known.push((place, one.value));
            out_of_range = one.out_of_range;
        }
        out_of_range.extend(types.far(&values).into_iter().map(|(place, [min, max])| OutOfRange {
            feature: names[place].to_owned(),
            value: values[place],
            min,
            max,
        }));
        let value = types.combined(&values, &known).clamp(card.scale.least, card.scale.most);
        // Never better than for a type with runs.
        let rmse = (0..card.devices.len()).map(|place| self.rmse_of(place)).fold(types.unseen.rmse, f64::max);
        Ok(TypePrediction { value, rmse: out_of_range.is_empty().then_some(rmse), is_unseen: true, out_of_range })
    }

    /// The type of the runs that has this hardware.
    #[must_use]
    pub fn type_with(&self, hardware: impl Fn(&str) -> Option<f64>) -> Option<&str> {
        let types = self.card.hardware.as_ref()?;
        let wanted: Option<Vec<f64>> =
            types.features.iter().map(|place| hardware(&self.card.features[*place].name)).collect();
        let place = types.of_devices.iter().position(|values| Some(values) == wanted.as_ref())?;
        self.card.devices.get(place).map(String::as_str)
    }

    /// The prediction for a type of the runs.
    fn of_known(&self, place: usize, features: &[f64]) -> Result<TypePrediction, TrainError> {
        let Prediction { of_devices, out_of_range } = self.predict(features)?;
        let value = of_devices[place].1;
        let rmse = out_of_range.is_empty().then(|| self.rmse_of(place));
        Ok(TypePrediction { value, rmse, is_unseen: false, out_of_range })
    }

    /// RMSE on the test set of a type, or of all types if it has few runs.
    fn rmse_of(&self, place: usize) -> f64 {
        let own = self.card.of_devices.get(place).filter(|errors| errors.network.runs >= FEWEST_OF_TYPE);
        own.unwrap_or(&self.card.errors).network.rmse
    }

    /// The output for a type with its own hardware instead of that of the features.
    pub(super) fn output_with(&self, types: &TypeHardware, device: usize, features: &[f64]) -> f64 {
        let own = |(place, value): (usize, &f64)| types.value(device, place).unwrap_or(*value);
        let features: Vec<f64> = features.iter().enumerate().map(own).collect();
        self.outputs(&features)[device]
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
