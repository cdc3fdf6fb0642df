//! Scenarios of one kind side by side: the numbers that differ, and every figure. The first scenario is the baseline.

use std::collections::BTreeMap;

use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_study::sources::set_numbers;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch, numbers};

use super::selected::answer;
use super::sweep::{Sweep, SweepError, Swept, sweep};

/// Most scenarios that are compared.
pub const MOST: usize = 4;

/// Why there is no comparison.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// Too few or too many scenarios.
    #[error("expected 2 to {MOST} scenarios, the baseline first; found {0}")]
    Count(usize),
    /// The scenarios are of different kinds.
    #[error(
        "only scenarios of one kind can be compared; the baseline is of kind {baseline}, and scenario {place} of kind {other}"
    )]
    Kinds {
        /// The kind of the first scenario.
        baseline: &'static str,
        /// Which scenario is of another kind, counted from 1.
        place: usize,
        /// Its kind.
        other: &'static str,
    },
}

/// Scenarios side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The numbers that differ, in the order of the first scenario that has them.
    pub numbers: Vec<ComparedNumber>,
    /// How many numbers are the same in all scenarios.
    pub same: usize,
    /// Of each scenario whether it differs from the baseline in more than numbers: a choice, a name, a recording. Not
    /// where it lacks numbers of the baseline or has others.
    pub differs_otherwise: Vec<bool>,
    /// The figures of the whole study, then those of its parts.
    pub figures: Vec<ComparedFigure>,
}

/// A number that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedNumber {
    /// Its path.
    pub path: String,
    /// Its label, unit and meaning.
    pub quantity: &'static Quantity,
    /// Its value in each scenario; `None` where it is absent.
    pub values: Vec<Option<Stated>>,
}

/// A number of a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated {
    /// Its value.
    pub value: f64,
    /// The kind of its source, one word, as [`Provenance::kind`] has it.
    pub source: &'static str,
}

/// A figure of all scenarios.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFigure {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// Its label, with the part that it belongs to.
    pub label: String,
    /// Its label, unit and meaning.
    pub figure: &'static Figure,
    /// Whether it is the whole study's, and not a part's.
    pub is_of_whole: bool,
    /// Its value in each scenario; none where it has none, or there is no such part.
    pub values: Vec<Option<f64>>,
}

/// A figure of a scenario against that of the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Better than the baseline's.
    Better,
    /// Worse than the baseline's.
    Worse,
    /// The same as the baseline's.
    Same,
    /// Another one, of which neither direction is better.
    Other,
}

impl ComparedFigure {
    /// Value less that of the baseline, in the unit of the figure; none where either has none.
    #[must_use]
    pub fn difference(&self, scenario: usize) -> Option<f64> {
        Some(self.value(scenario)? - self.value(0)?)
    }

    /// Value over that of the baseline; none where either has none, or that of the baseline is zero.
    #[must_use]
    pub fn ratio(&self, scenario: usize) -> Option<f64> {
        let baseline = self.value(0).filter(|baseline| *baseline != 0.0)?;
        Some(self.value(scenario)? / baseline).filter(|ratio| ratio.is_finite())
    }

    /// A scenario against the baseline; `None` where either has no value.
    #[must_use]
    pub fn standing(&self, scenario: usize) -> Option<Standing> {
        let difference = self.difference(scenario)?;
        Some(match self.figure.better {
            _ if difference == 0.0 => Standing::Same,
            Better::Neither => Standing::Other,
            Better::Higher if difference > 0.0 => Standing::Better,
            Better::Lower if difference < 0.0 => Standing::Better,
            Better::Higher | Better::Lower => Standing::Worse,
        })
    }

    /// Whether no scenario is better than this one, and some are worse.
    #[must_use]
    pub fn is_best(&self, scenario: usize) -> bool {
        let Some(value) = self.value(scenario) else { return false };
        let others = || self.values.iter().flatten();
        match self.figure.better {
            Better::Higher => others().all(|other| *other <= value) && others().any(|other| *other < value),
            Better::Lower => others().all(|other| *other >= value) && others().any(|other| *other > value),
            Better::Neither => false,
        }
    }

    /// Whether its value, or having one, is not the same in all scenarios.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }

    fn value(&self, scenario: usize) -> Option<f64> {
        self.values.get(scenario).copied().flatten()
    }
}

