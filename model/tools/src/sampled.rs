//! The figures of a study at points of the unit cube, and those among them that it does not allow.

use super::points::At;
use super::unknowns::Unknowns;
use super::values::Values;
use super::wanted::{Wanted, values};
use crossover_quantity::invalid::Invalid;
use crossover_study::{Subject, Watch};

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

/// Those of many points, if the others are allowed.
///
/// # Errors
/// What is wrong with the first if none is.
pub(super) fn some_allowed(values: &Values) -> Result<Option<NotAllowed>, NotAllowed> {
    let Some((_, problem)) = values.refused().first_key_value() else { return Ok(None) };
    let refused = NotAllowed { count: values.refused().len(), of: values.len(), problem: problem.clone() };
    if refused.count == refused.of { Err(refused) } else { Ok(Some(refused)) }
}
