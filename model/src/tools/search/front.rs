//! The candidates that no other beats: none is as good by every goal.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::space::{Space, Tried, ascending};
use super::{Found, founds};

/// How many keep every limit, and those of them that none beats: best by the first goal first; of equals the first. What has no value
/// of a goal is no answer.
pub(super) fn front(space: &Space<'_>, tried: &Tried) -> (usize, Vec<Found>) {
    let kept: Vec<Found> = founds(space, tried).filter(|found| found.broken.is_empty()).collect();
    let of_kept = kept.len();
    let answers = kept.into_iter().filter(|found| space.has_goals(found));
    let mut answers: Vec<(Vec<f64>, Found)> = answers.map(|found| (space.costs(&found.values), found)).collect();
    // None is beaten by one behind it.
    answers.sort_by(|(a, _), (b, _)| ascending(a, b));
    let mut unbeaten = Unbeaten::default();
    answers.retain(|(costs, _)| unbeaten.add(costs));
    (of_kept, answers.into_iter().map(|(_, found)| found).collect())
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
