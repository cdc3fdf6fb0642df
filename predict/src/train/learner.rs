//! Training of one perceptron by backpropagation, in mini-batches, with Adam and decoupled weight decay.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::adamw::AdamW;
use super::examples::Examples;
use super::gradient::Gradient;
use super::network::Network;
use super::options::Options;
use super::split::shuffle;

/// A perceptron in training. It does not depend on other members or on the number of threads.
pub(super) struct Learner {
    /// The current network.
    pub(super) network: Network,
    gradient: Gradient,
    optimizer: AdamW,
    random: Pcg64Mcg,
    order: Vec<usize>,
}

impl Learner {
    pub(super) fn new(shapes: &[[usize; 2]], runs: usize, options: &Options, member: usize) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(options.seed.rotate_left(32) ^ (member as u64 + 1));
        Self {
            network: Network::random(shapes, &mut random),
            gradient: Gradient::new(shapes),
            optimizer: AdamW::new(shapes),
            random,
            order: (0..runs).collect(),
        }
    }

    /// Trains on every run once; returns the mean loss, each run before its update.
    pub(super) fn epoch(&mut self, runs: &Examples, learning_rate: f64, options: &Options) -> f64 {
        shuffle(&mut self.order, &mut self.random);
        let mut sum = 0.0;
        for batch in self.order.chunks(options.batch) {
            sum += self.gradient.update(&self.network, runs, batch, options.loss);
            let derivatives = &self.gradient.derivatives;
            self.optimizer.step(&mut self.network, derivatives, learning_rate, options.weight_decay);
        }
        sum / runs.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::shapes;
    use super::*;

    /// A grid of 20 · 20 points from −1 to 1, and a function of both coordinates.
    fn runs_of(function: impl Fn(f32, f32) -> f32) -> Examples {
        let at = |place: u8| f32::from(place) / 9.5 - 1.0;
        let points: Vec<[f32; 2]> = (0..20).flat_map(|x| (0..20).map(move |y| [at(x), at(y)])).collect();
        Examples {
            inputs: points.iter().flatten().copied().collect(),
            width: 2,
            devices: vec![0; points.len()],
            values: points.iter().map(|[x, y]| function(*x, *y)).collect(),
        }
    }

    /// A network trained with a linearly falling learning rate.
    fn learned(hidden: &[usize], runs: &Examples, epochs: u32) -> Network {
        let options = Options { batch: 32, weight_decay: 0.0, ..Options::default() };
        let mut learner = Learner::new(&shapes(2, hidden, 1), runs.len(), &options, 0);
        for epoch in 0..epochs {
            learner.epoch(runs, 0.03 * (1.0 - f64::from(epoch) / f64::from(epochs)), &options);
        }
        learner.network
    }

    #[test]
    fn without_hidden_layers_a_linear_function_is_found_with_its_coefficients() {
        let network = learned(&[], &runs_of(|x, y| 2.0 * x - 3.0 * y + 0.5), 100);
        let found: Vec<f32> = network.parameters().flatten().copied().collect();
        for (found, expected) in found.iter().zip([2.0, -3.0, 0.5]) {
            assert!((found - expected).abs() < 2e-3, "{found} instead of {expected}");
        }
    }

    #[test]
    fn a_product_of_two_inputs_is_learned() {
        // Its standard deviation on the grid is Σ x² / 20 = 0.37, and no linear function explains any of it.
        let runs = runs_of(|x, y| x * y);
        let network = learned(&[32], &runs, 200);
        let error = |run: usize| (f64::from(network.output(runs.input(run))[0]) - f64::from(runs.values[run])).powi(2);
        let rmse = ((0..runs.len()).map(error).sum::<f64>() / runs.len() as f64).sqrt();
        assert!(rmse < 0.04, "{rmse}");
    }

    #[test]
    fn the_same_seed_and_member_learn_the_same_weights_and_others_learn_others() {
        let runs = runs_of(|x, y| x * y);
        let learned = |seed: u64, member: usize, epochs: usize| {
            let options = Options { seed, ..Options::default() };
            let mut learner = Learner::new(&shapes(2, &[8, 4], 1), runs.len(), &options, member);
            for _ in 0..epochs {
                learner.epoch(&runs, 0.01, &options);
            }
            learner.network
        };
        let first = learned(5, 0, 3);
        assert_eq!(learned(5, 0, 3), first);
        assert_ne!(learned(5, 1, 3), first);
        assert_ne!(learned(6, 0, 3), first);
        assert_ne!(learned(5, 0, 0), first, "epochs change the weights");
    }
}
