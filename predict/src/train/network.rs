//! The forward pass of a multi-layer perceptron: layers of weights with rectifiers between them.

use rand_distr::{Distribution as _, StandardNormal};
use rand_pcg::Pcg64Mcg;

/// A layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    /// Weight of each input for each output: all outputs of the first input, then of the second …
    pub(super) weights: Vec<f32>,
    /// Bias of each output.
    pub(super) biases: Vec<f32>,
}

/// Layers from inputs to outputs, with rectifiers between them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    pub(super) layers: Vec<Layer>,
}

/// Inputs and outputs of each layer.
pub(super) fn shapes(inputs: usize, hidden: &[usize], outputs: usize) -> Vec<[usize; 2]> {
    let ends = hidden.iter().copied().chain([outputs]);
    let begins = [inputs].into_iter().chain(hidden.iter().copied());
    begins.zip(ends).map(|(inputs, outputs)| [inputs, outputs]).collect()
}

impl Network {
    /// Random weights whose variance is 2 / inputs, which keeps the spread of rectified signals from layer to layer; biases 0
    /// (He and others, ICCV 2015, <https://arxiv.org/abs/1502.01852>, section 2.2).
    pub(super) fn random(shapes: &[[usize; 2]], random: &mut Pcg64Mcg) -> Self {
        let layer = |[inputs, outputs]: &[usize; 2]| {
            let spread = (2.0 / *inputs as f64).sqrt();
            let mut weight = || {
                let drawn: f64 = StandardNormal.sample(random);
                #[expect(clippy::cast_possible_truncation, reason = "weights are kept in single precision")]
                let weight = (drawn * spread) as f32;
                weight
            };
            Layer { weights: (0..inputs * outputs).map(|_| weight()).collect(), biases: vec![0.0; *outputs] }
        };
        Self { layers: shapes.iter().map(layer).collect() }
    }

    /// A network of these shapes whose parameters are all 0.
    pub(super) fn zeros(shapes: &[[usize; 2]]) -> Self {
        let layer = |[inputs, outputs]: &[usize; 2]| Layer {
            weights: vec![0.0; inputs * outputs],
            biases: vec![0.0; *outputs],
        };
        Self { layers: shapes.iter().map(layer).collect() }
    }

    /// Weights and biases of each layer, from the first on.
    pub(super) fn parameters(&self) -> impl Iterator<Item = &[f32]> {
        self.layers.iter().flat_map(|layer| [layer.weights.as_slice(), layer.biases.as_slice()])
    }

    /// The same, to be changed.
    pub(super) fn parameters_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.layers.iter_mut().flat_map(|layer| [layer.weights.as_mut_slice(), layer.biases.as_mut_slice()])
    }

    /// Its outputs for scaled inputs.
    pub(super) fn output(&self, inputs: &[f32]) -> Vec<f32> {
        let mut signals = inputs.to_vec();
        for (place, layer) in self.layers.iter().enumerate() {
            let mut next = layer.biases.clone();
            for (signal, weights) in signals.iter().zip(layer.weights.chunks_exact(next.len())) {
                for (next, weight) in next.iter_mut().zip(weights) {
                    *next += signal * weight;
                }
            }
            if place + 1 < self.layers.len() {
                for signal in &mut next {
                    *signal = signal.max(0.0);
                }
            }
            signals = next;
        }
        signals
    }
}
