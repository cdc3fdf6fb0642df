//! The loss of a perceptron on a mini-batch, and its gradient by backpropagation (Rumelhart, Hinton and Williams, Nature 323,
//! 1986, <https://doi.org/10.1038/323533a0>).

use std::mem::swap;

use super::examples::Examples;
use super::matrix::{add_product, add_transposed_product, transpose};
use super::network::Network;
use super::options::Loss;

/// Derivatives of the loss, with buffers that every mini-batch reuses.
pub(super) struct Gradient {
    /// With respect to every parameter.
    pub(super) derivatives: Network,
    /// Inputs of each layer, and outputs of the last: a row for each run.
    signals: Vec<Vec<f32>>,
    /// With respect to the sums of a layer, before the rectifier: a row for each run.
    deltas: Vec<f32>,
    /// The same for the layer before.
    earlier_deltas: Vec<f32>,
    /// Weights with a row for each output.
    transposed: Vec<f32>,
}

impl Gradient {
    /// `shapes`: inputs and outputs of each layer.
    pub(super) fn new(shapes: &[[usize; 2]]) -> Self {
        Self {
            derivatives: Network::zeros(shapes),
            signals: vec![Vec::new(); shapes.len() + 1],
            deltas: Vec::new(),
            earlier_deltas: Vec::new(),
            transposed: Vec::new(),
        }
    }

    /// The sum of the losses of the runs in `batch`; the gradient becomes that of their mean.
    pub(super) fn update(&mut self, network: &Network, runs: &Examples, batch: &[usize], loss: Loss) -> f64 {
        self.forward(network, runs, batch);
        let sum = self.sum_losses(runs, batch, loss);
        self.backward(network);
        sum
    }

    fn forward(&mut self, network: &Network, runs: &Examples, batch: &[usize]) {
        let inputs = &mut self.signals[0];
        inputs.clear();
        for run in batch {
            inputs.extend_from_slice(runs.input(*run));
        }
        for (place, layer) in network.layers.iter().enumerate() {
            let (before, after) = self.signals.split_at_mut(place + 1);
            let (inputs, outputs) = (&before[place], &mut after[0]);
            outputs.clear();
            for _ in batch {
                outputs.extend_from_slice(&layer.biases);
            }
            add_product(outputs, inputs, &layer.weights, layer.biases.len());
            if place + 1 < network.layers.len() {
                for signal in outputs {
                    *signal = signal.max(0.0);
                }
            }
        }
    }

    /// The sum of the losses; the deltas become those of the last layer. Only the output for the device on which a run was
    /// measured counts.
    fn sum_losses(&mut self, runs: &Examples, batch: &[usize], loss: Loss) -> f64 {
        let outputs = &self.signals[self.signals.len() - 1];
        let width = outputs.len() / batch.len();
        self.deltas.clear();
        self.deltas.resize(outputs.len(), 0.0);
        let mut sum = 0.0;
        for (row, run) in batch.iter().enumerate() {
            let place = row * width + runs.devices[*run];
            let error = outputs[place] - runs.values[*run];
            let (loss, slope) = match loss {
                Loss::Squared => (error * error, 2.0 * error),
                Loss::Absolute => (error.abs(), error.signum()),
            };
            sum += f64::from(loss);
            self.deltas[place] = slope / batch.len() as f32;
        }
        sum
    }

