//! Figures of a study along one of its numbers, all others as they are.

use crossover_quantity::quantity::Quantity;
use crossover_study::{Figure, Subject, Watch, set_number};

use super::points::{At, Pointwise, evaluate};
use super::range::{LeftOut, Range, RangeError};
use super::selected::{NoSuchFigure, SelectedFigure, allowed, answer, number};
use super::values::{MOST_VALUES, Values};

/// Points of a sweep that does not say how many.
pub const POINTS: usize = 101;
/// Most points of a sweep.
pub const MOST_POINTS: usize = 1_000_000;

/// A sweep: one number with its range, and the selected figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The number with its range.
    pub x: Range,
    /// Keys of the figures; empty: all of the whole study; [`EVERY`](super::selected::EVERY): also those of its parts.
    pub figures: Vec<String>,
}

/// Why a sweep cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// The number cannot have these values.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// No figure has this key.
    #[error(transparent)]
    NoSuchFigure(#[from] NoSuchFigure),
    /// All values and figures together are too many.
    #[error("{values} values of {figures} figures are too many; use fewer points or fewer figures")]
    TooMany {
        /// How many values of the number.
        values: usize,
        /// How many figures.
        figures: usize,
    },
    /// The study is invalid at every value.
    #[error("{path}: no value in the range is valid; at {value}: {problem}")]
    Nowhere {
        /// The path.
        path: String,
        /// The first value.
        value: f64,
        /// What is wrong there.
        problem: String,
    },
}

/// The result of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// Path of the number.
    pub path: String,
    /// Label, unit and range of the number.
    pub quantity: &'static Quantity,
    /// Its present value; `None` if the number is absent.
    pub present: Option<f64>,
    /// Where it was evaluated, ascending or descending in the order of the ends; whole where the number is.
    pub values: Vec<f64>,
    /// The figures along the values.
    pub curves: Vec<FigureCurve>,
    /// Invalid values, and what is wrong with the first of them; their figures are missing.
    pub left_out: Option<LeftOut>,
}

/// One figure along a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureCurve {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// Its label, with the part that it belongs to.
    pub label: String,
    /// Its label, unit and meaning.
    pub figure: &'static Figure,
    /// Its value at each of the values of the number.
    pub values: Vec<Option<f64>>,
    /// Its value in the study as it is.
    pub present: Option<f64>,
}

impl Swept {
    /// Whether no figure changes along the values, at two of which or more the study was evaluated: the number has no
    /// influence here.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        let evaluated = self.values.len() - self.left_out.as_ref().map_or(0, |left_out| left_out.count);
        // Values that were left out have no figures; a figure may have no value anywhere else too.
        let is_flat = |curve: &FigureCurve| {
            let known: Vec<f64> = curve.values.iter().flatten().copied().collect();
            known.is_empty() || known.len() == evaluated && known.iter().all(|value| *value == known[0])
        };
        evaluated > 1 && self.curves.iter().all(is_flat)
    }
}

impl Sweep {
    /// Reads `PATH=FROM..TO[:POINTS][:log]` as [`Range::read`] does; the figures are all of the whole study.
    ///
    /// # Errors
    /// [`RangeError`] if the form, the path or a value is wrong.
    pub fn read(study: &dyn Subject, text: &str) -> Result<Self, RangeError> {
        Ok(Self { x: Range::read(study, text, POINTS)?, figures: Vec::new() })
    }

    /// Where the study is evaluated.
    ///
    /// # Errors
    /// [`RangeError`] if an end is out of the number's range, or there are too few or too many points.
    pub fn values(&self, study: &dyn Subject) -> Result<Vec<f64>, RangeError> {
        self.x.values(study, MOST_POINTS)
    }
}

/// The figures of a valid study along one of its numbers; `None` if it was cancelled. Invalid values have no figures.
/// Counts values.
///
/// # Errors
/// [`SweepError`] if the study has no such number or figure, or the number cannot be moved there at all.
pub fn sweep(study: &dyn Subject, sweep: &Sweep, watch: Watch<'_>) -> Result<Option<Swept>, SweepError> {
    match begin(study, sweep, watch)? {
        Some(steps) => evaluate(steps, watch),
        None => Ok(None),
    }
}

/// The values of a sweep, before they are evaluated.
#[derive(Debug)]
pub struct Steps<'a> {
    study: &'a dyn Subject,
    sweep: &'a Sweep,
    quantity: &'static Quantity,
    present: Option<f64>,
    values: Vec<f64>,
    selected: Vec<SelectedFigure>,
    /// Of each selected figure, its value in the study as it is.
    present_figures: Vec<Option<f64>>,
}

/// The evaluations of [`sweep`](self::sweep()); `None` if it was cancelled.
///
/// # Errors
/// [`SweepError`] if the study has no such number or figure.
pub fn begin<'a>(study: &'a dyn Subject, sweep: &'a Sweep, watch: Watch<'_>) -> Result<Option<Steps<'a>>, SweepError> {
    let values = sweep.values(study)?;
    let (quantity, present) = sweep.x.number(study)?;
    let Some(now) = answer(study, watch) else { return Ok(None) };
    let selected = SelectedFigure::of(&now, &sweep.figures)?;
    if values.len().saturating_mul(selected.len()) > MOST_VALUES {
        return Err(SweepError::TooMany { values: values.len(), figures: selected.len() });
    }
    let present_figures = selected.iter().map(|figure| figure.value(&now)).collect();
    Ok(Some(Steps { study, sweep, quantity, present, values, selected, present_figures }))
}

impl Pointwise for Steps<'_> {
    type State = Box<dyn Subject>;
    type Found = Swept;
    type Error = SweepError;

    fn points(&self) -> usize {
        self.values.len()
    }

    fn figures(&self) -> usize {
        self.selected.len()
    }

    fn start(&self) -> Box<dyn Subject> {
        self.study.to_owned()
    }

    fn at(&self, study: &mut Box<dyn Subject>, number: usize, watch: Watch<'_>) -> Option<At> {
        set_number(&mut **study, &self.sweep.x.path, self.values[number]);
        allowed(&self.selected, &**study, watch)
    }

    fn conclude(self, found: Values) -> Result<Swept, SweepError> {
        let path = self.sweep.x.path.clone();
        let left_out =
            LeftOut::of(&found, |place| self.values[place]).map_err(|LeftOut { first, problem, .. }| {
                SweepError::Nowhere { path: path.clone(), value: first, problem: problem.to_string() }
            })?;
        let curve = |(place, (of, present)): (usize, (SelectedFigure, Option<f64>))| FigureCurve {
            key: of.key,
            label: of.label,
            figure: of.figure,
            values: found.column(place).iter().map(|value| number(*value)).collect(),
            present,
        };
        let curves = self.selected.into_iter().zip(self.present_figures).enumerate().map(curve).collect();
        Ok(Swept { path, quantity: self.quantity, present: self.present, values: self.values, curves, left_out })
    }
}
