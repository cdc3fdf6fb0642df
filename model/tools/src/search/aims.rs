//! The constraints and objectives of a search, applied to the figures of a candidate.

use super::{Found, Goal, Search};
use crate::selected::SelectedFigure;

/// Constraints and objectives, each with the place of its figure.
pub(super) struct Aims<'a> {
    pub(super) search: &'a Search,
    limits: Vec<usize>,
    goals: Vec<usize>,
}

impl<'a> Aims<'a> {
    /// Those of a search, whose figures are among these.
    pub(super) fn new(search: &'a Search, figures: &[SelectedFigure]) -> Self {
        let place = |key: &String| figures.iter().position(|figure| figure.key == *key).unwrap_or_default();
        let limits = search.limits.iter().map(|limit| place(&limit.key)).collect();
        let goals = search.goals.iter().map(|goal| place(&goal.key)).collect();
        Self { search, limits, goals }
    }

    /// The violation of each constraint, as a share of its value.
    fn excesses(&self, values: &[Option<f64>]) -> impl Iterator<Item = f64> {
        self.search.limits.iter().zip(&self.limits).map(|(limit, place)| limit.excess(values[*place]))
    }

    /// The violated constraints, by their places.
    pub(super) fn broken(&self, values: &[Option<f64>]) -> Vec<usize> {
        self.excesses(values).enumerate().filter(|(_, excess)| *excess > 0.0).map(|(limit, _)| limit).collect()
    }

    /// Whether every constraint is met.
    pub(super) fn are_kept(&self, values: &[Option<f64>]) -> bool {
        self.excesses(values).all(|excess| excess <= 0.0)
    }

    /// The sum of all violations.
    pub(super) fn excess(&self, values: &[Option<f64>]) -> f64 {
        self.excesses(values).sum()
    }

    /// The figure of a constraint.
    pub(super) fn of_limit(&self, limit: usize) -> usize {
        self.limits[limit]
    }

    /// The figures of the objectives.
    pub(super) fn of_goals(&self) -> &[usize] {
        &self.goals
    }

    /// Whether a candidate has a value of every objective.
    pub(super) fn has_goals(&self, found: &Found) -> bool {
        self.goals.iter().all(|place| found.values[*place].is_some())
    }

    /// The objectives as costs to minimise; any value is better than none.
    pub(super) fn costs(&self, values: &[Option<f64>]) -> Vec<f64> {
        let cost = |(goal, place): (&Goal, &usize)| match values[*place] {
            Some(value) if goal.is_least => value,
            Some(value) => -value,
            None => f64::INFINITY,
        };
        self.search.goals.iter().zip(&self.goals).map(cost).collect()
    }
}
