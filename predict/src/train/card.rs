//! The model card: training data, options and errors of a network.

use serde::{Deserialize, Serialize};

use super::dataset::{MOST_DEVICES, MOST_FEATURES, Target};
use super::hardware::TypeHardware;
use super::network::shapes;
use super::options::{Loss, MOST_HIDDEN, MOST_MEMBERS, MOST_UNITS};
use super::report::ErrorComparison;
use super::scale::{Feature, TargetScale};

/// Version of the format of model cards.
pub(super) const FORMAT: u32 = 2;
/// Most weights and biases of all members: 64 MB.
pub(super) const MOST_WEIGHTS: usize = 16_000_000;

/// Weights and biases of all members.
pub(super) fn weights(members: usize, shapes: &[[usize; 2]]) -> usize {
    members * shapes.iter().map(|[inputs, outputs]| (inputs + 1) * outputs).sum::<usize>()
}

/// Number of rows of each set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// Training set.
    pub training: usize,
    /// Validation set (early stopping).
    pub validation: usize,
    /// Test set.
    pub test: usize,
    /// Lines that were left out.
    pub left_out: usize,
}

/// Training data, options and errors of a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCard {
    /// Format of the card.
    pub format: u32,
    /// Name of the file with the measured runs.
    pub source: String,
    /// Digest of its text.
    pub digest: String,
    /// Number of rows of each set.
    pub rows: Parts,
    /// Date of training, as the caller wrote it.
    pub date: Option<String>,
    /// Predicted quantity.
    pub target: Target,
    /// Its unit.
    pub unit: String,
    /// Types of devices, one for each output of the network.
    pub devices: Vec<String>,
    /// Hardware of these types, if the runs have it.
    pub hardware: Option<TypeHardware>,
    /// Features, with ranges and scaling.
    pub features: Vec<Feature>,
    /// Scaling of the target.
    pub scale: TargetScale,
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// Number of networks whose predictions are averaged.
    pub members: usize,
    /// Loss function.
    pub loss: Loss,
    /// Seed of the split, the first weights and the order of runs.
    pub seed: u64,
    /// Number of trained epochs.
    pub epochs: usize,
    /// The epoch whose weights were kept.
    pub best_epoch: usize,
    /// Strength of the ridge regression, a baseline.
    pub ridge_strength: f64,
    /// Errors on the test set.
    pub errors: ErrorComparison,
    /// Errors on the test set for each device.
    pub of_devices: Vec<ErrorComparison>,
}

impl ModelCard {
    /// Inputs and outputs of each layer of a member.
    pub(super) fn shapes(&self) -> Vec<[usize; 2]> {
        shapes(self.features.len(), &self.hidden, self.devices.len())
    }

    /// The first problem that prevents predictions.
    pub(super) fn problem(&self) -> Option<String> {
        if self.format != FORMAT {
            return Some(format!("format {}; this version reads format {FORMAT}", self.format));
        }
        let counts = [
            ("features", self.features.len(), MOST_FEATURES),
            ("devices", self.devices.len(), MOST_DEVICES),
            ("hidden", self.hidden.len(), MOST_HIDDEN),
            ("members", self.members, MOST_MEMBERS),
        ];
        let units = self.hidden.iter().map(|units| ("units of a hidden layer", *units, MOST_UNITS));
        if let Some((what, count, most)) =
            counts.into_iter().chain(units).find(|(_, count, most)| !(1..=*most).contains(count))
        {
            return Some(format!("{what}: {count}; allowed: 1 to {most}"));
        }
        let weights = weights(self.members, &self.shapes());
        if weights > MOST_WEIGHTS {
            return Some(format!("{weights} weights; allowed: at most {MOST_WEIGHTS}"));
        }
        let positive = |number: f64| number.is_finite() && number > 0.0;
        for feature in &self.features {
            let finite = [feature.least, feature.most, feature.mean].iter().all(|number| number.is_finite());
            let sound = finite && feature.least <= feature.most && positive(feature.deviation);
            if !sound || !feature.log_unit.is_none_or(positive) {
                return Some(format!(
                    "feature “{}”: expected least ≤ most, a mean, and deviation and log_unit above 0",
                    feature.name
                ));
            }
        }
        let scale = &self.scale;
        let finite = [scale.least, scale.most, scale.mean, self.ridge_strength].iter().all(|number| number.is_finite());
        let place_is_there = scale.relative_to.is_none_or(|place| place < self.features.len() && scale.is_log);
        if !finite || scale.least > scale.most || !positive(scale.deviation) || !place_is_there {
            return Some(
                "scale: expected least ≤ most, a mean, a deviation above 0, and an existing feature in relative_to"
                    .into(),
            );
        }
        let hardware = self.hardware.as_ref().and_then(|own| own.problem(self.features.len(), self.devices.len()));
        if hardware.is_some() {
            return hardware;
        }
        let is_sound = self.errors.is_sound() && self.of_devices.iter().all(ErrorComparison::is_sound);
        (!is_sound).then(|| "errors: expected numbers from 0".to_owned())
    }
}
