//! Distributions of figures: every uncertain number is sampled many times.

mod distributed;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::batch::Batch;
use super::points::{At, Pointwise, evaluate};
use super::rounds::{Growing, Kept, earlier_sample, evaluate_round};
use super::sampled::{NotAllowed, figures_at, some_allowed};
use super::selected::{NoSuchFigure, SelectedFigure, answer};
use super::sequence::Sequences;
use super::unknowns::{Unknowns, bare};
use super::values::{MOST_VALUES, Values};
use crossover_quantity::unit::Unit;
use crossover_study::{Subject, Watch};

use distributed::distributed;
pub use distributed::{Distributed, SHARES, Sampled};

/// Samples by default.
pub const SAMPLES: usize = 16_384;
/// Fewest samples.
pub const LEAST_SAMPLES: usize = 64;
/// Most samples.
pub const MOST_SAMPLES: usize = 1_048_576;
/// Independent parts of the samples: how far they differ tells the error of sampling.
pub(super) const PARTS: usize = 16;

/// How samples are drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Least number of samples, rounded up to equal parts.
    pub samples: usize,
    /// The same seed gives the same samples.
    pub seed: u64,
    /// Uncertainty of numbers without a distribution: uniform within ± this share of their values; `None`: they are exact.
    pub spread_all: Option<f64>,
    /// Keys of the figures; empty: all of the whole study.
    pub figures: Vec<String>,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { samples: SAMPLES, seed: 1, spread_all: None, figures: Vec::new() }
    }
}

/// Why nothing was sampled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UncertaintyError {
    /// No number has a spread.
    #[error(
        "no number of this study is uncertain: add distributions, as uncertain: {{\"PATH\": (distribution: Normal(standard_deviation: 2))}}, or \
         set an uncertainty for all numbers, in percent"
    )]
    Nothing,
    /// The number of samples is not allowed.
    #[error("{0} samples requested; allowed: {LEAST_SAMPLES} … {most}", most = Unit::Count.format(MOST_SAMPLES as f64))]
    Samples(usize),
    /// The uncertainty of all numbers is out of range.
    #[error("the uncertainty of all numbers must be above 0 % and below 100 %, found {0}")]
    SpreadAll(String),
    /// All samples and figures together are too many.
    #[error("{0} evaluations of {1} figures are too many; use fewer samples or fewer figures")]
    TooMany(usize, usize),
    /// No figure has a key.
    #[error(transparent)]
    NoSuchFigure(#[from] NoSuchFigure),
    /// No sample is valid.
    #[error("{0}")]
    Nowhere(NotAllowed),
}

/// The result of sampling.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertain {
    /// The sampled numbers.
    pub unknowns: Unknowns,
    /// How many samples.
    pub samples: usize,
    /// The selected figures.
    pub figures: Vec<Distributed>,
    /// All decisions of the study; the mean of each is the likelihood of yes.
    pub decisions: Vec<Distributed>,
    /// Invalid samples.
    pub not_allowed: Option<NotAllowed>,
}

impl Sampling {
    /// The uncertain numbers of a study, and the selected figures with their present values.
    ///
    /// # Errors
    /// [`UncertaintyError`] if no number is uncertain, or the sampling is invalid.
    pub(super) fn begin(&self, study: &dyn Subject, watch: Watch<'_>) -> Result<Option<Begun>, UncertaintyError> {
        self.check()?;
        self.begin_round(study, watch)
    }

    /// The same in a round, which may have fewer samples than are allowed in all.
    ///
    /// # Errors
    /// [`UncertaintyError`] if no number is uncertain, or the sampling is invalid.
    pub(super) fn begin_round(&self, study: &dyn Subject, watch: Watch<'_>) -> Result<Option<Begun>, UncertaintyError> {
        let unknowns = self.of_spread(study);
        if unknowns.is_empty() {
            return Err(UncertaintyError::Nothing);
        }
        self.begin_with(study, unknowns, watch)
    }

    /// A round of this sampling, if that is valid.
    ///
    /// # Errors
    /// [`UncertaintyError`] if the sampling is invalid.
    pub(super) fn round(&self, samples: usize) -> Result<Self, UncertaintyError> {
        self.check()?;
        Ok(Self { samples, ..self.clone() })
    }

