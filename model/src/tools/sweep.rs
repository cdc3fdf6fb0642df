//! Figures of a study along one of its numbers, all others as they are.

use std::collections::BTreeSet;

use crate::invalid::{Invalid, did_you_mean};
use crate::quantity::Quantity;
use crate::scenario::Study;
use crate::study::along::{along, samples};
use crate::study::{Figure, Subject, Watch, number_at, numbers, set_number, validate};
use crate::unit::Unit;

use super::wanted::{NoSuchFigure, Wanted, answer};

/// Points of a sweep that does not say how many.
pub const POINTS: usize = 101;
/// Most points of a sweep.
pub const MOST_POINTS: usize = 1_000_000;

/// What is swept: one number, from one value to another, and the figures that are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Path of the number.
    pub path: String,
    /// From where to where, both ends included, in the unit of the number.
    pub ends: [f64; 2],
    /// How many values.
    pub points: usize,
    /// Whether the values are evenly spaced in their logarithm.
    pub is_logarithmic: bool,
    /// Keys of the figures; empty: all of the whole study; [`EVERY`](super::wanted::EVERY): those of its parts, too.
    pub figures: Vec<String>,
}

/// Why a sweep cannot be carried out.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// The text is no sweep.
    #[error("“{0}” is not of the form PATH=FROM..TO[:POINTS][:log], e.g. cluster.machines=10..1000:50:log")]
    Form(String),
    /// No number has this path.
    #[error("{path}: the study has no such number{hint}")]
    NoSuchNumber {
        /// The path.
        path: String,
        /// ", did you mean …?", or which there are.
        hint: String,
    },
    /// The number belongs to a part that the study does not have.
    #[error("{0}: the study does not have the part that this number belongs to; give it one first")]
    Absent(String),
    /// An end is no value of the number.
    #[error("{path}: {problem}")]
    Value {
        /// The path.
        path: String,
        /// What is wrong and what is allowed.
        problem: String,
    },
    /// The number of points is not allowed.
    #[error("{0} points are asked for; allowed: 2 … {most}", most = Unit::Count.format(MOST_POINTS as f64))]
    Points(String),
    /// Zero or less has no logarithm.
    #[error("{0}: values from zero down have no logarithm; leave out “:log” or begin above zero")]
    Logarithm(String),
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

/// Values that a study does not allow.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub first: f64,
    /// What does not fit there.
    pub problem: Invalid,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = match self.count {
            1 => "1 value is".to_owned(),
            count => format!("{count} values are"),
        };
        write!(f, "{count} left out; at {}: {}: {}", self.first, self.problem.path, self.problem.problem)
    }
}

impl Sweep {
    /// Reads `PATH=FROM..TO[:POINTS][:log]`; ends may have units, `5 ms..2 s`. The study says which numbers there are:
    /// names in paths may hold any of these signs.
    ///
    /// # Errors
    /// [`SweepError`] if the form, the path or a value is wrong.
    pub fn read(study: &Study, text: &str) -> Result<Self, SweepError> {
        let form = || SweepError::Form(text.to_owned());
        let splits = || text.match_indices('=').map(|(at, _)| (text[..at].trim(), &text[at + 1..]));
        let is_number = |(path, _): &(&str, &str)| number_at(study.subject(), path).is_some();
        let (path, range) = splits().rfind(is_number).or_else(|| splits().next()).ok_or_else(form)?;
        let quantity = quantity(study.subject(), path)?;
        let mut parts = range.split(':');
        let (from, to) = parts.next().and_then(|ends| ends.split_once("..")).ok_or_else(form)?;
        let (mut points, mut is_logarithmic) = (POINTS, false);
        for part in parts {
            match part.trim() {
                "log" => is_logarithmic = true,
                count => points = count.parse().map_err(|_| form())?,
            }
        }
        let ends = quantity
            .parse_range(from, to)
            .map_err(|error| SweepError::Value { path: path.to_owned(), problem: error.to_string() })?;
        Ok(Self { path: path.to_owned(), ends, points, is_logarithmic, figures: Vec::new() })
    }

