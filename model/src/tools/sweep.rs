//! Figures of a study along one of its numbers, all others as they are.

use crate::quantity::Quantity;
use crate::scenario::Study;
use crate::study::along::along;
use crate::study::{Figure, Subject, Watch, set_number};

use super::range::{LeftOut, Range, RangeError};
use super::wanted::{NoSuchFigure, Wanted, answer, values_of};

/// Points of a sweep that does not say how many.
pub const POINTS: usize = 101;
/// Most points of a sweep.
pub const MOST_POINTS: usize = 1_000_000;

/// What is swept: one number, and the figures that are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The number, from where to where.
    pub x: Range,
    /// Keys of the figures; empty: all of the whole study; [`EVERY`](super::wanted::EVERY): those of its parts, too.
    pub figures: Vec<String>,
}

/// Why a sweep cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// The number cannot be moved so.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// No figure has this key.
    #[error(transparent)]
    NoSuchFigure(#[from] NoSuchFigure),
    /// The study cannot have the number at any of the values.
    #[error("{path}: no value fits the rest of the study; at {value}: {problem}")]
    Nowhere {
        /// The path.
        path: String,
        /// The first value.
        value: f64,
        /// What does not fit there.
        problem: String,
    },
}

/// What came of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// Path of the number.
    pub path: String,
    /// What there is to know about the number.
    pub quantity: &'static Quantity,
    /// What the study has; `None` if the number is absent.
    pub present: Option<f64>,
    /// Where it was evaluated, ascending or descending as asked; whole where the number is.
    pub values: Vec<f64>,
    /// The figures along the values.
    pub curves: Vec<FigureCurve>,
    /// Values that the rest of the study does not allow, and why the first of them is none; their figures are missing.
    pub left_out: Option<LeftOut>,
}

/// One figure along a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureCurve {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// Its label, with the part that it belongs to.
    pub label: String,
    /// What there is to know about it.
    pub figure: &'static Figure,
    /// Its value at each of the values of the number.
    pub values: Vec<Option<f64>>,
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
    pub fn read(study: &Study, text: &str) -> Result<Self, RangeError> {
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

/// The figures of a valid study along one of its numbers; `None` if it was called off. Values that the rest of the study
/// does not allow have no figures.
///
/// # Errors
/// [`SweepError`] if the study has no such number or figure, or the number cannot be moved there at all.
pub fn sweep(study: &Study, sweep: &Sweep, watch: Watch<'_>) -> Result<Option<Swept>, SweepError> {
    let path = &sweep.x.path;
    let values = sweep.values(study.subject())?;
    let (quantity, present) = sweep.x.number(study)?;
    let Some(now) = answer(study.subject(), watch) else { return Ok(None) };
    let wanted = Wanted::of(&now, &sweep.figures)?;
    let at = |study: &mut Study, value: f64| {
        let subject = study.subject_mut();
        set_number(subject, path, value);
        values_of(&wanted, subject, value, watch)
    };
    let Some(rows) = along(&values, watch, || study.clone(), at) else { return Ok(None) };
    let left_out = LeftOut::of(&rows).map_err(|LeftOut { first, problem, .. }| SweepError::Nowhere {
        path: path.clone(),
        value: first,
        problem: format!("{}: {}", problem.path, problem.problem),
    })?;
    let curve = |(index, of): (usize, &Wanted)| FigureCurve {
        key: of.key.clone(),
        label: of.label.clone(),
        figure: of.figure,
        values: rows.iter().map(|row| row.as_ref().ok().and_then(|row| row[index])).collect(),
    };
    let curves = wanted.iter().enumerate().map(curve).collect();
    Ok(Some(Swept { path: path.clone(), quantity, present, values, curves, left_out }))
}
