//! Sensitivity: the share of the variance of figures that each uncertain number, or group of them, explains.
//!
//! Samples of a study with many numbers are many evaluations. So the first rounds of a slow study move its numbers one at a time, which
//! later rounds need anyway.

mod indices;

use super::batch::{Batch, is_of_formulas};
use super::one_at_a_time::change;
use super::points::{At, Pointwise, evaluate};
use super::rounds::{Growing, Kept, earlier_sample, evaluate_round, growing, rounds};
use super::sampled::{NotAllowed, figures_at, some_allowed};
use super::selected::{SelectedFigure, allowed, number};
use super::sequence::Sequences;
use super::uncertainty::{Begun, Sampled, Sampling, UncertaintyError};
use super::unknowns::{Cause, Unknowns, bare};
use super::values::Values;
use crossover_study::{Subject, Watch, set_number};
use indices::effects;

/// Samples by default; each takes an evaluation for every cause, and two.
pub const SAMPLES: usize = 1_024;
/// Samples of the first round with samples: two of each part.
const FIRST_SAMPLES: usize = 2 * PARTS;
/// Numbers of the first round of a slow study.
const FIRST_NUMBERS: usize = 8;
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
    /// Samples; 0: numbers were only moved one at a time.
    pub samples: usize,
    /// Evaluations of the study: of the samples, or without samples of the moved numbers.
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
    /// Its standard deviation over all samples; not a number without samples.
    pub standard_deviation: f64,
    /// Of each cause, in their order; empty without samples.
    pub effects: Vec<Effect>,
    /// Of each number that was moved, in their order; with samples, of all numbers.
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

impl Swing {
    /// How far the figure changes: the largest of both values and the present one, less the smallest.
    #[must_use]
    pub fn change(&self, present: Option<f64>) -> f64 {
        let known: Vec<Option<f64>> =
            self.values.into_iter().chain([present]).filter(|value| value.is_some_and(f64::is_finite)).collect();
        change(&known)
    }
}

impl OfFigure {
    /// Places of the causes, that with the largest total effect first.
    #[must_use]
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.effects.len()).collect();
        order.sort_by(|a, b| self.effects[*b].total.value.total_cmp(&self.effects[*a].total.value));
        order
    }

    /// Places of the moved numbers that change it, that with the largest change first.
    #[must_use]
    pub fn furthest(&self) -> Vec<usize> {
        let changes: Vec<f64> = self.swings.iter().map(|swing| swing.change(self.present)).collect();
        let mut order: Vec<usize> = (0..changes.len()).filter(|place| changes[*place] > 0.0).collect();
        order.sort_by(|a, b| changes[*b].total_cmp(&changes[*a]));
        order
    }
}

impl Sensitivity {
    /// Numbers that were moved one at a time: the first ones.
    #[must_use]
    pub fn moved(&self) -> usize {
        self.figures.first().map_or(0, |figure| figure.swings.len())
    }
}

/// How far the result of a round goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// So many numbers, the first ones of the study, are moved one at a time, from P5 to P95. Figures have no indices.
    OneAtATime(usize),
    /// So many samples are drawn, and all numbers were moved.
    Samples(usize),
}

impl Step {
    /// Evaluations of a round with this step, with those of the rounds before it, of a study with so many uncertain numbers and causes.
    #[must_use]
    pub fn evaluations(self, numbers: usize, causes: usize) -> usize {
        match self {
            Self::OneAtATime(moved) => 2 * moved.min(numbers),
            Self::Samples(samples) => evaluations(samples, causes) + 2 * numbers,
        }
    }
}

/// The step of each round of a study with so many uncertain numbers, up to so many samples.
#[must_use]
pub fn steps(study: &dyn Subject, numbers: usize, samples: usize) -> Vec<Step> {
    let sampled = rounds(study, FIRST_SAMPLES, samples).into_iter().map(Step::Samples);
    if is_of_formulas(study) {
        return sampled.collect();
    }
    growing(FIRST_NUMBERS, 2, numbers).into_iter().map(Step::OneAtATime).chain(sampled).collect()
}

/// Evaluations for a number of samples and causes: two sets of samples, and one more for each cause.
#[must_use]
pub fn evaluations(samples: usize, causes: usize) -> usize {
    samples.div_ceil(PARTS) * PARTS * (causes + 2)
}

/// The points at which a study is evaluated for it: the samples, and after them both ends of each number that is moved.
#[derive(Debug)]
pub struct Points<'a> {
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    begun: Begun,
    /// How many numbers are moved one at a time.
    moved: usize,
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

/// One round of [`sensitivity`], up to a step; it keeps the values of the round before. `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn round(
    study: &dyn Subject,
    sampling: &Sampling,
    step: Step,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<Sensitivity>, UncertaintyError> {
    let (samples, most_moved) = match step {
        Step::OneAtATime(moved) => (0, moved),
        Step::Samples(samples) => (samples, usize::MAX),
    };
    let sampling = sampling.round(samples)?;
    let Some(begun) = sampling.begin_round(study, watch)? else { return Ok(None) };
    let mut points = Points::new(study, &sampling, begun)?;
    points.moved = points.moved.min(most_moved);
    evaluate_round(points, samples, kept, watch)
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
            moved: begun.unknowns.numbers.len(),
            batch: begun.batch(study),
            sequences: sampling.sequences(2 * begun.unknowns.dimensions(), PARTS),
            causes,
            begun,
        })
    }
}

impl Points<'_> {
    /// The uncertain numbers.
    #[must_use]
    pub fn unknowns(&self) -> &Unknowns {
        &self.begun.unknowns
    }

    /// Evaluations of samples; those of both ends of each moved number follow.
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
        self.samples() + 2 * self.moved
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
        let Begun { selected, present, .. } = &self.begun;
        let of_figure = |(place, (selected, present)): (usize, (&SelectedFigure, &Option<f64>))| {
            let (standard_deviation, effects) =
                if found.is_empty() { (f64::NAN, Vec::new()) } else { effects(found.column(place), self.causes.len()) };
            let swings = (0..self.moved).map(|number| self.swing(&ends, number, place)).collect();
            OfFigure { selected: selected.clone(), present: *present, standard_deviation, effects, swings }
        };
        let figures = selected.iter().zip(present).enumerate().map(of_figure).collect();
        let Self { causes, begun: Begun { unknowns, .. }, .. } = self;
        let samples = found.len() / (causes.len() + 2);
        let evaluations = if found.is_empty() { ends.len() } else { found.len() };
        Ok(Sensitivity { unknowns, causes, figures, samples, evaluations, not_allowed })
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
