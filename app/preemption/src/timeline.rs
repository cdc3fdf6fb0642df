//! The timeline of the GPU, prepared from a log once per outcome.

use crossover_preemption::{Log, Preemption, SlotInterval, SlotState};

/// Launches that are visible at first.
const FIRST: usize = 40;

/// The slots of a GPU over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Timeline {
    /// Intervals in each slot, by their index in the log, in order of start. They do not overlap.
    pub(super) rows: Vec<Vec<usize>>,
    /// Numbers of launches that ended, of preemptions, and of context switches.
    pub(super) counts: [usize; 3],
    /// End of the last launch, cycles.
    pub(super) end: f64,
    /// End of the first launches, cycles: visible at first.
    pub(super) first: f64,
}

impl Timeline {
    /// The timeline of a log.
    pub(super) fn new(study: &Preemption, log: &Log) -> Self {
        let slots = log.intervals.iter().map(|interval| usize::from(interval.slot) + 1).max().unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, 1 to 8")]
        let limit = study.rule.limit as usize;
        let mut rows = vec![Vec::new(); slots.max(limit)];
        for (index, interval) in log.intervals.iter().enumerate() {
            rows[usize::from(interval.slot)].push(index);
        }
        let counts = [SlotState::Done, SlotState::Preempted, SlotState::ContextSwitch]
            .map(|state| log.intervals.iter().filter(|interval| interval.state == state).count());
        let end = log.intervals.iter().map(|interval| interval.to).fold(0.0, f64::max);
        let first = log.done.iter().take(FIRST).copied().fold(0.0, f64::max);
        Self { rows, counts, end, first: if log.done.len() > FIRST { first.min(end) } else { end } }
    }
}

/// The intervals of a row between two cycles; they do not overlap.
pub(super) fn between<'a>(
    row: &'a [usize],
    intervals: &'a [SlotInterval],
    [from, until]: [f64; 2],
) -> impl Iterator<Item = &'a SlotInterval> {
    let first = row.partition_point(|index| intervals[*index].to < from);
    let last = row.partition_point(|index| intervals[*index].from <= until);
    row[first.min(last)..last].iter().map(|index| &intervals[*index])
}

/// Steps of the queue on the screen: at most two per point of width, first the maximum and then the last length. `x` is the position
/// of a cycle.
pub(super) fn steps(waiting: &[(f64, usize)], x: impl Fn(f64) -> f32) -> Vec<(f32, usize)> {
    let mut steps: Vec<(f32, usize)> = Vec::new();
    for (at, count) in waiting {
        let place = x(*at);
        let is_here = |other: f32| other.floor() == place.floor();
        match &mut steps[..] {
            [.., (first, most), (last, now)] if is_here(*first) && is_here(*last) => {
                *most = (*most).max(*now);
                (*last, *now) = (place, *count);
            }
            _ => steps.push((place, *count)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
    fn a_queue_has_two_steps_in_a_point_and_none_of_its_peaks_is_lost() {
        let few = [(0.0, 1), (10.0, 2), (20.0, 0)];
        assert_eq!(steps(&few, |at| at as f32), [(0.0, 1), (10.0, 2), (20.0, 0)]);
        // 20,000 changes in 100 points, of which one goes up to 99.
        let count = |place: usize| if place == 12_345 { 99 } else { place % 7 };
        let many: Vec<(f64, usize)> = (0..20_000).map(|place| (place as f64, count(place))).collect();
        let found = steps(&many, |at| (at / 200.0) as f32);
        assert_eq!(found.len(), 200);
        assert!(found.is_sorted_by(|a, b| a.0 <= b.0), "{found:?}");
        let most: Vec<&(f32, usize)> = found.iter().filter(|(_, count)| *count > 6).collect();
        assert_eq!(most, [&(61.0, 99)]);
        // Where a point ends it is as many as then wait.
        assert_eq!((found[1].1, found.last().map(|last| last.1)), (199 % 7, Some(19_999 % 7)));
    }
}
