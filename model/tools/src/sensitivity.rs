//! Sensitivity: the share of the variance of figures that each uncertain number, or group of them, explains.

use super::batch::Batch;
use super::points::{At, Pointwise, evaluate};
use super::rounds::{Growing, Kept, earlier_sample, evaluate_round};
use super::sampled::{NotAllowed, figures_at, some_allowed};
use super::selected::{SelectedFigure, allowed, number};
use super::sequence::Sequences;
use super::uncertainty::{Begun, Sampled, Sampling, UncertaintyError};
use super::unknowns::{Cause, Unknowns, bare};
use super::values::Values;
use crossover_study::{Subject, Watch, set_number};

/// Samples by default; each takes an evaluation for every cause, and two.
pub const SAMPLES: usize = 1_024;
/// Samples of the first round: two of each part.
pub const FIRST_SAMPLES: usize = 2 * PARTS;
/// Independent parts of the samples: how far they differ tells the error of sampling.
const PARTS: usize = 8;
/// Shares of all values at which the ends of a swing lie.
pub const SWING: [f64; 2] = [0.05, 0.95];

/// The result of a sensitivity analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The uncertain numbers.
    pub unknowns: Unknowns,
    /// Numbers and groups that are drawn independently.
    pub causes: Vec<Cause>,
    /// The selected figures.
    pub figures: Vec<OfFigure>,
    /// Evaluations of the study.
    pub evaluations: usize,
    /// Invalid samples.
    pub not_allowed: Option<NotAllowed>,
}

/// The sensitivities of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct OfFigure {
    /// Which figure.
    pub selected: SelectedFigure,
    /// Its present value.
    pub present: Option<f64>,
    /// Its standard deviation over all samples.
    pub standard_deviation: f64,
    /// Of each cause, in their order.
    pub effects: Vec<Effect>,
    /// Of each number, in their order.
    pub swings: Vec<Swing>,
}

/// The share of the variance of a figure that a cause explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// Alone: the first-order Sobol index.
    pub first: Sampled,
    /// With all its interactions: the total Sobol index.
    pub total: Sampled,
}

/// A figure where one number is low and where it is high, all others unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Swing {
    /// P5 and P95 of the number.
    pub ends: [f64; 2],
    /// The figure there; `None` where the study is invalid or has no value.
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

/// Evaluations for a number of samples and causes: two sets of samples, and one more for each cause.
#[must_use]
pub fn evaluations(samples: usize, causes: usize) -> usize {
    samples.div_ceil(PARTS) * PARTS * (causes + 2)
}

/// The points at which a study is evaluated for it: the samples, and after them both ends of each number.
#[derive(Debug)]
pub struct Points<'a> {
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    begun: Begun,
    causes: Vec<Cause>,
    /// By number, the place of its cause.
    cause_of: Vec<usize>,
    batch: Option<Batch>,
    sequences: Sequences,
}

/// Computes the sensitivities of figures of a valid study; `None` if it was cancelled. The same on any number of threads. Counts evaluations.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn sensitivity(
    study: &dyn Subject,
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Result<Option<Sensitivity>, UncertaintyError> {
    match begin(study, sampling, watch)? {
        Some(points) => evaluate(points, watch),
        None => Ok(None),
    }
}

/// The points of [`sensitivity`]; `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn begin<'a>(
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    watch: Watch<'_>,
) -> Result<Option<Points<'a>>, UncertaintyError> {
    sampling.begin(study, watch)?.map(|begun| Points::new(study, sampling, begun)).transpose()
}

/// One round of [`sensitivity`], with so many samples; it keeps the values of the round before. `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn round(
    study: &dyn Subject,
    sampling: &Sampling,
    samples: usize,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<Sensitivity>, UncertaintyError> {
    let sampling = sampling.round(samples)?;
    match sampling.begin_round(study, watch)? {
        Some(begun) => evaluate_round(Points::new(study, &sampling, begun)?, samples, kept, watch),
        None => Ok(None),
    }
}

impl<'a> Points<'a> {
    fn new(study: &'a dyn Subject, sampling: &'a Sampling, begun: Begun) -> Result<Self, UncertaintyError> {
        let causes = begun.unknowns.causes();
        begun.limited(evaluations(sampling.samples, causes.len()))?;
        let cause_of = |number| causes.iter().position(|cause| cause.numbers.contains(&number)).unwrap_or_default();
        Ok(Self {
            study,
            sampling,
            cause_of: (0..begun.unknowns.numbers.len()).map(cause_of).collect(),
            batch: begun.batch(study),
            sequences: sampling.sequences(2 * begun.unknowns.dimensions(), PARTS),
            causes,
            begun,
        })
    }
}

