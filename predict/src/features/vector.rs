//! The features of a task in the order of the method: network, execution, hardware.

use std::collections::BTreeMap;

use super::network::{Network, first_names};
use super::operator::PLACES;

/// How a task is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// Samples of a batch.
    pub batch: u64,
    /// Iterations to run; of a running task, the remaining ones.
    pub iterations: u64,
    /// Elements of its input; [`Network::input`] has those of one sample.
    pub input: u64,
}

/// The GPU that a task runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hardware {
    /// Compute capability, such as 7.0 or 8.6.
    pub capability: f64,
    /// Memory, GB.
    pub memory_gb: f64,
    /// Cores.
    pub cores: f64,
}

/// Names of the features of execution and hardware.
const OTHERS: [&str; 6] = ["batchsize", "iteration", "input", "capability", "memory", "cores"];
/// Number of features.
pub const FEATURES: usize = PLACES.len() + OTHERS.len();

/// The inputs of a predictor: for each operator type with a feature the largest input among its layers, 0 if there is
/// none; then batch size, iterations, input size; then compute capability, memory in GB, cores.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    values: [f64; FEATURES],
    /// Layers without a feature, and those of unknown size; for the user.
    pub notes: Vec<String>,
}

impl Features {
    /// Features of a task.
    #[must_use]
    pub fn new(network: &Network, execution: Execution, hardware: Hardware) -> Self {
        let mut values = [0.0; FEATURES];
        let (mut unplaced, mut unknown) = (BTreeMap::new(), Vec::new());
        for layer in &network.layers {
            match (layer.operator.place(), layer.input_size) {
                (None, _) => *unplaced.entry(layer.operator.name()).or_insert(0_usize) += 1,
                (Some(_), None) => unknown.push(layer.name.as_str()),
                (Some(place), Some(size)) => values[place] = f64::max(values[place], size as f64),
            }
        }
        let others = [
            execution.batch as f64,
            execution.iterations as f64,
            execution.input as f64,
            hardware.capability,
            hardware.memory_gb,
            hardware.cores,
        ];
        values[PLACES.len()..].copy_from_slice(&others);
        let mut notes = Vec::new();
        if !unplaced.is_empty() {
            let named: Vec<String> = unplaced.iter().map(|(name, count)| format!("{count} × {name}")).collect();
            notes.push(format!("layers without a feature: {}", named.join(", ")));
        }
        if !unknown.is_empty() {
            let (count, layers) = (unknown.len(), if unknown.len() == 1 { "layer" } else { "layers" });
            notes.push(format!("left out, as the input size is not known: {count} {layers}: {}", first_names(unknown)));
        }
        Self { values, notes }
    }

    /// Names, in order.
    #[must_use]
    pub fn names() -> [&'static str; FEATURES] {
        let mut names = [""; FEATURES];
        let all = PLACES.iter().map(|(_, name)| *name).chain(OTHERS);
        names.iter_mut().zip(all).for_each(|(place, name)| *place = name);
        names
    }

    /// Values, in the order of the names.
    #[must_use]
    pub const fn values(&self) -> &[f64; FEATURES] {
        &self.values
    }
}
