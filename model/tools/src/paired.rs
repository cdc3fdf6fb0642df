//! How likely each of several scenarios is better: all of them are sampled together, and compared sample by sample.
//!
//! A number that is the same in two scenarios (path, value, source and distribution) has the same samples in both: where a network
//! is slower than assumed, it is slower with either GPU. So a difference may be certain where neither figure is. Numbers that
//! differ, such as those of two GPUs of the catalogue, vary independently.

use super::compare::ComparedFigure;
use super::points::{Shard, evaluate_shard};
use super::rounds::{Kept, values_of_round};
use super::sampled::{NotAllowed, some_allowed};
use super::selected::EVERY;
use super::uncertainty::{PARTS, SHARES, Sampled, Samples, Sampling, UncertaintyError, begin, begin_round};
use super::unknowns::Unknowns;
use super::values::Values;
use crossover_quantity::estimate::quantile;
use crossover_study::{Better, Subject, Watch};

/// Samples of each scenario by default.
pub const SAMPLES: usize = 4_096;
/// The same where figures are no formulas: simulations take long.
pub const SAMPLES_OF_SIMULATIONS: usize = 64;
/// Samples of the first round: two of each part.
pub const FIRST_SAMPLES: usize = 2 * PARTS;
/// Relative difference below which values are equal: formulas of two scenarios round differently.
const SAME: f64 = 1e-12;

/// Scenarios sampled together.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    /// Samples of each.
    pub samples: usize,
    /// The number of uncertain numbers of each scenario.
    pub unknown: Vec<usize>,
    /// The invalid samples of each scenario.
    pub not_allowed: Vec<Option<NotAllowed>>,
    /// In the order of the figures that were compared.
    pub figures: Vec<PairedFigure>,
}

/// The distribution of a figure in each scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedFigure {
    /// P5 and P95 of all samples; `None` where the figure has no value.
    pub ranges: Vec<Option<[f64; 2]>>,
    /// Of each scenario, the share of all samples in which the figure has no value.
    pub missing: Vec<f64>,
    /// Each scenario against the baseline, the baseline against itself; `None` where either has no value.
    pub against: Vec<Option<Against>>,
}

/// A scenario against the baseline, over all samples in which both have a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Against {
    /// P5 and P95 of the differences, in the unit of the figure.
    pub difference: [f64; 2],
    /// In which share of them it is better, with the standard error of sampling; nothing where neither direction is.
    pub better: Sampled,
    /// In which share of them it is worse.
    pub worse: Sampled,
}

/// Why scenarios cannot be sampled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PairedError {
    /// No number of any of them is uncertain.
    #[error("{}", UncertaintyError::Nothing)]
    Nothing,
    /// One of them cannot be sampled.
    #[error("scenario {place}: {problem}")]
    Of {
        /// Which scenario, counted from 1.
        place: usize,
        /// Why.
        problem: UncertaintyError,
    },
}

/// Draws valid studies of one kind together, the first of them the baseline; `None` if it was cancelled. `figures` are those of
/// [`compare`](super::compare()). The same on any number of threads. Counts samples.
///
/// # Errors
/// [`PairedError`] if no number of any of them is uncertain, or they cannot be sampled.
pub fn paired(
    studies: &[&dyn Subject],
    figures: &[ComparedFigure],
    sampling: &Sampling,
    watch: Watch<'_>,
) -> Result<Option<Paired>, PairedError> {
    let every = every(sampling);
    let Some(drawn) = begin_all(studies, &every, watch)? else { return Ok(None) };
    let evaluate = |samples: &Samples<'_>| evaluate_shard(samples, Shard::WHOLE, watch);
    let values: Option<Vec<Option<Values>>> =
        drawn.iter().map(|of| of.as_ref().map_or(Some(None), |samples| evaluate(samples).map(Some))).collect();
    values.map(|values| conclude(figures, &drawn, &values)).transpose()
}

