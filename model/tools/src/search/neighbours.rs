//! Why neighbours of the recommended candidate are not recommended.

use super::Found;
use super::space::{Evaluated, Space};
use crossover_quantity::invalid::Invalid;

/// A candidate that differs from the recommended one in one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The axis.
    pub axis: usize,
    /// Its value or entry there, by its place.
    pub place: usize,
    /// The figures there, in the order of [`Searched::figures`](super::Searched::figures); `None` where it is invalid.
    pub values: Option<Vec<Option<f64>>>,
    /// Why it is not recommended.
    pub why: Why,
}

/// Why a candidate is not recommended.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// It is invalid.
    NotAllowed(Invalid),
    /// It violates a constraint.
    Violates {
        /// The first violated constraint.
        constraint: usize,
        /// The figure of the constraint, there.
        value: Option<f64>,
    },
    /// It is worse in an objective.
    Worse {
        /// The first objective that differs.
        objective: usize,
        /// The figure of the objective, there.
        value: Option<f64>,
    },
    /// It is equal in every objective.
    Same,
}

/// The neighbours of a candidate, all of which were evaluated.
pub(super) fn of(space: &Space<'_>, best: &Found, evaluated: &Evaluated) -> Vec<Neighbour> {
    let neighbour = |(axis, other): (usize, usize)| {
        let mut place = best.place.clone();
        place[axis] = other;
        let (values, why) = match evaluated.get(&place)? {
            Err(invalid) => (None, Why::NotAllowed(invalid.clone())),
            Ok(values) => {
                let found = space.found(place, values);
                let why = reason(space, best, &found);
                (Some(found.values), why)
            }
        };
        Some(Neighbour { axis, place: other, values, why })
    };
    space.neighbours(&best.place).into_iter().filter_map(neighbour).collect()
}

fn reason(space: &Space<'_>, best: &Found, found: &Found) -> Why {
    let values = &found.values;
    if let Some(constraint) = found.violated.first() {
        return Why::Violates { constraint: *constraint, value: values[space.aims.of_constraint(*constraint)] };
    }
    let (of_best, of_other) = (space.aims.costs(&best.values), space.aims.costs(values));
    match of_best.iter().zip(&of_other).position(|(best, other)| best.total_cmp(other).is_ne()) {
        Some(objective) => Why::Worse { objective, value: values[space.aims.of_objectives()[objective]] },
        None => Why::Same,
    }
}