    /// The uncertain numbers of a study, which may be none.
    ///
    /// # Errors
    /// [`UncertaintyError`] if the sampling is invalid.
    pub(super) fn unknowns(&self, study: &dyn Subject) -> Result<Unknowns, UncertaintyError> {
        self.check()?;
        Ok(self.of_spread(study))
    }

    fn check(&self) -> Result<(), UncertaintyError> {
        if !(LEAST_SAMPLES..=MOST_SAMPLES).contains(&self.samples) {
            return Err(UncertaintyError::Samples(self.samples));
        }
        if let Some(share) = self.spread_all.filter(|share| !(*share > 0.0 && *share < 1.0)) {
            return Err(UncertaintyError::SpreadAll(Unit::Share.format(share)));
        }
        Ok(())
    }

    fn of_spread(&self, study: &dyn Subject) -> Unknowns {
        self.spread_all.map_or_else(|| Unknowns::of(study), |share| Unknowns::with_spread_all(study, share))
    }

    fn begin_with(
        &self,
        study: &dyn Subject,
        unknowns: Unknowns,
        watch: Watch<'_>,
    ) -> Result<Option<Begun>, UncertaintyError> {
        let Some(now) = answer(study, watch) else { return Ok(None) };
        let selected = SelectedFigure::of(&now, &self.figures)?;
        let present = selected.iter().map(|selected| selected.value(&now)).collect();
        Ok(Some(Begun { unknowns, selected, present }))
    }
}

impl Sampling {
    /// The points of the unit cube of all samples, in this many equal parts.
    pub(super) fn sequences(&self, dimensions: usize, parts: usize) -> Sequences {
        Sequences::new(dimensions, parts, self.samples.div_ceil(parts), self.seed)
    }
}

/// What is sampled.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) unknowns: Unknowns,
    pub(super) selected: Vec<SelectedFigure>,
    pub(super) present: Vec<Option<f64>>,
}

impl Begun {
    /// Whether this many evaluations fit the limit on values.
    pub(super) fn limited(&self, evaluations: usize) -> Result<(), UncertaintyError> {
        let figures = self.selected.len();
        let is_too_much = evaluations.saturating_mul(figures) > MOST_VALUES;
        if is_too_much { Err(UncertaintyError::TooMany(evaluations, figures)) } else { Ok(()) }
    }

    /// The figures as formulas of the uncertain numbers.
    pub(super) fn batch(&self, study: &dyn Subject) -> Option<Batch> {
        Batch::new(study, self.unknowns.numbers.iter().map(|unknown| unknown.path.as_str()), &self.selected)
    }
}

/// The samples of the figures of a study, before they are drawn.
#[derive(Debug)]
pub struct Samples<'a> {
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    begun: Begun,
    /// How many figures are selected; decisions follow.
    selected_count: usize,
    batch: Option<Batch>,
    /// For each dimension of the uncertain numbers, the dimension of the points that it uses.
    dimensions: Vec<usize>,
    sequences: Sequences,
}

/// Samples figures of a valid study; `None` if it was cancelled. The same on any number of threads. Counts samples.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn uncertainty(
    study: &dyn Subject,
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Result<Option<Uncertain>, UncertaintyError> {
    match begin(study, sampling, watch)? {
        Some(samples) => evaluate(samples, watch),
        None => Ok(None),
    }
}

/// The samples of [`uncertainty`], before they are evaluated; `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn begin<'a>(
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    watch: Watch<'_>,
) -> Result<Option<Samples<'a>>, UncertaintyError> {
    sampling.check()?;
    begin_round(study, sampling, watch)
}

/// The same of a round, which may have fewer samples than are allowed in all.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub(super) fn begin_round<'a>(
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    watch: Watch<'_>,
) -> Result<Option<Samples<'a>>, UncertaintyError> {
    match sampling.begin_round(study, watch)? {
        Some(begun) => samples(study, sampling, begun, watch),
        None => Ok(None),
    }
}

/// One round of [`uncertainty`], with so many samples; it keeps the values of the round before. `None` if it was cancelled.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub fn round(
    study: &dyn Subject,
    sampling: &Sampling,
    samples_of_round: usize,
    kept: &mut Kept,
    watch: Watch<'_>,
) -> Result<Option<Uncertain>, UncertaintyError> {
    let sampling = sampling.round(samples_of_round)?;
    match begin_round(study, &sampling, watch)? {
        Some(samples) => evaluate_round(samples, samples_of_round, kept, watch),
        None => Ok(None),
    }
}