    fn backward(&mut self, network: &Network) {
        for (place, layer) in network.layers.iter().enumerate().rev() {
            let (inputs, outputs) = (&self.signals[place], layer.biases.len());
            let derivatives = &mut self.derivatives.layers[place];
            derivatives.weights.fill(0.0);
            add_transposed_product(&mut derivatives.weights, inputs, &self.deltas, outputs);
            derivatives.biases.fill(0.0);
            for deltas in self.deltas.chunks_exact(outputs) {
                for (sum, delta) in derivatives.biases.iter_mut().zip(deltas) {
                    *sum += delta;
                }
            }
            if place == 0 {
                return;
            }
            transpose(&layer.weights, outputs, &mut self.transposed);
            self.earlier_deltas.clear();
            self.earlier_deltas.resize(inputs.len(), 0.0);
            add_product(&mut self.earlier_deltas, &self.deltas, &self.transposed, layer.weights.len() / outputs);
            // The derivative of the rectifier is 1 above 0; at 0, where it has none, 0 is used.
            for (delta, signal) in self.earlier_deltas.iter_mut().zip(inputs) {
                *delta = if *signal > 0.0 { *delta } else { 0.0 };
            }
            swap(&mut self.deltas, &mut self.earlier_deltas);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_distr::{Distribution as _, StandardNormal};
    use rand_pcg::Pcg64Mcg;
    use rand_pcg::rand_core::SeedableRng as _;

    use super::super::network::{Layer, shapes};
    use super::*;

    /// Step of the finite differences. Between two kinks the loss is a polynomial of at most the second degree in each
    /// parameter, of which central differences are exact but for rounding.
    const STEP: f64 = 1e-7;
    /// Nearer to 0 a step, or single precision, may leave the polynomial.
    const KINK: f64 = 1e-4;

    fn normal(count: usize, random: &mut Pcg64Mcg) -> Vec<f32> {
        (0..count).map(|_| StandardNormal.sample(random)).collect()
    }

    /// A perceptron with random weights and biases, and random runs on random devices.
    fn drawn(shapes: &[[usize; 2]], runs: usize, seed: u64) -> (Network, Examples) {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut network = Network::random(shapes, &mut random);
        for layer in &mut network.layers {
            layer.biases = normal(layer.biases.len(), &mut random);
        }
        let ([width, _], [_, outputs]) = (shapes[0], shapes[shapes.len() - 1]);
        let examples = Examples {
            inputs: normal(runs * width, &mut random),
            width,
            devices: (0..runs).map(|run| run % outputs).collect(),
            values: normal(runs, &mut random),
        };
        (network, examples)
    }

    /// The mean loss by its definition in double precision, and the smallest distance from a kink. `parameters`: weights and
    /// biases of each layer.
    fn defined(parameters: &[Vec<f64>], shapes: &[[usize; 2]], runs: &Examples, loss: Loss) -> (f64, f64) {
        let (mut sum, mut distance) = (0.0, f64::INFINITY);
        for run in 0..runs.len() {
            let mut signals: Vec<f64> = runs.input(run).iter().copied().map(f64::from).collect();
            for (place, &[inputs, outputs]) in shapes.iter().enumerate() {
                let (weights, biases) = (&parameters[2 * place], &parameters[2 * place + 1]);
                let mut next = Vec::new();
                for (output, bias) in biases.iter().enumerate() {
                    let terms = (0..inputs).map(|input| signals[input] * weights[input * outputs + output]);
                    next.push(bias + terms.sum::<f64>());
                }
                if place + 1 < shapes.len() {
                    for signal in &mut next {
                        distance = distance.min(signal.abs());
                        *signal = signal.max(0.0);
                    }
                }
                signals = next;
            }
            let error = signals[runs.devices[run]] - f64::from(runs.values[run]);
            match loss {
                Loss::Squared => sum += error * error,
                Loss::Absolute => {
                    sum += error.abs();
                    distance = distance.min(error.abs());
                }
            }
        }
        (sum / runs.len() as f64, distance)
    }

    proptest! {
        #[test]
        fn every_derivative_is_that_of_central_differences(
            inputs in 1..6_usize,
            hidden in prop::collection::vec(1..8_usize, 0..4),
            outputs in 1..4_usize,
            runs in 1..10_usize,
            is_squared in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let shapes = shapes(inputs, &hidden, outputs);
            let loss = if is_squared { Loss::Squared } else { Loss::Absolute };
            let (network, examples) = drawn(&shapes, runs, seed);
            let mut parameters: Vec<Vec<f64>> =
                network.parameters().map(|list| list.iter().copied().map(f64::from).collect()).collect();
            let (expected, distance) = defined(&parameters, &shapes, &examples, loss);
            prop_assume!(distance > KINK);

            let mut gradient = Gradient::new(&shapes);
            let batch: Vec<usize> = (0..runs).collect();
            let found = gradient.update(&network, &examples, &batch, loss) / runs as f64;
            prop_assert!((found - expected).abs() <= 1e-4 * (1.0 + expected), "loss {found} instead of {expected}");

            let mut pairs = Vec::new();
            for (place, list) in gradient.derivatives.parameters().enumerate() {
                for (entry, derivative) in list.iter().enumerate() {
                    let value = parameters[place][entry];
                    let [above, below] = [value + STEP, value - STEP].map(|moved| {
                        parameters[place][entry] = moved;
                        defined(&parameters, &shapes, &examples, loss).0
                    });
                    parameters[place][entry] = value;
                    pairs.push((place, entry, f64::from(*derivative), (above - below) / (2.0 * STEP)));
                }
            }
            prop_assert_eq!(pairs.len(), shapes.iter().map(|[inputs, outputs]| (inputs + 1) * outputs).sum::<usize>());
            let largest = pairs.iter().fold(0.0_f64, |largest, (.., expected)| largest.max(expected.abs()));
            for (place, entry, found, expected) in pairs {
                prop_assert!(
                    (found - expected).abs() <= 1e-4 * (1.0 + largest),
                    "list {place}, entry {entry}: {found} instead of {expected}"
                );
            }
        }

        #[test]
        fn a_mini_batch_is_answered_as_run_by_run(
            hidden in prop::collection::vec(1..40_usize, 0..3),
            outputs in 1..6_usize,
            runs in 1..20_usize,
            seed in any::<u64>(),
        ) {
            let shapes = shapes(7, &hidden, outputs);
            let (network, examples) = drawn(&shapes, runs, seed);
            let mut gradient = Gradient::new(&shapes);
            let batch: Vec<usize> = (0..runs).rev().collect();
            gradient.forward(&network, &examples, &batch);
            let one_by_one: Vec<f32> = batch.iter().flat_map(|run| network.output(examples.input(*run))).collect();
            prop_assert_eq!(&gradient.signals[shapes.len()], &one_by_one);
        }
    }

    #[test]
    fn a_gradient_is_that_worked_out_by_hand() {
        // One input of 2, two hidden units that add up 2 · 1 + 1 = 3 and 2 · (−1) + 0 = −2, rectified 3 and 0; outputs
        // 3 · 0.5 + 0 = 1.5 and 3 · 4 + 7 = 19. Measured on the first device: 1. The error is 0.5, its square 0.25.
        let network = Network {
            layers: vec![
                Layer { weights: vec![1.0, -1.0], biases: vec![1.0, 0.0] },
                Layer { weights: vec![0.5, 4.0, 9.0, 9.0], biases: vec![0.0, 7.0] },
            ],
        };
        let runs = Examples { inputs: vec![2.0], width: 1, devices: vec![0], values: vec![1.0] };
        let mut gradient = Gradient::new(&[[1, 2], [2, 2]]);
        assert_eq!(gradient.update(&network, &runs, &[0], Loss::Squared), 0.25);
        // d loss / d output = 2 · 0.5 = 1 on the first device, 0 on the other; d loss / d hidden = 1 · 0.5, and 0 where it is
        // rectified.
        let expected = Network {
            layers: vec![
                Layer { weights: vec![2.0 * 0.5, 0.0], biases: vec![0.5, 0.0] },
                Layer { weights: vec![3.0, 0.0, 0.0, 0.0], biases: vec![1.0, 0.0] },
            ],
        };
        assert_eq!(gradient.derivatives, expected);
        // Twice the same run: twice the loss, the same mean and so the same gradient.
        assert_eq!(gradient.update(&network, &runs, &[0, 0], Loss::Squared), 0.5);
        assert_eq!(gradient.derivatives, expected);
        // |0.5| has the derivative 1, too.
        assert_eq!(gradient.update(&network, &runs, &[0], Loss::Absolute), 0.5);
        assert_eq!(gradient.derivatives, expected);
    }
}
