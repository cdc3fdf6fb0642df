//! Options of training.

use serde::{Deserialize, Serialize};

/// Most hidden layers.
pub(super) const MOST_HIDDEN: usize = 8;
/// Most units of a hidden layer.
pub(super) const MOST_UNITS: usize = 1024;
/// Most networks whose predictions are averaged.
pub(super) const MOST_MEMBERS: usize = 16;

/// Loss function, in standard deviations of the scaled target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Mean squared error.
    #[default]
    Squared,
    /// Mean absolute error.
    Absolute,
}

/// Options of training.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Units of each hidden layer; 1 to 8 layers of 1 to 1024.
    pub hidden: Vec<usize>,
    /// Number of networks with different initial weights and orders of runs, whose predictions are averaged; 1 to 16.
    pub members: usize,
    /// Loss function.
    pub loss: Loss,
    /// Initial learning rate of Adam; it falls along half a cosine to a hundredth at the last epoch.
    pub learning_rate: f64,
    /// Decoupled weight decay.
    pub weight_decay: f64,
    /// Runs of a mini-batch.
    pub batch: usize,
    /// Most epochs.
    pub most_epochs: usize,
    /// Epochs without a smaller loss on the validation set after which training stops (early stopping).
    pub patience: usize,
    /// Share of the runs in the validation set.
    pub validation: f64,
    /// Share of the runs in the test set.
    pub test: f64,
    /// Seed of the split, the initial weights and the order of runs.
    pub seed: u64,
    /// A feature in the target's unit, such as the time by a roofline: the network learns the logarithm of target ÷ feature.
    /// A target that spans decades is learned as its logarithm anyway.
    pub relative_to: Option<String>,
    /// Date for the model card, as the caller writes it.
    pub date: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hidden: vec![64, 32],
            members: 4,
            loss: Loss::Squared,
            learning_rate: 2e-2,
            weight_decay: 1e-3,
            batch: 64,
            most_epochs: 300,
            patience: 60,
            validation: 0.1,
            test: 0.2,
            seed: 1,
            relative_to: None,
            date: None,
        }
    }
}

impl Options {
    /// The first option outside its range.
    pub(super) fn problem(&self) -> Option<String> {
        let whole = [
            ("hidden layers", self.hidden.len(), 1, MOST_HIDDEN),
            ("networks to average", self.members, 1, MOST_MEMBERS),
            ("runs of a mini-batch", self.batch, 1, 65_536),
            ("epochs", self.most_epochs, 1, 100_000),
            ("epochs of patience", self.patience, 1, 100_000),
        ];
        let units = self.hidden.iter().map(|units| ("units of a hidden layer", *units, 1, MOST_UNITS));
        let bad = whole.into_iter().chain(units).find(|(_, value, least, most)| !(least..=most).contains(&value));
        if let Some((what, value, least, most)) = bad {
            return Some(format!("{what}: {value}; allowed: {least} to {most}"));
        }
        let numbers = [
            ("learning rate", self.learning_rate, 1e-9, 1.0),
            ("weight decay", self.weight_decay, 0.0, 1.0),
            ("share of the validation set", self.validation, 0.01, 0.45),
            ("share of the test set", self.test, 0.01, 0.45),
        ];
        let bad = numbers.into_iter().find(|(_, value, least, most)| !(least..=most).contains(&value));
        bad.map(|(what, value, least, most)| format!("{what}: {value}; allowed: {least} to {most}"))
    }
}
