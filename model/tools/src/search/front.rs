//! The candidates that no other beats: none is as good by every goal.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::space::{Space, Tried};
use super::{Found, founds};

/// How many keep every limit, and those of them that have a value of every goal: the best by the first goal first, then by the
/// next; of equals the first.
pub(super) fn best_first(space: &Space<'_>, tried: &Tried) -> (usize, Vec<Found>) {
    let kept: Vec<Found> = founds(space, tried).filter(|found| found.broken.is_empty()).collect();
    let of_kept = kept.len();
    let mut answers: Vec<Found> = kept.into_iter().filter(|found| space.aims.has_goals(found)).collect();
    answers.sort_by_cached_key(|found| space.aims.costs(&found.values).into_iter().map(Ascending).collect::<Vec<_>>());
    (of_kept, answers)
}

/// Those that none beats, of candidates that come best first; none is beaten by one behind it.
pub(super) fn front(space: &Space<'_>, answers: &[Found]) -> Vec<Found> {
    let mut unbeaten = Unbeaten::default();
    answers.iter().filter(|found| unbeaten.add(&space.aims.costs(&found.values))).cloned().collect()
}

/// Costs of up to three goals that come in their order, of which none is as good as another by every goal: the second goal with
/// the third, which falls as the second grows.
#[derive(Default)]
struct Unbeaten(BTreeMap<Ascending, f64>);

impl Unbeaten {
    /// Whether nothing that came before is as good.
    fn add(&mut self, costs: &[f64]) -> bool {
        // What came before is as good by the first goal. Both zeros are one.
        let [second, third] = [1, 2].map(|goal| costs.get(goal).map_or(0.0, |cost| cost + 0.0));
        let before = self.0.range(..=Ascending(second)).next_back();
        if before.is_some_and(|(_, least)| *least <= third) {
            return false;
        }
        let beaten = self.0.range(Ascending(second)..).take_while(|(_, least)| **least >= third);
        let beaten: Vec<Ascending> = beaten.map(|(place, _)| *place).collect();
        for place in beaten {
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