/// Compares valid studies, the first of them the baseline; `None` if it was cancelled. Counts studies.
///
/// # Errors
/// [`CompareError`] if there are too few or too many, or they are of different kinds.
pub fn compare(studies: &[&dyn Subject], watch: Watch<'_>) -> Result<Option<Comparison>, CompareError> {
    check(studies)?;
    let baseline = studies[0];
    let (numbers, same) = compared_numbers(studies);
    let mut answers = Vec::new();
    for study in studies.iter().copied() {
        let Some(found) = answer(study, watch) else { return Ok(None) };
        watch.count(1);
        answers.push(found);
    }
    let differs_otherwise = studies.iter().map(|study| differs_otherwise(*study, baseline)).collect();
    Ok(Some(Comparison { numbers, same, differs_otherwise, figures: compared_figures(&answers) }))
}

/// Whether studies can be compared.
fn check(studies: &[&dyn Subject]) -> Result<(), CompareError> {
    let [baseline, others @ ..] = studies else { return Err(CompareError::Count(0)) };
    if others.is_empty() || studies.len() > MOST {
        return Err(CompareError::Count(studies.len()));
    }
    match others.iter().enumerate().find(|(_, other)| other.kind() != baseline.kind()) {
        Some((place, other)) => {
            Err(CompareError::Kinds { baseline: baseline.kind(), place: place + 2, other: other.kind() })
        }
        None => Ok(()),
    }
}

/// Why there are no curves of scenarios side by side.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CurvesError {
    /// They cannot be compared.
    #[error(transparent)]
    Studies(#[from] CompareError),
    /// One of them has no such curves.
    #[error("scenario {place}: {problem}")]
    Of {
        /// Which scenario, counted from 1.
        place: usize,
        /// What is wrong.
        problem: SweepError,
    },
}

/// The figures of each of several valid studies along the same number; `None` if it was cancelled. Counts values.
///
/// # Errors
/// [`CurvesError`] if they cannot be compared, or one of them has no such number or figure, or does not allow its values.
pub fn curves(studies: &[&dyn Subject], along: &Sweep, watch: Watch<'_>) -> Result<Option<Vec<Swept>>, CurvesError> {
    check(studies)?;
    let mut all = Vec::new();
    for (place, study) in studies.iter().copied().enumerate() {
        match sweep(study, along, watch).map_err(|problem| CurvesError::Of { place: place + 1, problem })? {
            Some(swept) => all.push(swept),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// The numbers that differ, and how many do not.
fn compared_numbers(studies: &[&dyn Subject]) -> (Vec<ComparedNumber>, usize) {
    let mut all: Vec<ComparedNumber> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (column, study) in studies.iter().copied().enumerate() {
        for (path, quantity, value) in numbers(study) {
            let path = path.to_string();
            let source = study.sources().get(&path).map_or(Provenance::Entered.kind(), Provenance::kind);
            let place = *places.entry(path.clone()).or_insert_with(|| {
                all.push(ComparedNumber { path, quantity, values: vec![None; studies.len()] });
                all.len() - 1
            });
            all[place].values[column] = Some(Stated { value, source });
        }
    }
    let count = all.len();
    let value = |stated: &Option<Stated>| stated.map(|stated| stated.value);
    all.retain(|number| number.values.iter().any(|stated| value(stated) != value(&number.values[0])));
    let same = count - all.len();
    (all, same)
}

/// The figures of all answers, each once: those of the whole study first, in the order of the first that has them.
fn compared_figures(answers: &[Vec<FigureValue>]) -> Vec<ComparedFigure> {
    let mut all: Vec<ComparedFigure> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (column, answer) in answers.iter().enumerate() {
        for one in answer {
            let place = *places.entry(one.key()).or_insert_with(|| {
                all.push(ComparedFigure {
                    key: one.key(),
                    label: one.label(),
                    figure: one.figure,
                    is_of_whole: one.of.is_none(),
                    values: vec![None; answers.len()],
                });
                all.len() - 1
            });
            all[place].values[column] = one.value;
        }
    }
    all.sort_by_key(|figure| !figure.is_of_whole);
    all
}

/// Whether a study with the numbers of another one, where both have the same numbers, is still another one.
fn differs_otherwise(study: &dyn Subject, baseline: &dyn Subject) -> bool {
    let paths_and_values = |study: &dyn Subject| -> Vec<(String, f64)> {
        numbers(study).into_iter().map(|(path, _, value)| (path.to_string(), value)).collect()
    };
    let (here, there) = (paths_and_values(study), paths_and_values(baseline));
    let has_same_numbers = here.len() == there.len() && here.iter().zip(&there).all(|(one, other)| one.0 == other.0);
    if !has_same_numbers {
        return false;
    }
    let mut moved = study.to_owned();
    set_numbers(&mut *moved, &there);
    // Sources and distributions belong to the numbers.
    moved.sources_mut().clone_from(baseline.sources());
    moved.spreads_mut().clone_from(baseline.spreads());
    *moved != *baseline
}
