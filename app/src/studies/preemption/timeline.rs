//! Who was on the GPU when: what is drawn of a log, prepared once for each outcome.

use crossover_model::preemption::{Log, Preemption, Stay};

/// Launches that are in view at first.
const FIRST: usize = 40;

/// The places of a GPU over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Timeline {
    /// Stays on each place, by their place in the log, in the order in which they began. They do not overlap.
    pub(super) rows: Vec<Vec<usize>>,
    /// When the last launch was done, cycles.
    pub(super) end: f64,
    /// When the first launches were done, cycles: what is in view at first.
    pub(super) first: f64,
}

impl Timeline {
    /// What a log tells of the places.
    pub(super) fn new(study: &Preemption, log: &Log) -> Self {
        let places = log.stays.iter().map(|stay| usize::from(stay.place) + 1).max().unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number, 1 to 8")]
        let limit = study.rule.limit as usize;
        let mut rows = vec![Vec::new(); places.max(limit)];
        for (index, stay) in log.stays.iter().enumerate() {
            rows[usize::from(stay.place)].push(index);
        }
        let end = log.stays.iter().map(|stay| stay.to).fold(0.0, f64::max);
        let first = log.done.iter().take(FIRST).copied().fold(0.0, f64::max);
        Self { rows, end, first: if log.done.len() > FIRST { first.min(end) } else { end } }
    }
}

/// Those of a row that are there between two cycles; stays of a row follow each other.
pub(super) fn between<'a>(
    row: &'a [usize],
    stays: &'a [Stay],
    [from, until]: [f64; 2],
) -> impl Iterator<Item = &'a Stay> {
    let first = row.partition_point(|index| stays[*index].to < from);
    let last = row.partition_point(|index| stays[*index].from <= until);
    row[first.min(last)..last].iter().map(|index| &stays[*index])
}
