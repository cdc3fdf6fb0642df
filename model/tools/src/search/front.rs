//! The Pareto front: the candidates that no other dominates.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::space::{Evaluated, Space};
use super::{Found, founds};

/// How many candidates are feasible, and those of them with a value of every objective, ordered by the first objective, then by
/// the next; equals in their order.
pub(super) fn best_first(space: &Space<'_>, evaluated: &Evaluated) -> (usize, Vec<Found>) {
    let feasible: Vec<Found> = founds(space, evaluated).filter(|found| found.violated.is_empty()).collect();
    let count = feasible.len();
    let mut answers: Vec<Found> = feasible.into_iter().filter(|found| space.aims.has_objectives(found)).collect();
    answers.sort_by_cached_key(|found| space.aims.costs(&found.values).into_iter().map(Ascending).collect::<Vec<_>>());
    (count, answers)
}

/// The Pareto front of candidates that are ordered best first: none is dominated by a later one.
pub(super) fn front(space: &Space<'_>, answers: &[Found]) -> Vec<Found> {
    let mut non_dominated = NonDominated::default();
    answers.iter().filter(|found| non_dominated.add(&space.aims.costs(&found.values))).cloned().collect()
}

/// The non-dominated costs of up to three objectives, added in order: the second with the third, which falls as the second
/// grows.
#[derive(Default)]
struct NonDominated(BTreeMap<Ascending, f64>);

impl NonDominated {
    /// Adds costs; whether no earlier ones dominate them.
    fn add(&mut self, costs: &[f64]) -> bool {
        // Earlier ones are as good in the first objective. Both zeros are one.
        let [second, third] = [1, 2].map(|objective| costs.get(objective).map_or(0.0, |cost| cost + 0.0));
        let before = self.0.range(..=Ascending(second)).next_back();
        if before.is_some_and(|(_, least)| *least <= third) {
            return false;
        }
        let dominated = self.0.range(Ascending(second)..).take_while(|(_, least)| **least >= third);
        let dominated: Vec<Ascending> = dominated.map(|(place, _)| *place).collect();
        for place in dominated {
            self.0.remove(&place);
        }
        self.0.insert(Ascending(second), third);
        true
    }
}

/// A number by its size.
#[derive(Clone, Copy)]
struct Ascending(f64);

impl Ord for Ascending {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ascending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ascending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ascending {}
