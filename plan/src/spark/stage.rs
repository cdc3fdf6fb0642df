//! The tasks of a stage, each partition counted once.

use std::collections::{BTreeMap, BTreeSet};

use super::raw::RawStage;
use super::tasks::{Stage, TaskEnd, TaskMetrics};

/// What is known of a stage while its tasks end.
#[derive(Default)]
pub(super) struct Tally {
    /// What its tasks did.
    pub(super) raw: RawStage,
    /// The SQL execution that it works for.
    pub(super) execution: Option<u64>,
    /// Partitions, if its first attempt is in the log.
    partitions: Option<u64>,
    attempts: BTreeSet<u64>,
    counted: Marks,
}

impl Tally {
    /// An attempt was submitted.
    pub(super) fn submit(&mut self, stage: &Stage) {
        self.attempts.insert(stage.attempt);
        if stage.attempt == 0 {
            // Later attempts only have the tasks that are still missing.
            self.partitions = Some(stage.tasks);
        }
    }

    /// Adds a task that ended; `false` if it does not count.
    ///
    /// The first task that succeeds for a partition counts. Before Spark 3.3 the log does not name the partition: then
    /// it is the first one at its place in its attempt, as long as the stage has partitions that are not counted.
    pub(super) fn count(&mut self, task: &TaskEnd) -> bool {
        self.attempts.insert(task.attempt);
        let start = task.metrics.as_ref().map_or(0.0, |metrics| metrics.start_cpu_ns / 1e9);
        if start > 0.0 {
            self.raw.start_cpu_seconds += start;
            self.raw.tasks_with_start += 1;
        }
        let counts = task.succeeded() && self.count_succeeded(task);
        if !counts {
            self.raw.lost_tasks += 1;
            if let Some(metrics) = &task.metrics {
                self.raw.lost_cpu_seconds += (metrics.cpu_ns / 1e9).max(0.0);
                self.raw.lost_run_seconds += (metrics.run / 1e3).max(0.0);
                self.raw.lost_bytes_read += metrics.input_bytes.max(0.0);
            }
        }
        counts
    }

    /// Adds a task that succeeded; `false` if its partition is counted already.
    fn count_succeeded(&mut self, task: &TaskEnd) -> bool {
        let is_new = match task.info.partition() {
            Some(partition) => self.counted.mark(0, partition),
            None if self.partitions.is_some_and(|partitions| self.raw.tasks >= partitions) => false,
            None => self.counted.mark(task.attempt, task.info.index),
        };
        if is_new {
            self.raw.tasks += 1;
            if let Some((start, end)) = task.info.launched.zip(task.info.finished).filter(|(start, end)| start <= end) {
                let (first, last) = self.raw.span_ms.unwrap_or((start, end));
                self.raw.span_ms = Some((first.min(start), last.max(end)));
            }
            if let Some(metrics) = &task.metrics {
                self.add(metrics);
            }
        }
        is_new
    }

    fn add(&mut self, metrics: &TaskMetrics) {
        let raw = &mut self.raw;
        for (total, amount) in [
            (&mut raw.run_seconds, metrics.run / 1e3),
            (&mut raw.cpu_seconds, metrics.cpu_ns / 1e9),
            (&mut raw.gc_seconds, metrics.gc / 1e3),
            (&mut raw.bytes_read, metrics.input_bytes),
            (&mut raw.fetch_wait_seconds, metrics.fetch_wait / 1e3),
            (&mut raw.spilled_bytes, metrics.spilled_bytes),
        ] {
            // Clocks that step back give negative times.
            *total += amount.max(0.0);
        }
        raw.longest_seconds = raw.longest_seconds.max(metrics.run / 1e3);
    }

    /// How many attempts and groups of counted tasks are held.
    pub(super) fn held(&self) -> usize {
        self.attempts.len() + self.counted.0.len()
    }

    /// Whether any of it ran: stages whose results are still there are skipped.
    pub(super) fn ran(&self) -> bool {
        !self.attempts.is_empty()
    }

    /// What its tasks did.
    pub(super) fn into_raw(self, id: u64) -> RawStage {
        RawStage { id, attempts: self.attempts.len() as u64, ..self.raw }
    }
}

/// A set of places of tasks, a bit for each.
#[derive(Default)]
struct Marks(BTreeMap<(u64, u64), u64>);

impl Marks {
    /// Adds a place; `false` if it is there already.
    fn mark(&mut self, attempt: u64, place: u64) -> bool {
        let word = self.0.entry((attempt, place / 64)).or_default();
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