impl Points<'_> {
    /// Evaluations of samples; those of both ends of each number follow.
    fn samples(&self) -> usize {
        evaluations(self.sampling.samples, self.causes.len())
    }

    /// Writes the numbers at points of samples: all of A, all of B, or all of A but one cause.
    fn draw(&self, points: &[usize], inputs: &mut [Vec<f64>]) {
        let (unknowns, rows) = (&self.begun.unknowns, self.causes.len() + 2);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        let samples: Vec<usize> = (first / rows..=last / rows).collect();
        // Every number of A, and every number of B: each follows from dimensions of its own cause alone.
        let of_set = |set: usize| {
            let mut columns = vec![vec![0.0; samples.len()]; unknowns.dimensions()];
            for (dimension, column) in columns.iter_mut().enumerate() {
                self.sequences.write(&samples, set * unknowns.dimensions() + dimension, column);
            }
            unknowns.map(&mut columns);
            columns
        };
        let sets = [of_set(0), of_set(1)];
        for (number, (input, cause)) in inputs.iter_mut().zip(&self.cause_of).enumerate() {
            for (value, point) in input.iter_mut().zip(points) {
                let row = point % rows;
                let is_of_b = row == 1 || row == cause + 2;
                *value = sets[usize::from(is_of_b)][number][point / rows - samples[0]];
            }
        }
    }

    /// The value of a number at an end of its swing.
    fn end(&self, place: usize, end: usize) -> f64 {
        let unknown = &self.begun.unknowns.numbers[place];
        unknown.spread.distribution.quantile(unknown.quantity, unknown.value, SWING[end])
    }

    /// The figures at both ends of a number.
    fn swing(&self, ends: &Values, place: usize, figure: usize) -> Swing {
        let value = |end: usize| number(ends.column(figure)[2 * place + end]);
        Swing { ends: [self.end(place, 0), self.end(place, 1)], values: [value(0), value(1)] }
    }
}

impl Pointwise for Points<'_> {
    type State = Box<dyn Subject>;
    type Found = Sensitivity;
    type Error = UncertaintyError;

    fn points(&self) -> usize {
        self.samples() + 2 * self.begun.unknowns.numbers.len()
    }

    fn figures(&self) -> usize {
        self.begun.selected.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        bare(self.study)
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        let Begun { unknowns, selected, .. } = &self.begun;
        let Some(of_ends) = number.checked_sub(self.samples()) else {
            let point = point(number, unknowns.dimensions(), &self.causes, &self.sequences);
            return figures_at(&mut **study, unknowns, &point, selected, watch);
        };
        // All other numbers keep their values.
        let mut moved = bare(self.study);
        let (place, end) = (of_ends / 2, of_ends % 2);
        set_number(&mut *moved, &unknowns.numbers[place].path, self.end(place, end));
        allowed(selected, &*moved, watch)
    }

    fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    fn columns(&self) -> usize {
        self.begun.unknowns.numbers.len()
    }

    fn inputs(&self, points: &[usize], inputs: &mut [Vec<f64>]) {
        let of_samples = points.partition_point(|point| *point < self.samples());
        self.draw(&points[..of_samples], inputs);
        for (lane, point) in points.iter().enumerate().skip(of_samples) {
            for (unknown, input) in self.begun.unknowns.numbers.iter().zip(&mut *inputs) {
                input[lane] = unknown.value;
            }
            let (place, end) = ((point - self.samples()) / 2, (point - self.samples()) % 2);
            inputs[place][lane] = self.end(place, end);
        }
    }

    fn conclude(self, mut found: Values) -> Result<Sensitivity, UncertaintyError> {
        let ends = found.split_off(self.samples());
        let not_allowed = some_allowed(&found).map_err(UncertaintyError::Nowhere)?;
        let Begun { unknowns, selected, present } = &self.begun;
        let of_figure = |(place, (selected, present)): (usize, (&SelectedFigure, &Option<f64>))| {
            let (standard_deviation, effects) = effects(found.column(place), self.causes.len());
            let swings = (0..unknowns.numbers.len()).map(|number| self.swing(&ends, number, place)).collect();
            OfFigure { selected: selected.clone(), present: *present, standard_deviation, effects, swings }
        };
        let figures = selected.iter().zip(present).enumerate().map(of_figure).collect();
        let Self { causes, begun: Begun { unknowns, .. }, .. } = self;
        Ok(Sensitivity { figures, evaluations: found.len(), not_allowed, causes, unknowns })
    }
}

impl Growing for Points<'_> {
    fn earlier(&self, number: usize, samples: usize) -> Option<usize> {
        let rows = self.causes.len() + 2;
        let Some(of_ends) = number.checked_sub(self.samples()) else {
            let sample = earlier_sample(number / rows, self.sampling.samples, samples, PARTS)?;
            return Some(sample * rows + number % rows);
        };
        Some(evaluations(samples, self.causes.len()) + of_ends)
    }
}

/// The point with a number: of every sample that at A, that at B, and for each cause that at A with this one of B (Saltelli and
/// others 2010).
fn point(number: usize, dimensions: usize, causes: &[Cause], sequences: &Sequences) -> Vec<f64> {
    let rows = causes.len() + 2;
    let (sample, row) = (number / rows, number % rows);
    let is_of_b = |dimension: usize| match row {
        0 => false,
        1 => true,
        cause => causes[cause - 2].dimensions.contains(&dimension),
    };
    let of = |dimension| sequences.coordinate(sample, dimension + if is_of_b(dimension) { dimensions } else { 0 });
    (0..dimensions).map(of).collect()
}

/// Standard deviation of a figure, and the effect of each cause on it: first-order by Saltelli and others (Computer Physics
/// Communications 181, 2010), total by Jansen (1999).
fn effects(found: &[f64], causes: usize) -> (f64, Vec<Effect>) {
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

    use super::*;
    use crate::uncertainty::SAMPLES as MANY;

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
