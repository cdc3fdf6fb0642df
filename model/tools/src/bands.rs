//! 90 % intervals of figures along a number, where other numbers are uncertain.

use super::batch::Batch;
use super::points::{At, Pointwise};
use super::rounds::{Growing, Kept, evaluate_round};
use super::sampled::{NotAllowed, figures_at, some_allowed};
use super::sequence::Sequences;
use super::sweep::{Sweep, SweepError};
use super::uncertainty::{Begun, SHARES, Sampling, UncertaintyError};
use super::unknowns::bare;
use super::values::Values;
use crossover_quantity::estimate::quantile;
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
    /// Error of sampling: half of the 95 % interval of an end of a band, as a share of the width of the band there; the mean over all
    /// ends. `None` where no band has a width.
    pub error: Option<f64>,
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
    round(study, sweep, sampling, sampling.samples, &mut Kept::default(), watch)
}

/// One round of [`bands`], with so many samples at each value of the number; it keeps the values of the round before. `None` if it was
/// cancelled. Counts new evaluations.
///
/// # Errors
/// [`BandsError`] if the number cannot have these values, or no other number is uncertain.
pub fn round(
    study: &dyn Subject,
    sweep: &Sweep,
    sampling: &Sampling,
    samples_of_round: usize,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<Bands>, BandsError> {
    let values = sweep.values(study).map_err(SweepError::from)?;
    let sampling = Sampling { figures: sweep.figures.clone(), ..sampling.round(samples_of_round)? };
    let Some(mut begun) = sampling.begin_round(study, watch)? else { return Ok(None) };
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
    let samples = Samples { study, path, values, sampling, begun, batch, sequences };
    Ok(evaluate_round(samples, samples_of_round, kept, watch)?)
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
        let mut errors = Errors::default();
        let mut figure = |(place, key): (usize, &String)| Band {
            key: key.clone(),
            ends: found
                .column(place)
                .chunks(samples)
                .map(|of_value| {
                    let found = interval(of_value.iter().copied())?;
                    errors.add(&found);
                    Some(found.ends)
                })
                .collect(),
        };
        let figures = self.begun.selected.iter().map(|selected| &selected.key).enumerate().map(&mut figure).collect();
        Ok(Bands { samples, unknown: self.begun.unknowns.numbers.len(), figures, error: errors.mean(), not_allowed })
    }
}

impl Growing for Samples<'_> {
    fn earlier(&self, number: usize, samples: usize) -> Option<usize> {
        let (place, sample) = (number / self.sampling.samples, number % self.sampling.samples);
        (sample < samples).then_some(place * samples + sample)
    }
}

/// The 90 % interval of some values.
pub(super) struct Interval {
    /// P5 and P95.
    pub(super) ends: [f64; 2],
    /// Half of the 95 % interval of each end.
    half_95: [f64; 2],
}

/// The 90 % interval of values, without those that are not finite; `None` if there is none. The interval of an end is that between the
/// values whose ranks are 1.96 standard deviations of a binomial distribution below and above its own (Conover, Practical Nonparametric
/// Statistics, 3rd edition, 1999, section 3.2). Evenly distributed points are more exact than that.
pub(super) fn interval(values: impl Iterator<Item = f64>) -> Option<Interval> {
    let mut known: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    known.sort_unstable_by(f64::total_cmp);
    let [low, _, high] = SHARES;
    let ends = [quantile(&known, low)?, quantile(&known, high)?];
    let half_95 = [low, high].map(|share| {
        let reach = Z_95 * (share * (1.0 - share) / known.len() as f64).sqrt();
        let at = |share: f64| quantile(&known, share).unwrap_or(f64::NAN);
        (at(share + reach) - at(share - reach)) / 2.0
    });
    Some(Interval { ends, half_95 })
}

/// An error of sampling, as a share, in whole per cent and at least one: more digits would be those of the error of an error.
#[must_use]
pub fn in_whole_percent(error: f64) -> f64 {
    (error * 100.0).round().max(1.0) / 100.0
}

/// Standard deviations of a normal distribution on each side of its 95 % interval.
const Z_95: f64 = 1.96;

/// The errors of the ends of intervals, each as a share of the width of its interval.
#[derive(Default)]
pub(super) struct Errors {
    sum: f64,
    count: usize,
}

impl Errors {
    /// Counts those of an interval that has a width.
    pub(super) fn add(&mut self, of: &Interval) {
        let width = of.ends[1] - of.ends[0];
        if width > 0.0 {
            self.sum += of.half_95.iter().sum::<f64>() / width;
            self.count += of.half_95.len();
        }
    }

    /// Their mean; `None` without an interval that has a width.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}
