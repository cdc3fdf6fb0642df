//! The figures of a study at points of the unit cube, and invalid points.

use super::points::At;
use super::selected::{SelectedFigure, values};
use super::unknowns::Unknowns;
use super::values::Values;
use crossover_quantity::invalid::Invalid;
use crossover_study::{Subject, Watch};

/// The figures of a study with its unknowns at a point; `None` if it was cancelled.
pub(super) fn figures_at(
    subject: &mut dyn Subject,
    unknowns: &Unknowns,
    point: &[f64],
    selected: &[SelectedFigure],
    watch: Watch<'_>,
) -> Option<At> {
    match unknowns.move_to(subject, point) {
        Ok(()) => values(selected, subject, watch).map(Ok),
        Err(invalid) => Some(Err(invalid)),
    }
}

/// Invalid points of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct NotAllowed {
    /// How many there are.
    pub count: usize,
    /// How many points there were in all.
    pub of: usize,
    /// What is wrong with the first of them.
    pub problem: Invalid,
}

impl std::fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { count, of, problem: Invalid { path, problem } } = self;
        let are = if *count == 1 { "is" } else { "are" };
        write!(f, "{count} of {of} samples {are} invalid and left out; the first: {path}: {problem}")
    }
}

/// The invalid points, if others are valid.
///
/// # Errors
/// What is wrong with the first, if none is valid.
pub(super) fn some_allowed(values: &Values) -> Result<Option<NotAllowed>, NotAllowed> {
    let Some((_, problem)) = values.refused().first_key_value() else { return Ok(None) };
    let refused = NotAllowed { count: values.refused().len(), of: values.len(), problem: problem.clone() };
    if refused.count == refused.of { Err(refused) } else { Ok(Some(refused)) }
}
