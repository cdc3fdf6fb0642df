//! The figures of a study that a request selects.

use std::sync::atomic::AtomicUsize;

use super::values::At;
use crossover_quantity::invalid::did_you_mean;
use crossover_study::{self as study, Figure, FigureValue, Subject, Watch, bill, validate};

/// Instead of the key of a figure: all figures of the whole study and of its parts.
pub const EVERY: &str = "*";

/// No figure has this key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key}: the study has no such figure{hint}; figures: {known}")]
pub struct NoSuchFigure {
    /// The key.
    pub key: String,
    /// ", did you mean …?" or nothing.
    pub hint: String,
    /// The keys that exist.
    pub known: String,
}

/// A selected figure.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedFigure {
    /// Its key, as `operators.join.speedup`.
    pub key: String,
    /// Its label, with the part that it belongs to.
    pub label: String,
    /// Its label, unit and meaning.
    pub figure: &'static Figure,
    /// The entry of its list.
    of: Option<String>,
    /// Its place in an answer.
    place: usize,
}

impl SelectedFigure {
    /// The figures of an answer with these keys, each once; none: all of the whole study; [`EVERY`]: those of its parts, too.
    ///
    /// # Errors
    /// [`NoSuchFigure`] if there is none with a key.
    pub fn of(answer: &[FigureValue], keys: &[String]) -> Result<Vec<Self>, NoSuchFigure> {
        if keys.iter().any(|key| key == EVERY) {
            return Ok(Self::all(answer).collect());
        }
        if keys.is_empty() {
            return Ok(Self::all(answer).filter(|one| one.of.is_none()).collect());
        }
        let known: Vec<String> = answer.iter().map(FigureValue::key).collect();
        let mut selected: Vec<Self> = Vec::new();
        for key in keys {
            let place = known.iter().position(|known| known == key).ok_or_else(|| NoSuchFigure {
                key: key.clone(),
                hint: match did_you_mean(key, &known) {
                    hint if hint.is_empty() && bill::is_figure(key) => bill::HINT.to_owned(),
                    hint => hint,
                },
                known: known.join(", "),
            })?;
            if selected.iter().all(|other| other.place != place) {
                selected.push(Self::new(place, &answer[place]));
            }
        }
        Ok(selected)
    }

    /// All figures of an answer.
    pub fn all(answer: &[FigureValue]) -> impl Iterator<Item = Self> {
        answer.iter().enumerate().map(|(place, one)| Self::new(place, one))
    }

    fn new(place: usize, one: &FigureValue) -> Self {
        Self { key: one.key(), label: one.label(), figure: one.figure, of: one.of.clone(), place }
    }

    /// Its place in every answer of the study.
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Its value in another answer of the same study: a number changes no figure's place.
    #[must_use]
    pub fn value(&self, answer: &[FigureValue]) -> Option<f64> {
        let is_same = |one: &&FigureValue| one.figure == self.figure && one.of == self.of;
        answer.get(self.place).filter(is_same)?.value
    }
}

/// The answer of a study as one of many, none of which is counted.
pub(super) fn answer(subject: &dyn Subject, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
    study::answer(subject, Watch { is_cancelled: watch.is_cancelled, done: &AtomicUsize::new(0) })
}

/// The figures of a study with changed numbers, or why it is invalid; `None` if it was cancelled.
pub(super) fn allowed(selected: &[SelectedFigure], subject: &dyn Subject, watch: Watch<'_>) -> Option<At> {
    match validate(subject) {
        Ok(()) => values(selected, subject, watch).map(Ok),
        Err(invalid) => Some(Err(invalid)),
    }
}

/// The figures of a valid study, NaN where it has none; `None` if it was cancelled.
pub(super) fn values(selected: &[SelectedFigure], subject: &dyn Subject, watch: Watch<'_>) -> Option<Vec<f64>> {
    let found = answer(subject, watch)?;
    let value =
        |selected: &SelectedFigure| selected.value(&found).filter(|value| value.is_finite()).unwrap_or(f64::NAN);
    Some(selected.iter().map(value).collect())
}

/// A value, unless it is not a number.
pub(super) fn number(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}