    /// Where the study is evaluated.
    ///
    /// # Errors
    /// [`SweepError`] if an end is out of the number's range, or there are too few or too many points.
    pub fn values(&self, study: &dyn Subject) -> Result<Vec<f64>, SweepError> {
        let quantity = quantity(study, &self.path)?;
        let ends = if quantity.whole { self.whole_ends()? } else { self.ends };
        for end in ends {
            if let Some(problem) = quantity.problem(end) {
                return Err(SweepError::Value { path: self.path.clone(), problem });
            }
        }
        if !(2..=MOST_POINTS).contains(&self.points) {
            return Err(SweepError::Points(self.points.to_string()));
        }
        if self.is_logarithmic && self.ends.iter().any(|end| *end <= 0.0) {
            return Err(SweepError::Logarithm(self.path.clone()));
        }
        let mut values = samples(ends, self.points, self.is_logarithmic);
        if quantity.whole {
            for value in &mut values {
                *value = value.round();
            }
        } else if let [_, between @ .., _] = &mut values[..] {
            // The ends stay as they were given.
            for value in between {
                *value = readable(*value);
            }
        }
        values.dedup();
        Ok(values)
    }

    /// The outermost whole numbers between the ends.
    fn whole_ends(&self) -> Result<[f64; 2], SweepError> {
        let [from, to] = self.ends;
        let [low, high] = [from.min(to).ceil(), from.max(to).floor()];
        if low > high {
            let problem = format!("there is no whole number from {from} to {to}");
            return Err(SweepError::Value { path: self.path.clone(), problem });
        }
        Ok(if from <= to { [low, high] } else { [high, low] })
    }
}

/// The figures of a valid study along one of its numbers; `None` if it was called off. Values that the rest of the study
/// does not allow have no figures.
///
/// # Errors
/// [`SweepError`] if the study has no such number or figure, or the number cannot be moved there at all.
pub fn sweep(study: &Study, sweep: &Sweep, watch: Watch<'_>) -> Result<Option<Swept>, SweepError> {
    let subject = study.subject();
    let values = sweep.values(subject)?;
    let (quantity, present) = number_at(subject, &sweep.path).ok_or_else(|| no_such_number(subject, &sweep.path))?;
    if !set_number(study.clone().subject_mut(), &sweep.path, values[0]) {
        return Err(SweepError::Absent(sweep.path.clone()));
    }
    let Some(now) = answer(subject, watch) else { return Ok(None) };
    let wanted = Wanted::of(&now, &sweep.figures)?;
    let at = |study: &mut Study, value: f64| {
        let subject = study.subject_mut();
        set_number(subject, &sweep.path, value);
        if let Err(invalid) = validate(subject) {
            return Some(Err((value, invalid)));
        }
        let found = answer(subject, watch)?;
        Some(Ok(wanted.iter().map(|wanted| wanted.value(&found)).collect::<Vec<_>>()))
    };
    let Some(rows) = along(&values, watch, || study.clone(), at) else { return Ok(None) };
    let refused: Vec<&(f64, Invalid)> = rows.iter().filter_map(|row| row.as_ref().err()).collect();
    if let (Some((value, invalid)), true) = (refused.first(), refused.len() == rows.len()) {
        let problem = format!("{}: {}", invalid.path, invalid.problem);
        return Err(SweepError::Nowhere { path: sweep.path.clone(), value: *value, problem });
    }
    let left_out = refused.first().map(|(first, problem)| LeftOut {
        count: refused.len(),
        first: *first,
        problem: problem.clone(),
    });
    let curve = |(index, of): (usize, &Wanted)| FigureCurve {
        key: of.key.clone(),
        label: of.label.clone(),
        figure: of.figure,
        values: rows.iter().map(|row| row.as_ref().ok().and_then(|row| row[index])).collect(),
    };
    let curves = wanted.iter().enumerate().map(curve).collect();
    Ok(Some(Swept { path: sweep.path.clone(), quantity, present, values, curves, left_out }))
}

fn quantity(study: &dyn Subject, path: &str) -> Result<&'static Quantity, SweepError> {
    number_at(study, path).map(|(quantity, _)| quantity).ok_or_else(|| no_such_number(study, path))
}

fn no_such_number(study: &dyn Subject, path: &str) -> SweepError {
    let known: Vec<String> = numbers(study).into_iter().map(|(path, ..)| path.to_string()).collect();
    let mut hint = did_you_mean(path, &known);
    if hint.is_empty() {
        let part = path.split('.').next().unwrap_or(path);
        let beside: Vec<&str> =
            known.iter().map(String::as_str).filter(|known| known.split('.').next() == Some(part)).collect();
        let parts: BTreeSet<&str> = known.iter().filter_map(|known| known.split('.').next()).collect();
        hint = match beside.as_slice() {
            [] => format!("; numbers begin with: {}", parts.into_iter().collect::<Vec<_>>().join(", ")),
            beside => format!("; numbers of {part}: {}", beside.join(", ")),
        };
    }
    SweepError::NoSuchNumber { path: path.to_owned(), hint }
}

/// A value as people would write it: 0.15 for 0.15000000000000002.
fn readable(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}
