//! 90 % intervals of figures along a number, where other numbers are uncertain.

use super::batch::Batch;
use super::points::{At, Pointwise, evaluate};
use super::sampled::{NotAllowed, figures_at, some_allowed};
use super::sequence::Sequences;
use super::sweep::{Sweep, SweepError};
use super::uncertainty::{Begun, SHARES, Sampling, UncertaintyError, quantile};
use super::unknowns::bare;
use super::values::Values;
use crossover_study::{Subject, Watch, set_number, usual_path};

/// Samples at each value of the number by default.
pub const SAMPLES: usize = 1_024;

/// Why there are no bands.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BandsError {
    /// The number cannot have these values.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// Only the swept number is uncertain.
    #[error("{0} is the only uncertain number, so curves along it have no bands")]
    NothingElse(String),
    /// No number is uncertain, or sampling is impossible.
    #[error(transparent)]
    Uncertainty(#[from] UncertaintyError),
}

/// 90 % intervals of figures along a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Bands {
    /// Samples at each value.
    pub samples: usize,
    /// How many numbers are uncertain, without the swept one.
    pub unknown: usize,
    /// Of each figure, in the order of the sweep.
    pub figures: Vec<Band>,
    /// Invalid samples.
    pub not_allowed: Option<NotAllowed>,
}

/// The 90 % intervals of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// P5 and P95 at each value of the number; `None` where the figure has no value.
    pub ends: Vec<Option<[f64; 2]>>,
}

/// Samples the curves of a valid study; `None` if it was cancelled. The same samples at each value,
/// on any number of threads. Counts evaluations.
///
/// # Errors
/// [`BandsError`] if the number cannot have these values, or no other number is uncertain.
pub fn bands(
    study: &dyn Subject,
    sweep: &Sweep,
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Result<Option<Bands>, BandsError> {
    let values = sweep.values(study).map_err(SweepError::from)?;
    let sampling = Sampling { figures: sweep.figures.clone(), ..sampling.clone() };
    let Some(mut begun) = sampling.begin(study, watch)? else { return Ok(None) };
    let path = usual_path(study, &sweep.x.path).unwrap_or_else(|| sweep.x.path.clone());
    begun.unknowns.numbers.retain(|unknown| unknown.path != path);
    if begun.unknowns.is_empty() {
        return Err(BandsError::NothingElse(path));
    }
    begun.limited(values.len().saturating_mul(sampling.samples))?;
    let (quantity, _) = sweep.x.number(study).map_err(SweepError::from)?;
    let others = begun.unknowns.numbers.iter().map(|unknown| unknown.path.as_str());
    let batch = Batch::within(study, &[(&path, quantity, &values)], others, &begun.selected);
    let sequences = sampling.sequences(begun.unknowns.dimensions(), 1);
    Ok(evaluate(Samples { study, path, values, sampling, begun, batch, sequences }, watch)?)
}

/// All samples at the first value of the number, then at the next.
struct Samples<'a> {
    study: &'a dyn Subject,
    /// Of the number along which it goes.
    path: String,
    values: Vec<f64>,
    sampling: Sampling,
    begun: Begun,
    batch: Option<Batch>,
    sequences: Sequences,
}

impl Pointwise for Samples<'_> {
    type State = Box<dyn Subject>;
    type Found = Bands;
    type Error = UncertaintyError;

    fn points(&self) -> usize {
        self.values.len() * self.sampling.samples
    }

    fn figures(&self) -> usize {
        self.begun.selected.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        bare(self.study)
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        let Begun { unknowns, selected, .. } = &self.begun;
        let (place, sample) = (number / self.sampling.samples, number % self.sampling.samples);
        set_number(&mut **study, &self.path, self.values[place]);
        let point: Vec<f64> =
            (0..unknowns.dimensions()).map(|dimension| self.sequences.coordinate(sample, dimension)).collect();
        figures_at(&mut **study, unknowns, &point, selected, watch)
    }

    fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    fn columns(&self) -> usize {
        1 + self.begun.unknowns.dimensions()
    }

    fn inputs(&self, points: &[usize], columns: &mut [Vec<f64>]) {
        let samples = self.sampling.samples;
        let samples_of_points: Vec<usize> = points.iter().map(|point| point % samples).collect();
        let Some((along, unknowns)) = columns.split_first_mut() else { return };
        for (value, point) in along.iter_mut().zip(points) {
            *value = self.values[point / samples];
        }
        for (dimension, column) in unknowns.iter_mut().enumerate() {
            self.sequences.write(&samples_of_points, dimension, &mut column[..points.len()]);
        }
        self.begun.unknowns.map(unknowns);
    }

    fn conclude(self, found: Values) -> Result<Bands, UncertaintyError> {
        let not_allowed = some_allowed(&found).map_err(UncertaintyError::Nowhere)?;
        let samples = self.sampling.samples;
        let [low, _, high] = SHARES;
        let ends = |of_value: &[f64]| {
            let mut known: Vec<f64> = of_value.iter().copied().filter(|value| value.is_finite()).collect();
            known.sort_unstable_by(f64::total_cmp);
            Some([quantile(&known, low)?, quantile(&known, high)?])
        };
        let figure = |(place, key): (usize, &String)| Band {
            key: key.clone(),
            ends: found.column(place).chunks(samples).map(ends).collect(),
        };
        let figures = self.begun.selected.iter().map(|selected| &selected.key).enumerate().map(figure).collect();
        Ok(Bands { samples, unknown: self.begun.unknowns.numbers.len(), figures, not_allowed })
    }
}
