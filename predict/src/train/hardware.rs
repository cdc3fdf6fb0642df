//! Hardware of the types of GPUs in the runs, and predictions for types without runs.
//!
//! A type without runs is predicted from the predictions for the types with runs: the logarithm of the prediction is a linear
//! function of the logarithms of the hardware, by ridge regression over the types. Its error is measured by leaving out each type
//! in turn.

use serde::{Deserialize, Serialize};

use super::baseline::solved;
use super::dataset::{Dataset, Target};
use super::report::Errors;
use crate::features::Features;

/// Features of the hardware, as [`Features::names`] has them.
const NAMES: [&str; 3] = ["capability", "memory", "cores"];
/// Strength of the ridge regression for each type: small, because predictions for types with runs have little noise.
const STRENGTH: f64 = 1e-3;
/// How far beyond the range of the types a hardware may be, relative to the width of the range: as far as the error is measured
/// when the first or the last of three types is left out.
const REACH: f64 = 0.5;
/// Predictions below this share of the largest one are combined as they are, not by their logarithms.
const NEAR_ZERO: f64 = 1e-3;

/// Hardware of the types of GPUs in the runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeHardware {
    /// Indices of its features among those of the model card.
    pub features: Vec<usize>,
    /// Their values for each type, in the order of the types.
    pub of_devices: Vec<Vec<f64>>,
    /// Errors on the test set if each type is predicted from the others.
    pub unseen: Errors,
}

impl TypeHardware {
    /// The hardware in the runs: the features of the hardware that are constant on each type. Features that a network file does
    /// not give, such as a bandwidth, are of the hardware too. `None` with fewer than two types, or without such a feature.
    pub(super) fn of(data: &Dataset) -> Option<Self> {
        if data.devices.len() < 2 {
            return None;
        }
        let mut first: Vec<Option<&[f64]>> = vec![None; data.devices.len()];
        let mut is_constant = vec![true; data.features.len()];
        for row in &data.rows {
            let known = first.get_mut(row.device)?.get_or_insert(row.features.as_slice());
            for ((is_constant, value), known) in is_constant.iter_mut().zip(&row.features).zip(known.iter()) {
                *is_constant &= value == known;
            }
        }
        let known: Vec<&[f64]> = first.into_iter().collect::<Option<_>>()?;
        let features: Vec<usize> = (0..data.features.len())
            .filter(|place| is_constant[*place] && is_hardware(&data.features[*place]))
            .collect();
        if features.is_empty() {
            return None;
        }
        let of_devices = known.iter().map(|values| features.iter().map(|place| values[*place]).collect()).collect();
        Some(Self { features, of_devices, unseen: Errors::default() })
    }

    /// The first problem, for a card with so many features and types.
    pub(super) fn problem(&self, features: usize, devices: usize) -> Option<String> {
        let width = self.features.len();
        let is_sound = width > 0
            && self.features.iter().all(|place| *place < features)
            && self.of_devices.len() == devices
            && self
                .of_devices
                .iter()
                .all(|values| values.len() == width && values.iter().all(|value| value.is_finite()))
            && self.unseen.is_sound();
        (!is_sound).then(|| "hardware: expected existing features, and a number of each for every device".to_owned())
    }

    /// The value of a feature of the card for a type; `None` if it is not one of the hardware.
    pub(super) fn value(&self, device: usize, feature: usize) -> Option<f64> {
        let place = self.features.iter().position(|own| *own == feature)?;
        self.of_devices.get(device)?.get(place).copied()
    }

    /// Predictions for some types, combined to that for another hardware.
    pub(super) fn combined(&self, hardware: &[f64], known: &[(usize, f64)]) -> f64 {
        let weights = self.weights(hardware, &known.iter().map(|(device, _)| *device).collect::<Vec<_>>());
        let most = known.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        let sum = |of: fn(f64) -> f64| {
            known.iter().zip(&weights).map(|((_, value), weight)| weight * of(*value)).sum::<f64>()
        };
        if most > 0.0 && known.iter().all(|(_, value)| *value > NEAR_ZERO * most) {
            sum(f64::ln).min(600.0).exp()
        } else {
            sum(|value| value)
        }
    }