/// One round of [`paired`], with so many samples of each study; `kept` has the values of the round before, study by study. `None` if it
/// was cancelled. Equal to [`paired`] with as many samples. Counts new samples.
///
/// # Errors
/// [`PairedError`] if no number of any of them is uncertain, or they cannot be sampled.
pub fn round(
    studies: &[&dyn Subject],
    figures: &[ComparedFigure],
    sampling: &Sampling,
    samples_of_round: usize,
    kept: &mut Vec<Kept>,
    watch: Watch<'_>,
) -> Result<Option<Paired>, PairedError> {
    let every = every(sampling).round(samples_of_round).map_err(|problem| PairedError::Of { place: 1, problem })?;
    let Some(drawn) = drawn(studies, |study| begin_round(study, &every, watch))? else { return Ok(None) };
    kept.resize_with(studies.len(), Kept::default);
    let mut values = Vec::new();
    for (of, kept) in drawn.iter().zip(kept) {
        let Some(samples) = of else {
            values.push(None);
            continue;
        };
        let Some(found) = values_of_round(samples, samples_of_round, kept, watch) else { return Ok(None) };
        values.push(Some(found));
    }
    conclude(figures, &drawn, &values).map(Some)
}

/// The same sampling of all figures: which of them a scenario has is its own.
#[must_use]
pub fn every(sampling: &Sampling) -> Sampling {
    Sampling { figures: vec![EVERY.to_owned()], ..sampling.clone() }
}

/// What is evaluated of each study; nothing of one in which everything is known: its figures are the same in every sample. `None`
/// if it was cancelled.
///
/// # Errors
/// [`PairedError`] if no number of any of them is uncertain, or they cannot be sampled.
pub fn begin_all<'a>(
    studies: &[&'a dyn Subject],
    every: &'a Sampling,
    watch: Watch<'_>,
) -> Result<Option<Vec<Option<Samples<'a>>>>, PairedError> {
    drawn(studies, |study| begin(study, every, watch))
}

/// What is evaluated of each study, begun by `begin`; numbers that are the same in several studies have the same samples.
fn drawn<'a>(
    studies: &[&'a dyn Subject],
    begin: impl Fn(&'a dyn Subject) -> Result<Option<Samples<'a>>, UncertaintyError>,
) -> Result<Option<Vec<Option<Samples<'a>>>>, PairedError> {
    let mut names: Vec<String> = Vec::new();
    let mut drawn = Vec::new();
    for (place, study) in studies.iter().copied().enumerate() {
        match begin(study) {
            Ok(Some(samples)) => {
                let same = |place| same(study, samples.unknowns(), place);
                let dimensions = dimensions(samples.unknowns(), same, &mut names);
                drawn.push(Some(samples.drawn_from(dimensions)));
            }
            Ok(None) => return Ok(None),
            Err(UncertaintyError::Nothing) => drawn.push(None),
            Err(problem) => return Err(PairedError::Of { place: place + 1, problem }),
        }
    }
    if drawn.iter().all(Option::is_none) { Err(PairedError::Nothing) } else { Ok(Some(drawn)) }
}

