//! `AdamW`: Adam with decoupled weight decay (Loshchilov and Hutter, ICLR 2019, <https://arxiv.org/abs/1711.05101>,
//! algorithm 2).

use super::network::Network;
use super::scale::single;

/// β₁ and β₂ of algorithm 2: the share of the moments that a step keeps.
const BETAS: [f64; 2] = [0.9, 0.999];
/// ε, of algorithm 2.
const EPSILON: f64 = 1e-8;

/// Moments of the derivatives with respect to every parameter.
pub(super) struct AdamW {
    first: Network,
    second: Network,
    /// β₁ᵗ and β₂ᵗ after t steps.
    powers: [f64; 2],
}

impl AdamW {
    /// `shapes`: inputs and outputs of each layer.
    pub(super) fn new(shapes: &[[usize; 2]]) -> Self {
        Self { first: Network::zeros(shapes), second: Network::zeros(shapes), powers: [1.0; 2] }
    }

    /// Moves every parameter θ against its derivative g:
    ///
    /// ```text
    /// m ← β₁·m + (1 − β₁)·g        m̂ = m / (1 − β₁ᵗ)
    /// v ← β₂·v + (1 − β₂)·g²       v̂ = v / (1 − β₂ᵗ)
    /// θ ← θ − rate · (m̂ / (√v̂ + ε) + decay·θ)
    /// ```
    ///
    /// `rate` is the paper's α·ηₜ and `decay` its λ / α: the decay falls with the learning rate, as in `PyTorch`.
    pub(super) fn step(&mut self, network: &mut Network, derivatives: &Network, rate: f64, decay: f64) {
        for (power, beta) in self.powers.iter_mut().zip(BETAS) {
            *power *= beta;
        }
        let [first_beta, second_beta] = BETAS.map(single);
        let [first_share, second_share] = BETAS.map(|beta| single(1.0 - beta));
        let [first_correction, second_correction] = self.powers.map(|power| single(1.0 / (1.0 - power)));
        let (kept, rate, epsilon) = (single(1.0 - rate * decay), single(rate), single(EPSILON));
        let moments = self.first.parameters_mut().zip(self.second.parameters_mut());
        let lists = network.parameters_mut().zip(derivatives.parameters()).zip(moments);
        for ((parameters, derivatives), (first, second)) in lists {
            let moments = first.iter_mut().zip(second.iter_mut());
            for ((parameter, derivative), (first, second)) in parameters.iter_mut().zip(derivatives).zip(moments) {
                *first = first_beta * *first + first_share * derivative;
                *second = second_beta * *second + second_share * (derivative * derivative);
                let direction = first_correction * *first / ((second_correction * *second).sqrt() + epsilon);
                *parameter = kept * *parameter - rate * direction;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::network::Layer;
    use super::*;

    fn network(weight: f32, bias: f32) -> Network {
        Network { layers: vec![Layer { weights: vec![weight], biases: vec![bias] }] }
    }

    fn parameters(network: &Network) -> [f32; 2] {
        [network.layers[0].weights[0], network.layers[0].biases[0]]
    }

    fn assert_near(found: [f32; 2], expected: [f32; 2]) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 5e-7, "{found} instead of {expected}");
        }
    }

    #[test]
    fn two_steps_follow_the_published_algorithm() {
        let mut adam = AdamW::new(&[[1, 1]]);
        let mut found = network(1.0, 1.0);
        let (rate, decay) = (0.1, 0.01);
        // By hand, lines 6 to 12 of algorithm 2. Derivative 0.5: m = 0.1 · 0.5 = 0.05, v = 0.001 · 0.25 = 0.00025;
        // m̂ = 0.05 / 0.1 = 0.5, v̂ = 0.00025 / 0.001 = 0.25; θ = 1 − 0.1 · (0.5 / 0.5 + 0.01 · 1) = 0.899.
        // Without a derivative only the decay is left: 1 − 0.1 · 0.01 · 1 = 0.999.
        adam.step(&mut found, &network(0.5, 0.0), rate, decay);
        assert_near(parameters(&found), [0.899, 0.999]);
        // Derivative −0.25: m = 0.9 · 0.05 − 0.1 · 0.25 = 0.02, v = 0.999 · 0.00025 + 0.001 · 0.0625 = 0.00031225;
        // m̂ = 0.02 / (1 − 0.81) = 0.105263158, v̂ = 0.00031225 / (1 − 0.998001) = 0.156203102, √v̂ = 0.395225381;
        // θ = 0.899 − 0.1 · (0.105263158 / 0.395225381 + 0.01 · 0.899) = 0.899 − 0.0266337 − 0.000899 = 0.8714673.
        // 0.999 − 0.1 · 0.01 · 0.999 = 0.998001.
        adam.step(&mut found, &network(-0.25, 0.0), rate, decay);
        assert_near(parameters(&found), [0.871_467_3, 0.998_001]);
    }

    #[test]
    fn the_first_step_has_the_length_of_the_rate_whatever_the_derivative() {
        // m̂ = g and √v̂ = |g| after one step, so the step is rate · sign(g): section 2.1 of Kingma and Ba, ICLR 2015.
        for derivative in [1e-3, 1.0, -250.0] {
            let mut adam = AdamW::new(&[[1, 1]]);
            let mut found = network(0.0, 0.0);
            adam.step(&mut found, &network(derivative, -derivative), 0.01, 0.0);
            let step = 0.01_f32.copysign(derivative);
            for (found, expected) in parameters(&found).into_iter().zip([-step, step]) {
                assert!((found - expected).abs() < 1e-6, "{derivative}: {found} instead of {expected}");
            }
        }
    }
}
