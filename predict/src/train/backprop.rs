//! Training of one perceptron by backpropagation, in mini-batches, with Adam and decoupled weight decay.

use candle_core::{Device, Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer as _, ParamsAdamW};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::network::{Layer, Network};
use super::options::{Loss, Options};
use super::split::shuffle;

/// Scaled runs of one part.
pub(super) struct Examples {
    /// Inputs of all runs, one after the other.
    pub(super) inputs: Vec<f32>,
    /// Inputs of one.
    pub(super) width: usize,
    /// Where each ran.
    pub(super) devices: Vec<usize>,
    /// What each took, scaled.
    pub(super) values: Vec<f32>,
}

impl Examples {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn input(&self, run: usize) -> &[f32] {
        &self.inputs[run * self.width..(run + 1) * self.width]
    }
}

/// A perceptron that learns. Nothing in it depends on the others or on the number of threads.
pub(super) struct Learner {
    layers: Vec<[Var; 2]>,
    optimizer: AdamW,
    random: Pcg64Mcg,
    order: Vec<usize>,
    outputs: usize,
}

impl Learner {
    pub(super) fn new(shapes: &[[usize; 2]], runs: usize, options: &Options, member: usize) -> Result<Self> {
        let mut random = Pcg64Mcg::seed_from_u64(options.seed.rotate_left(32) ^ (member as u64 + 1));
        let network = Network::random(shapes, &mut random);
        let layers: Result<Vec<[Var; 2]>> = network
            .layers
            .into_iter()
            .zip(shapes)
            .map(|(layer, [inputs, outputs])| {
                Ok([
                    Var::from_vec(layer.weights, (*inputs, *outputs), &Device::Cpu)?,
                    Var::from_vec(layer.biases, *outputs, &Device::Cpu)?,
                ])
            })
            .collect();
        let layers = layers?;
        let adam = ParamsAdamW { lr: options.learning_rate, weight_decay: options.weight_decay, ..Default::default() };
        let optimizer = AdamW::new(layers.iter().flatten().cloned().collect(), adam)?;
        let outputs = shapes.last().map_or(1, |[_, outputs]| *outputs);
        Ok(Self { layers, optimizer, random, order: (0..runs).collect(), outputs })
    }

    /// Sees every run once; the mean loss of them, each before it was learnt from.
    pub(super) fn epoch(&mut self, runs: &Examples, learning_rate: f64, options: &Options) -> Result<f64> {
        self.optimizer.set_learning_rate(learning_rate);
        shuffle(&mut self.order, &mut self.random);
        let mut sum = 0.0;
        for batch in self.order.chunks(options.batch) {
            let rows = batch.len();
            let inputs: Vec<f32> = batch.iter().flat_map(|run| runs.input(*run)).copied().collect();
            // Only the device on which it was measured counts.
            let (mut values, mut counts) = (vec![0.0; rows * self.outputs], vec![0.0; rows * self.outputs]);
            for (row, run) in batch.iter().enumerate() {
                let place = row * self.outputs + runs.devices[*run];
                values[place] = runs.values[*run];
                counts[place] = 1.0_f32;
            }
            let mut signals = Tensor::from_vec(inputs, (rows, runs.width), &Device::Cpu)?;
            for (place, [weights, biases]) in self.layers.iter().enumerate() {
                signals = signals.matmul(weights)?.broadcast_add(biases)?;
                if place + 1 < self.layers.len() {
                    signals = signals.relu()?;
                }
            }
            let values = Tensor::from_vec(values, (rows, self.outputs), &Device::Cpu)?;
            let mut errors = (signals - values)?;
            if self.outputs > 1 {
                errors = (errors * Tensor::from_vec(counts, (rows, self.outputs), &Device::Cpu)?)?;
            }
            let errors = match options.loss {
                Loss::Squared => errors.sqr()?,
                Loss::Absolute => errors.abs()?,
            };
            let loss = (errors.sum_all()? / rows as f64)?;
            self.optimizer.step(&loss.backward()?)?;
            sum += f64::from(loss.to_scalar::<f32>()?) * rows as f64;
        }
        Ok(sum / runs.len() as f64)
    }

    /// What it is now.
    pub(super) fn network(&self) -> Result<Network> {
        let layer = |[weights, biases]: &[Var; 2]| {
            Ok(Layer { weights: weights.flatten_all()?.to_vec1()?, biases: biases.to_vec1()? })
        };
        Ok(Network { layers: self.layers.iter().map(layer).collect::<Result<_>>()? })
    }
}
