//! The figures of a study at points of the unit cube, and those among them that it does not allow.

use super::points::At;
use super::unknowns::Unknowns;
use super::values::Values;
use super::wanted::{Wanted, answer};
use crate::invalid::Invalid;
use crate::study::{Subject, Watch};

/// The figures of a study with its unknowns at a point; `None` if it was called off.
pub(super) fn figures_at(
    subject: &mut dyn Subject,
    unknowns: &Unknowns,
    point: &[f64],
    wanted: &[Wanted],
    watch: Watch<'_>,
) -> Option<At> {
    match unknowns.move_to(subject, point) {
        Ok(()) => values(wanted, subject, watch).map(Ok),
        Err(invalid) => Some(Err(invalid)),
    }
}

/// The figures of a valid study, not a number where it has none; `None` if it was called off.
pub(super) fn values(wanted: &[Wanted], subject: &dyn Subject, watch: Watch<'_>) -> Option<Vec<f64>> {
    let found = answer(subject, watch)?;
    let value = |wanted: &Wanted| wanted.value(&found).filter(|value| value.is_finite()).unwrap_or(f64::NAN);
    Some(wanted.iter().map(value).collect())
}

/// A value, unless it is not a number.
pub(super) fn number(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

/// Points that a study does not allow.
#[derive(Debug, Clone, PartialEq)]
pub struct NotAllowed {
    /// How many of how many.
    pub count: usize,
    /// How many there were.
    pub of: usize,
    /// What does not fit at the first of them.
    pub problem: Invalid,
}

impl std::fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, of, problem: Invalid { path, problem } } = self;
        write!(f, "{count} of {of} samples are left out, because numbers do not fit each other: {path}: {problem}")
    }
}

/// Those of many points.
pub(super) fn not_allowed(values: &Values) -> Option<NotAllowed> {
    let (_, problem) = values.refused().first_key_value()?;
    Some(NotAllowed { count: values.refused().len(), of: values.len(), problem: problem.clone() })
}