/// The result of the values of all tools of [`begin_all`].
///
/// # Errors
/// [`PairedError`] if no sample of a study is valid.
pub fn conclude(
    figures: &[ComparedFigure],
    drawn: &[Option<Samples<'_>>],
    values: &[Option<Values>],
) -> Result<Paired, PairedError> {
    let samples = values.iter().flatten().map(Values::len).next().ok_or(PairedError::Nothing)?;
    let refused = |(place, values): (usize, &Option<Values>)| match values {
        Some(values) => some_allowed(values).map_err(|refused| {
            let problem = UncertaintyError::Nowhere(refused);
            PairedError::Of { place: place + 1, problem }
        }),
        None => Ok(None),
    };
    let not_allowed = values.iter().enumerate().map(refused).collect::<Result<_, _>>()?;
    let of_figure = |figure: &ComparedFigure| {
        let scenarios = drawn.iter().zip(values).zip(&figure.values);
        let columns: Vec<Column<'_>> = scenarios
            .map(|((drawn, values), present)| Column::of(drawn.as_ref().zip(values.as_ref()), figure, *present))
            .collect();
        let against = |column: &Column<'_>| against(column, columns.first()?, samples, figure.figure.better);
        let missing =
            |column: &Column<'_>| (0..samples).filter(|at| column.at(*at).is_none()).count() as f64 / samples as f64;
        PairedFigure {
            missing: columns.iter().map(missing).collect(),
            ranges: columns.iter().map(|column| range((0..samples).filter_map(|at| column.at(at)))).collect(),
            against: columns.iter().map(against).collect(),
        }
    };
    Ok(Paired {
        samples,
        unknown: drawn.iter().map(|of| of.as_ref().map_or(0, |of| of.unknowns().numbers.len())).collect(),
        not_allowed,
        figures: figures.iter().map(of_figure).collect(),
    })
}

/// What a number is named by: whatever has to be the same for it to be off alike.
fn same(study: &dyn Subject, unknowns: &Unknowns, place: usize) -> String {
    let unknown = &unknowns.numbers[place];
    let source = study.sources().get(&unknown.path);
    format!("{} {} {source:?} {:?}", unknown.path, unknown.value, unknown.spread)
}

/// For each number and each group that is unknown, the place among the names of all that is drawn together; numbers are the same
/// where they are named alike.
pub(super) fn dimensions(unknowns: &Unknowns, number: impl Fn(usize) -> String, names: &mut Vec<String>) -> Vec<usize> {
    let mut same: Vec<String> = (0..unknowns.numbers.len()).map(&number).collect();
    // A group is the same where all its numbers are.
    for (group, name) in unknowns.groups.iter().enumerate() {
        let dimension = unknowns.numbers.len() + group;
        let causes = unknowns.causes();
        let of_group = causes.iter().find(|cause| cause.dimensions.contains(&dimension));
        let numbers = of_group.into_iter().flat_map(|cause| &cause.numbers).map(|place| number(*place));
        same.push(format!("{name}: {}", numbers.collect::<Vec<_>>().join(", ")));
    }
    let place = |name: String| {
        let known = names.iter().position(|known| *known == name);
        known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        })
    };
    same.into_iter().map(place).collect()
}

/// A figure of a scenario, sample by sample.
enum Column<'a> {
    /// It is another one in each, or not a number.
    Drawn(&'a [f64]),
    /// It is the same in all of them, if it has a value.
    Known(Option<f64>),
}

impl<'a> Column<'a> {
    fn of(drawn: Option<(&Samples<'_>, &'a Values)>, figure: &ComparedFigure, present: Option<f64>) -> Self {
        let Some((samples, values)) = drawn else { return Self::Known(present) };
        let place = samples.selected().iter().position(|selected| selected.key == figure.key);
        place.map_or(Self::Known(None), |place| Self::Drawn(values.column(place)))
    }

    fn at(&self, sample: usize) -> Option<f64> {
        match self {
            Self::Drawn(values) => Some(values[sample]).filter(|value| value.is_finite()),
            Self::Known(value) => *value,
        }
    }
}

fn against(column: &Column<'_>, baseline: &Column<'_>, samples: usize, better: Better) -> Option<Against> {
    let difference = |at: usize| {
        let (own, of_baseline) = (column.at(at)?, baseline.at(at)?);
        Some(if is_same(own, of_baseline) { 0.0 } else { own - of_baseline })
    };
    let differences: Vec<Option<f64>> = (0..samples).map(difference).collect();
    let range = range(differences.iter().copied().flatten())?;
    let share = |of: &[Option<f64>], is: &dyn Fn(f64) -> bool| {
        let known = || of.iter().flatten();
        known().filter(|one| is(**one)).count() as f64 / known().count() as f64
    };
    let sampled = |is: &dyn Fn(f64) -> bool| {
        let parts: Vec<f64> = differences.chunks(samples.div_ceil(PARTS)).map(|part| share(part, is)).collect();
        Sampled::of(share(&differences, is), &parts)
    };
    let [more, less, neither] = [sampled(&|of| of > 0.0), sampled(&|of| of < 0.0), sampled(&|_| false)];
    let [better, worse] = match better {
        Better::Higher => [more, less],
        Better::Lower => [less, more],
        Better::Neither => [neither, neither],
    };
    Some(Against { difference: range, better, worse })
}

/// Whether values are the same but for rounding.
pub(super) fn is_same(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= SAME * one.abs().max(other.abs())
}

/// P5 and P95 of values; `None` without values.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    Some([quantile(&values, SHARES[0])?, quantile(&values, SHARES[2])?])
}
