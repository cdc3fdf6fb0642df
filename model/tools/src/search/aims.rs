//! The constraints and objectives of a search, applied to the figures of a candidate.

use super::{Found, Objective, Search};
use crate::selected::SelectedFigure;

/// Constraints and objectives, each with the place of its figure.
pub(super) struct Aims<'a> {
    pub(super) search: &'a Search,
    constraints: Vec<usize>,
    objectives: Vec<usize>,
}

impl<'a> Aims<'a> {
    /// Those of a search, whose figures are among these.
    pub(super) fn new(search: &'a Search, figures: &[SelectedFigure]) -> Self {
        let place = |key: &String| figures.iter().position(|figure| figure.key == *key).unwrap_or_default();
        let constraints = search.constraints.iter().map(|constraint| place(&constraint.key)).collect();
        let objectives = search.objectives.iter().map(|objective| place(&objective.key)).collect();
        Self { search, constraints, objectives }
    }

    /// The violation of each constraint, as a share of its value.
    fn violations(&self, values: &[Option<f64>]) -> impl Iterator<Item = f64> {
        self.search
            .constraints
            .iter()
            .zip(&self.constraints)
            .map(|(constraint, place)| constraint.violation(values[*place]))
    }

    /// The violated constraints, by their places.
    pub(super) fn violated(&self, values: &[Option<f64>]) -> Vec<usize> {
        self.violations(values)
            .enumerate()
            .filter(|(_, violation)| *violation > 0.0)
            .map(|(constraint, _)| constraint)
            .collect()
    }

    /// Whether every constraint is met.
    pub(super) fn are_met(&self, values: &[Option<f64>]) -> bool {
        self.violations(values).all(|violation| violation <= 0.0)
    }

    /// The sum of all violations.
    pub(super) fn violation(&self, values: &[Option<f64>]) -> f64 {
        self.violations(values).sum()
    }

    /// The figure of a constraint.
    pub(super) fn of_constraint(&self, constraint: usize) -> usize {
        self.constraints[constraint]
    }

    /// The figures of the objectives.
    pub(super) fn of_objectives(&self) -> &[usize] {
        &self.objectives
    }

    /// Whether a candidate has a value of every objective.
    pub(super) fn has_objectives(&self, found: &Found) -> bool {
        self.objectives.iter().all(|place| found.values[*place].is_some())
    }

    /// The objectives as costs to minimise; any value is better than none.
    pub(super) fn costs(&self, values: &[Option<f64>]) -> Vec<f64> {
        let cost = |(objective, place): (&Objective, &usize)| match values[*place] {
            Some(value) if objective.is_minimised => value,
            Some(value) => -value,
            None => f64::INFINITY,
        };
        self.search.objectives.iter().zip(&self.objectives).map(cost).collect()
    }
}
