//! Sobol indices from the values at the points of samples.

use super::{Effect, PARTS};
use crate::uncertainty::Sampled;

/// Standard deviation of a figure, and the effect of each cause on it: first-order by Saltelli and others (Computer Physics
/// Communications 181, 2010), total by Jansen (1999).
pub(super) fn effects(found: &[f64], causes: usize) -> (f64, Vec<Effect>) {
    let samples: Vec<&[f64]> = found.chunks(causes + 2).collect();
    let of = |samples: &[&[f64]]| -> (f64, Vec<[f64; 2]>) {
        let whole: Vec<&[f64]> =
            samples.iter().copied().filter(|sample| sample.iter().all(|value| value.is_finite())).collect();
        let count = whole.len() as f64;
        let mean = whole.iter().map(|sample| sample[0] + sample[1]).sum::<f64>() / (2.0 * count);
        let square = |sample: &&[f64]| (sample[0] - mean).powi(2) + (sample[1] - mean).powi(2);
        let variance = whole.iter().map(square).sum::<f64>() / (2.0 * count);
        let of_cause = |cause: usize| {
            let [mut first, mut total] = [0.0; 2];
            for sample in &whole {
                let mixed = sample[cause + 2];
                first += (sample[1] - mean) * (mixed - sample[0]);
                total += (sample[0] - mixed).powi(2) / 2.0;
            }
            // A constant depends on nothing; a figure without values is NaN.
            if variance == 0.0 { [0.0; 2] } else { [first, total].map(|sum| sum / count / variance) }
        };
        (variance, (0..causes).map(of_cause).collect())
    };
    let (variance, all) = of(&samples);
    let parts: Vec<Vec<[f64; 2]>> = samples.chunks(samples.len().div_ceil(PARTS)).map(|part| of(part).1).collect();
    let effect = |(cause, [first, total]): (usize, &[f64; 2])| {
        let part = |which: usize| parts.iter().map(|part| part[cause][which]).collect::<Vec<f64>>();
        Effect { first: Sampled::of(*first, &part(0)), total: Sampled::of(*total, &part(1)) }
    };
    (variance.sqrt(), all.iter().enumerate().map(effect).collect())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::super::{Swing, evaluations, point};
    use super::*;
    use crate::uncertainty::{SAMPLES as MANY, Sampling};
    use crate::unknowns::Cause;

    /// sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁, each uniform from −π to π (Ishigami and Homma 1990).
    fn ishigamis(point: &[f64]) -> f64 {
        let [x1, x2, x3] = [0, 1, 2].map(|place| PI * (2.0 * point[place] - 1.0));
        x1.sin() + 7.0 * x2.sin().powi(2) + 0.1 * x3.powi(4) * x1.sin()
    }

    /// The values of a function of independent numbers at all points.
    fn sampled(function: impl Fn(&[f64]) -> f64, count: usize, samples: usize) -> Vec<f64> {
        let cause = |place: usize| Cause { name: format!("x{place}"), numbers: vec![place], dimensions: vec![place] };
        let causes: Vec<Cause> = (0..count).map(cause).collect();
        let sampling = Sampling { samples, ..Sampling::default() };
        let sequences = sampling.sequences(2 * count, PARTS);
        let at = |number| function(&point(number, count, &causes, &sequences));
        (0..evaluations(samples, count)).map(at).collect()
    }

    fn ishigami(samples: usize) -> (f64, Vec<Effect>) {
        effects(&sampled(ishigamis, 3, samples), 3)
    }

    /// By integration, with a = 7 and b = 0.1: V₁ = (1 + bπ⁴/5)²/2, V₂ = a²/8, V₁₃ = b²π⁸ (1/18 − 1/50), V their sum.
    #[test]
    fn indices_of_ishigamis_function_are_those_of_the_integrals() {
        let (a, b) = (7.0_f64, 0.1_f64);
        let v1 = (1.0 + b * PI.powi(4) / 5.0).powi(2) / 2.0;
        let v2 = a * a / 8.0;
        let v13 = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
        let all = v1 + v2 + v13;
        let (standard_deviation, effects) = ishigami(MANY);
        assert!((standard_deviation * standard_deviation / all - 1.0).abs() < 0.01, "{standard_deviation}");
        let expected = [[v1, v1 + v13], [v2, v2], [0.0, v13]];
        for (effect, [first, total]) in effects.iter().zip(expected) {
            for (found, expected) in [(effect.first, first / all), (effect.total, total / all)] {
                let off = (found.value - expected).abs();
                assert!(off < 4.0 * found.error + 1e-3 && found.error < 0.02, "{found:?} instead of {expected}");
            }
        }
    }

    /// At the centre x₁ = x₂ = x₃ = 0. P5 and P95 are ∓ 0.9 π, and sin 0.9 π = (√5 − 1) / 4. The change of x₃ alone is 0, as its whole effect
    /// is an interaction: numbers that are moved one at a time do not show it, its total index does.
    #[test]
    fn numbers_of_ishigamis_function_moved_one_at_a_time_change_it_as_its_formula_does() {
        let sine = (5.0_f64.sqrt() - 1.0) / 4.0;
        for (place, expected) in [2.0 * sine, 7.0 * sine * sine, 0.0].into_iter().enumerate() {
            let at = |share: f64| {
                let mut point = [0.5; 3];
                point[place] = share;
                Some(ishigamis(&point))
            };
            let swing = Swing { ends: [-0.9 * PI, 0.9 * PI], values: [at(0.05), at(0.95)] };
            let change = swing.change(at(0.5));
            assert!((change - expected).abs() < 1e-12, "x{}: {change} instead of {expected}", place + 1);
        }
        assert!(ishigami(MANY).1[2].total.value > 0.2, "the interaction of x₃");
    }

    #[test]
    fn errors_of_sampling_shrink_with_the_samples() {
        let error = |samples| ishigami(samples).1.iter().map(|effect| effect.total.error).fold(0.0, f64::max);
        assert!(error(16_384) < 0.5 * error(512), "{} {}", error(16_384), error(512));
    }

    #[test]
    fn what_does_not_vary_hangs_on_nothing() {
        let (standard_deviation, effects) = effects(&sampled(|_| 2.0, 1, 64), 1);
        assert_eq!((standard_deviation, effects[0].total.value), (0.0, 0.0));
    }
}
