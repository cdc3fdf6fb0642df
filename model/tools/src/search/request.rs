//! What is searched: free parameters, lists to choose from, constraints and objectives.

use crossover_quantity::provenance::Provenance;
use crossover_study::{Better, FigureValue};
use serde::{Deserialize, Serialize};

use super::{MOST_BUDGET, MOST_OBJECTIVES, SearchError};
use crate::range::Range;
use crate::selected::EVERY;

/// A search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Free parameters with their ranges.
    pub free: Vec<Range>,
    /// Lists of which one entry each is chosen.
    pub choices: Vec<Choice>,
    /// Totals that strong scaling divides among free numbers.
    pub shared: Vec<Shared>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// The objectives; the first decides the recommended candidate.
    pub objectives: Vec<Objective>,
    /// The same seed evaluates the same candidates, where not all are evaluated.
    pub seed: u64,
    /// Most candidates that are evaluated.
    pub budget: usize,
}

/// Strong scaling: numbers that are parts of a constant total, such as the input of each machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// The number that divides the total, by its path.
    pub by: String,
    /// The parts, by their paths.
    pub paths: Vec<String>,
}

/// A list of which one entry is chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The kind of its entries, such as "gpu".
    pub name: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The numbers that it sets in the study.
    pub numbers: Vec<Setting>,
}

/// A number that an entry sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Its path.
    pub path: String,
    /// Its value.
    pub value: f64,
    /// Where that comes from.
    pub source: Provenance,
}

/// A constraint on a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// The key of the figure.
    pub key: String,
    /// On which side of the value it must be.
    pub side: Bound,
    /// The value, in the unit of the figure.
    pub value: f64,
}

/// The side of a constraint; the value itself is feasible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Not above.
    AtMost,
    /// Not below.
    AtLeast,
}

/// An objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objective {
    /// The key of the figure.
    pub key: String,
    /// Whether it is minimised; else it is maximised.
    pub is_minimised: bool,
}

impl Objective {
    /// The better direction of a figure, if it has one.
    #[must_use]
    pub fn usual(figure: &FigureValue) -> Option<Self> {
        let is_minimised = match figure.figure.better {
            Better::Lower => true,
            Better::Higher => false,
            Better::Neither => return None,
        };
        Some(Self { key: figure.key(), is_minimised })
    }
}

impl Constraint {
    /// By which share of itself a value violates it; 0 if it is met, infinite without a value.
    pub(super) fn violation(&self, value: Option<f64>) -> f64 {
        let Some(value) = value else { return f64::INFINITY };
        let over = match self.side {
            Bound::AtMost => value - self.value,
            Bound::AtLeast => self.value - value,
        };
        // A constraint of 0 has no shares: the violation counts in units.
        let scale = if self.value == 0.0 { 1.0 } else { self.value.abs() };
        if over <= 0.0 { 0.0 } else { over / scale }
    }
}

/// Whether a search can be made, as far as it does not depend on the study.
pub(super) fn check(search: &Search) -> Result<(), SearchError> {
    if search.objectives.is_empty() {
        return Err(SearchError::NoObjective);
    }
    let mut keys = search
        .objectives
        .iter()
        .map(|objective| &objective.key)
        .chain(search.constraints.iter().map(|constraint| &constraint.key));
    if keys.any(|key| key == EVERY) {
        return Err(SearchError::Every);
    }
    if search.objectives.len() > MOST_OBJECTIVES {
        return Err(SearchError::Objectives(search.objectives.len()));
    }
    let is_twice = |(place, objective): (usize, &Objective)| {
        search.objectives[..place].iter().any(|other| other.key == objective.key)
    };
    if let Some((_, objective)) =
        search.objectives.iter().enumerate().find(|place_and_objective| is_twice(*place_and_objective))
    {
        return Err(SearchError::ObjectiveTwice(objective.key.clone()));
    }
    if !(1..=MOST_BUDGET).contains(&search.budget) {
        return Err(SearchError::Budget { requested: search.budget });
    }
    if let Some(constraint) = search.constraints.iter().find(|constraint| !constraint.value.is_finite()) {
        return Err(SearchError::Constraint { key: constraint.key.clone() });
    }
    let of_side = |side: Bound| search.constraints.iter().filter(move |constraint| constraint.side == side);
    for least in of_side(Bound::AtLeast) {
        if let Some(most) = of_side(Bound::AtMost).find(|most| most.key == least.key && most.value < least.value) {
            return Err(SearchError::Contrary { key: least.key.clone(), of: [least.value, most.value] });
        }
    }
    Ok(())
}
