//! What figures hang on: how much of their spread each unknown number, or group of them, brings about.

use super::sampled::{At, Function, NotAllowed, OfStudy, at_points, not_allowed};
use super::uncertainty::{Begun, Sampled, Sampling, UncertaintyError, part_seed};
use super::unknowns::{Cause, Unknowns, coordinate};
use super::wanted::{Wanted, answer};
use crate::scenario::Study;
use crate::study::{Watch, set_number, validate};

/// Independent parts of the samples: how far they differ tells the error of sampling.
const PARTS: usize = 8;
/// Shares of all values at which the ends of a swing lie.
const SWING: [f64; 2] = [0.05, 0.95];

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The numbers that are not known.
    pub unknowns: Unknowns,
    /// What is drawn independently.
    pub causes: Vec<Cause>,
    /// The figures that were asked for.
    pub figures: Vec<OfFigure>,
    /// Evaluations of the study.
    pub evaluations: usize,
    /// Samples that the study does not allow.
    pub not_allowed: Option<NotAllowed>,
}

/// What a figure hangs on.
#[derive(Debug, Clone, PartialEq)]
pub struct OfFigure {
    /// Which figure.
    pub wanted: Wanted,
    /// What it is with every number as it stands.
    pub present: Option<f64>,
    /// Its standard deviation, all numbers drawn together.
    pub deviation: f64,
    /// Of each cause, in their order.
    pub effects: Vec<Effect>,
    /// Of each number, in their order.
    pub swings: Vec<Swing>,
}

/// How much of the variance of a figure a cause brings about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// By itself: the first-order index of Sobol.
    pub first: Sampled,
    /// Together with others too: the total index.
    pub total: Sampled,
}

/// A figure where one number is low and where it is high, all others as they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swing {
    /// The values that 5 and 95 % of all that the number may be do not exceed.
    pub ends: [f64; 2],
    /// The figure there; none where the study does not allow it or has no value.
    pub values: [Option<f64>; 2],
}

impl OfFigure {
    /// Places of the causes, that with the largest total effect first.
    #[must_use]
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.effects.len()).collect();
        order.sort_by(|a, b| self.effects[*b].total.value.total_cmp(&self.effects[*a].total.value));
        order
    }
}

/// Evaluations that so many samples of so many causes take: two sets of samples, and one more for each cause.
#[must_use]
pub fn evaluations(samples: usize, causes: usize) -> usize {
    samples.div_ceil(PARTS) * PARTS * (causes + 2)
}

/// Finds what figures of a valid study hang on; `None` if it was called off. The same on any number of threads. Counts evaluations.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn sensitivity(
    study: &Study,
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Result<Option<Sensitivity>, UncertaintyError> {
    let Some(Begun { unknowns, wanted, present }) = sampling.begin(study, watch)? else { return Ok(None) };
    let causes = unknowns.causes();
    let function = OfStudy { study, unknowns: &unknowns, wanted: &wanted, watch };
    let Some(found) = sampled(&function, unknowns.dimensions(), &causes, sampling, watch) else { return Ok(None) };
    let Some(swings) = swings(study, &unknowns, &wanted, watch) else { return Ok(None) };
    let not_allowed = not_allowed(found.iter());
    if let Some(all) = not_allowed.as_ref().filter(|refused| refused.count == refused.of) {
        return Err(UncertaintyError::Nowhere(all.clone()));
    }
    let of_figure = |(place, (wanted, present)): (usize, (Wanted, Option<f64>))| {
        let (deviation, effects) = effects(&found, causes.len(), place);
        OfFigure { wanted, present, deviation, effects, swings: swings.iter().map(|of| of.of(place)).collect() }
    };
    let figures = wanted.iter().cloned().zip(present).enumerate().map(of_figure).collect();
    Ok(Some(Sensitivity { figures, evaluations: found.len(), not_allowed, causes, unknowns }))
}