    /// Features of a hardware that lie too far from all types: their places in [`TypeHardware::features`], and the range.
    pub(super) fn far(&self, hardware: &[f64]) -> Vec<(usize, [f64; 2])> {
        let range = |place: usize| {
            let values = self.of_devices.iter().filter_map(|values| values.get(place).copied());
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [least.min(value), most.max(value)])
        };
        let is_far = |value: f64, [least, most]: [f64; 2]| {
            let [value, least, most] = [value, least, most].map(entered);
            let reach = REACH * (most - least);
            value < least - reach || value > most + reach
        };
        let all = hardware.iter().enumerate().map(|(place, value)| (place, *value, range(place)));
        all.filter(|(_, value, range)| is_far(*value, *range)).map(|(place, _, range)| (place, range)).collect()
    }

    /// Weights of the predictions for some types: those of a ridge regression over the hardware; they add up to 1.
    fn weights(&self, hardware: &[f64], devices: &[usize]) -> Vec<f64> {
        let (count, width) = (devices.len().max(1) as f64, self.features.len());
        let at = |device: usize, place: usize| self.of_devices.get(device).map_or(0.0, |values| entered(values[place]));
        let means: Vec<f64> =
            (0..width).map(|place| devices.iter().map(|device| at(*device, place)).sum::<f64>() / count).collect();
        let deviations: Vec<f64> = (0..width)
            .map(|place| {
                let squares = devices.iter().map(|device| (at(*device, place) - means[place]).powi(2));
                let deviation = (squares.sum::<f64>() / count).sqrt();
                if deviation > 1e-9 { deviation } else { 1.0 }
            })
            .collect();
        let scaled = |value: f64, place: usize| (value - means[place]) / deviations[place];
        let mut matrix = vec![0.0; width * width];
        for row in 0..width {
            for column in 0..=row {
                let products =
                    devices.iter().map(|device| scaled(at(*device, row), row) * scaled(at(*device, column), column));
                matrix[row * width + column] =
                    products.sum::<f64>() + if row == column { STRENGTH * count } else { 0.0 };
            }
        }
        let wanted: Vec<f64> =
            hardware.iter().enumerate().map(|(place, value)| scaled(entered(*value), place)).collect();
        let slopes = solved(matrix, wanted).unwrap_or_else(|| vec![0.0; width]);
        let weight = |device: &usize| {
            let along = slopes.iter().enumerate().map(|(place, slope)| slope * scaled(at(*device, place), place));
            1.0 / count + along.sum::<f64>()
        };
        devices.iter().map(weight).collect()
    }
}

/// Whether a feature is one of the hardware.
fn is_hardware(name: &str) -> bool {
    let is = |known: &&str| known.eq_ignore_ascii_case(name);
    let is_measured = Target::ALL.iter().any(|target| target.column() == name);
    NAMES.iter().any(is) || !(is_measured || Features::names().iter().any(is))
}

/// The logarithm of a value of the hardware.
fn entered(value: f64) -> f64 {
    value.max(0.0).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> TypeHardware {
        TypeHardware {
            features: vec![0],
            of_devices: vec![vec![999.0], vec![1_999.0], vec![3_999.0]],
            unseen: Errors::default(),
        }
    }

    #[test]
    fn a_power_of_the_hardware_is_continued_between_the_types() {
        // 80,000 / (1 + cores) at 999, 1,999 and 3,999 cores; at 2,827.4 cores, √2 times 2,000 − 1, it is 28.284.
        let known = [(0, 80.0), (1, 40.0), (2, 20.0)];
        let found = three().combined(&[2_000.0 * 2_f64.sqrt() - 1.0], &known);
        assert!((found / 28.284 - 1.0).abs() < 0.005, "{found}");
        // A type with runs keeps its own prediction, within the strength of the regression.
        assert!((three().combined(&[999.0], &known) / 80.0 - 1.0).abs() < 0.005);
        // One type says nothing about the slope.
        assert!((three().combined(&[50.0], &known[..1]) - 80.0).abs() < 1e-9);
    }

    #[test]
    fn weights_add_up_to_one() {
        let sum: f64 = three().weights(&[20_000.0], &[0, 1, 2]).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        let found = three().combined(&[1_500.0], &[(0, 0.0), (1, 40.0), (2, 20.0)]);
        assert!(found.is_finite(), "a logarithm of 0 is not taken: {found}");
    }

    #[test]
    fn a_hardware_far_from_all_types_is_named_with_their_range() {
        // ln 4 = 1.386 wide, so half of it is a factor of 2.
        assert!(three().far(&[7_000.0]).is_empty());
        assert_eq!(three().far(&[9_000.0]), [(0, [999.0, 3_999.0])]);
        assert_eq!(three().far(&[400.0]), [(0, [999.0, 3_999.0])]);
    }

    #[test]
    fn names_of_networks_and_targets_are_not_hardware() {
        for (name, expected) in [
            ("capability", true),
            ("Cores", true),
            ("bandwidth", true),
            ("batchsize", false),
            ("compute_percent", false),
        ] {
            assert_eq!(is_hardware(name), expected, "{name}");
        }
    }
}