/// The same as [`begin`] with given uncertain numbers, at least one.
///
/// # Errors
/// [`UncertaintyError`] if there is nothing to sample.
pub(super) fn begin_with<'a>(
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    unknowns: Unknowns,
    watch: Watch<'_>,
) -> Result<Option<Samples<'a>>, UncertaintyError> {
    match sampling.begin_with(study, unknowns, watch)? {
        Some(begun) => samples(study, sampling, begun, watch),
        None => Ok(None),
    }
}

/// The distributions of the selected figures, and of all decisions.
fn samples<'a>(
    study: &'a dyn Subject,
    sampling: &'a Sampling,
    mut begun: Begun,
    watch: Watch<'_>,
) -> Result<Option<Samples<'a>>, UncertaintyError> {
    let selected_count = begun.selected.len();
    let Some(now) = answer(study, watch) else { return Ok(None) };
    for decision in SelectedFigure::all(&now).filter(|one| one.figure.unit == Unit::Decision) {
        begun.present.push(decision.value(&now));
        begun.selected.push(decision);
    }
    begun.limited(sampling.samples)?;
    let (batch, dimensions) = (begun.batch(study), begun.unknowns.dimensions());
    let (dimensions, sequences) = ((0..dimensions).collect(), sampling.sequences(dimensions, PARTS));
    Ok(Some(Samples { study, sampling, begun, selected_count, batch, dimensions, sequences }))
}

/// Samples in equal, independent parts, one after the other.
impl Pointwise for Samples<'_> {
    type State = Box<dyn Subject>;
    type Found = Uncertain;
    type Error = UncertaintyError;

    fn points(&self) -> usize {
        self.sampling.samples.next_multiple_of(PARTS)
    }

    fn figures(&self) -> usize {
        self.begun.selected.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        bare(self.study)
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        let Begun { unknowns, selected, .. } = &self.begun;
        figures_at(&mut **study, unknowns, &self.point(number), selected, watch)
    }

    fn batch(&self) -> Option<&Batch> {
        self.batch.as_ref()
    }

    fn columns(&self) -> usize {
        self.begun.unknowns.dimensions()
    }

    fn inputs(&self, points: &[usize], inputs: &mut [Vec<f64>]) {
        for (dimension, input) in self.dimensions.iter().zip(&mut *inputs) {
            self.sequences.write(points, *dimension, &mut input[..points.len()]);
        }
        self.begun.unknowns.map(inputs);
    }

    fn conclude(self, found: Values) -> Result<Uncertain, UncertaintyError> {
        let Begun { unknowns, selected, present } = self.begun;
        let not_allowed = some_allowed(&found).map_err(UncertaintyError::Nowhere)?;
        let allowed = found.len() - found.refused().len();
        let all: Vec<_> = selected.into_iter().zip(present).enumerate().collect();
        let mut figures: Vec<Distributed> = all
            .into_par_iter()
            .map(|(place, (selected, present))| distributed(selected, present, found.column(place), allowed))
            .collect();
        let decisions = figures.split_off(self.selected_count);
        Ok(Uncertain { unknowns, samples: found.len(), figures, decisions, not_allowed })
    }
}

impl Growing for Samples<'_> {
    fn earlier(&self, number: usize, samples: usize) -> Option<usize> {
        earlier_sample(number, self.sampling.samples, samples, PARTS)
    }
}

impl Samples<'_> {
    /// The point of the unit cube of a sample.
    fn point(&self, number: usize) -> Vec<f64> {
        self.dimensions.iter().map(|dimension| self.sequences.coordinate(number, *dimension)).collect()
    }

    /// The uncertain numbers.
    pub(super) fn unknowns(&self) -> &Unknowns {
        &self.begun.unknowns
    }

    /// The figures, the selected ones first.
    pub(super) fn selected(&self) -> &[SelectedFigure] {
        &self.begun.selected
    }

    /// The same with other dimensions of the points, one for each uncertain number and each group.
    pub(super) fn drawn_from(self, dimensions: Vec<usize>) -> Self {
        let sequences = self.sampling.sequences(dimensions.iter().max().map_or(0, |last| last + 1), PARTS);
        Self { dimensions, sequences, ..self }
    }
}