/// For every sample its values at A, at B, and at A with one cause of B, for each cause (Saltelli and others 2010).
fn sampled<F: Function>(
    function: &F,
    dimensions: usize,
    causes: &[Cause],
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Option<Vec<At>> {
    let each = sampling.samples.div_ceil(PARTS);
    let rows = causes.len() + 2;
    let point = |number: usize| {
        let (sample, row) = (number / rows, number % rows);
        let (part, index) = (sample / each, sample % each);
        let seed = part_seed(sampling.seed, part);
        let is_of_b = |dimension: usize| match row {
            0 => false,
            1 => true,
            cause => causes[cause - 2].dimensions.contains(&dimension),
        };
        let of = |dimension| coordinate(index, if is_of_b(dimension) { dimensions + dimension } else { dimension }, seed);
        (0..dimensions).map(of).collect()
    };
    at_points(function, each * PARTS * rows, point, watch)
}

/// Standard deviation of a figure, and the effect of each cause on it: first-order by Saltelli and others (Computer Physics
/// Communications 181, 2010), total by Jansen (1999).
fn effects(found: &[At], causes: usize, place: usize) -> (f64, Vec<Effect>) {
    let rows = causes + 2;
    let value = |at: &At| at.as_ref().map_or(f64::NAN, |values| values[place]);
    let samples: Vec<Vec<f64>> = found
        .chunks(rows)
        .map(|sample| sample.iter().map(value).collect::<Vec<f64>>())
        .collect();
    let of = |samples: &[Vec<f64>]| -> (f64, Vec<[f64; 2]>) {
        let whole: Vec<&Vec<f64>> = samples.iter().filter(|sample| sample.iter().all(|value| value.is_finite())).collect();
        let count = whole.len() as f64;
        let mean = whole.iter().map(|sample| sample[0] + sample[1]).sum::<f64>() / (2.0 * count);
        let square = |sample: &&Vec<f64>| (sample[0] - mean).powi(2) + (sample[1] - mean).powi(2);
        let variance = whole.iter().map(square).sum::<f64>() / (2.0 * count);
        let of_cause = |cause: usize| {
            let [mut first, mut total] = [0.0; 2];
            for sample in &whole {
                let mixed = sample[cause + 2];
                first += (sample[1] - mean) * (mixed - sample[0]);
                total += (sample[0] - mixed).powi(2) / 2.0;
            }
            if variance > 0.0 { [first, total].map(|sum| sum / count / variance) } else { [0.0; 2] }
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

/// All figures at both ends of a number.
struct Swings {
    ends: [f64; 2],
    figures: [Option<Vec<Option<f64>>>; 2],
}

impl Swings {
    fn of(&self, place: usize) -> Swing {
        let value = |end: &Option<Vec<Option<f64>>>| end.as_ref().and_then(|figures| figures[place]);
        Swing { ends: self.ends, values: [value(&self.figures[0]), value(&self.figures[1])] }
    }
}

fn swings(study: &Study, unknowns: &Unknowns, wanted: &[Wanted], watch: Watch<'_>) -> Option<Vec<Swings>> {
    let base = super::unknowns::bare(study);
    let mut swings = Vec::with_capacity(unknowns.numbers.len());
    for unknown in &unknowns.numbers {
        let ends = SWING.map(|share| unknown.spread.distribution.quantile(unknown.quantity, unknown.value, share));
        let mut figures = [None, None];
        for (end, figures) in ends.iter().zip(&mut figures) {
            let mut moved = base.clone();
            let subject = moved.subject_mut();
            set_number(subject, &unknown.path, *end);
            if validate(subject).is_ok() {
                let found = answer(subject, watch)?;
                *figures = Some(wanted.iter().map(|wanted| wanted.value(&found)).collect());
            }
        }
        swings.push(Swings { ends, figures });
    }
    Some(swings)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::tools::uncertainty::SAMPLES;

    /// sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁, each uniform from −π to π (Ishigami and Homma 1990).
    struct Ishigami;

    impl Function for Ishigami {
        type State = ();

        fn start(&self) {}

        fn at(&self, (): &mut (), point: &[f64]) -> Option<At> {
            let [x1, x2, x3] = [0, 1, 2].map(|place| PI * (2.0 * point[place] - 1.0));
            Some(Ok(vec![x1.sin() + 7.0 * x2.sin().powi(2) + 0.1 * x3.powi(4) * x1.sin()]))
        }
    }

    fn causes(count: usize) -> Vec<Cause> {
        let cause = |place: usize| Cause { name: format!("x{place}"), numbers: vec![place], dimensions: vec![place] };
        (0..count).map(cause).collect()
    }

    fn ishigami(samples: usize) -> (f64, Vec<Effect>) {
        let sampling = Sampling { samples, ..Sampling::default() };
        let found = Watch::nobody(|watch| sampled(&Ishigami, 3, &causes(3), &sampling, watch)).expect("all");
        effects(&found, 3, 0)
    }

    /// By integration, with a = 7 and b = 0.1: V₁ = (1 + bπ⁴/5)²/2, V₂ = a²/8, V₁₃ = b²π⁸ (1/18 − 1/50), V their sum.
    #[test]
    fn indices_of_ishigamis_function_are_those_of_the_integrals() {
        let (a, b) = (7.0_f64, 0.1_f64);
        let v1 = (1.0 + b * PI.powi(4) / 5.0).powi(2) / 2.0;
        let v2 = a * a / 8.0;
        let v13 = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
        let all = v1 + v2 + v13;
        let (deviation, effects) = ishigami(SAMPLES);
        assert!((deviation * deviation / all - 1.0).abs() < 0.01, "{deviation}");
        let expected = [[v1, v1 + v13], [v2, v2], [0.0, v13]];
        for (effect, [first, total]) in effects.iter().zip(expected) {
            for (found, expected) in [(effect.first, first / all), (effect.total, total / all)] {
                let off = (found.value - expected).abs();
                assert!(off < 4.0 * found.error + 1e-3 && found.error < 0.02, "{found:?} instead of {expected}");
            }
        }
    }

    #[test]
    fn errors_of_sampling_shrink_with_the_samples() {
        let error = |samples| ishigami(samples).1.iter().map(|effect| effect.total.error).fold(0.0, f64::max);
        assert!(error(16_384) < 0.5 * error(512), "{} {}", error(16_384), error(512));
    }

    #[test]
    fn what_does_not_vary_hangs_on_nothing() {
        struct Level;
        impl Function for Level {
            type State = ();
            fn start(&self) {}
            fn at(&self, (): &mut (), _: &[f64]) -> Option<At> {
                Some(Ok(vec![2.0]))
            }
        }
        let sampling = Sampling { samples: 64, ..Sampling::default() };
        let found = Watch::nobody(|watch| sampled(&Level, 1, &causes(1), &sampling, watch)).expect("all");
        let (deviation, effects) = effects(&found, 1, 0);
        assert_eq!((deviation, effects[0].total.value), (0.0, 0.0));
    }
}
