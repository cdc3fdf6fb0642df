//! The run of a plan as its engine measured it: stages with their tasks, and where their time went.

use serde::{Deserialize, Serialize};

/// A stage of a measured run: tasks that ran side by side. Times are seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StageRun {
    /// What the engine calls it.
    pub id: u64,
    /// From the start of the query to its first task.
    pub start: f64,
    /// From the start of the query to the end of its last task.
    pub end: f64,
    /// Tasks whose results count.
    pub tasks: f64,
    /// Tasks that could run side by side: cores of the cluster; 0 if nobody knows.
    pub slots: f64,
    /// Time of all tasks, added up.
    pub run: f64,
    /// Part of it that cores worked.
    pub cpu: f64,
    /// Part of it in which memory was cleared (garbage collection).
    pub gc: f64,
    /// Part of it in which tasks waited for shuffled data.
    pub fetch: f64,
    /// The longest task.
    pub longest: f64,
    /// Bytes that did not fit into memory and went to disks.
    pub spilled: f64,
}

/// Where the time of a stage went, seconds on the clock; together its duration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StageTime {
    /// Cores worked, had all slots been busy.
    pub work: f64,
    /// Memory was cleared.
    pub gc: f64,
    /// Tasks waited for shuffled data.
    pub fetch: f64,
    /// Tasks waited for something else: storage, disks, the GPU.
    pub other: f64,
    /// Slots had no task of this stage: some of its tasks took longer than others, there were too few, or another stage ran.
    pub idle: f64,
}

impl StageRun {
    /// Duration on the clock.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end - self.start).max(0.0)
    }

    /// Where it went. Tasks ran side by side in as many slots as there are, and no fewer than were seen to be busy.
    #[must_use]
    pub fn time_parts(&self) -> StageTime {
        let seconds = self.seconds();
        if seconds <= 0.0 || self.run <= 0.0 {
            return StageTime { idle: seconds, ..StageTime::default() };
        }
        let slots = if self.slots > 0.0 { self.slots } else { self.tasks.max(1.0) };
        let slots = slots.max(self.run / seconds);
        let busy = self.run / slots;
        // Counters overlap a little: no part is more than what is left.
        let mut left = busy;
        let mut part = |seconds: f64| {
            let part = (seconds / slots).clamp(0.0, left);
            left -= part;
            part
        };
        let (gc, fetch) = (part(self.gc), part(self.fetch));
        let work = part(self.cpu);
        StageTime { work, gc, fetch, other: left, idle: (seconds - busy).max(0.0) }
    }

    /// The longest task ÷ the mean; 1 without tasks.
    #[must_use]
    pub fn skew(&self) -> f64 {
        let mean = self.run / self.tasks.max(1.0);
        if mean > 0.0 { (self.longest / mean).max(1.0) } else { 1.0 }
    }

    /// Its numbers with their names, as they are checked.
    pub(super) fn numbers(&self) -> [(&'static str, f64); 10] {
        let Self { id: _, start, end, tasks, slots, run, cpu, gc, fetch, longest, spilled } = *self;
        [
            ("start", start),
            ("end", end),
            ("tasks", tasks),
            ("slots", slots),
            ("run", run),
            ("cpu", cpu),
            ("gc", gc),
            ("fetch", fetch),
            ("longest", longest),
            ("spilled", spilled),
        ]
    }
}

/// Time in which at least one of some stages ran, seconds on the clock.
#[must_use]
pub fn covered(stages: &[StageRun]) -> f64 {
    let mut spans: Vec<(f64, f64)> = stages.iter().map(|stage| (stage.start, stage.end)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, 0.0_f64);
    for (start, end) in spans {
        sum += (end - start.max(until)).max(0.0);
        until = until.max(end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_stage_are_its_duration() {
        // Ten seconds on four slots: 40 slot-seconds, of which tasks ran 24 and cores worked 12.
        let stage = StageRun {
            start: 5.0,
            end: 15.0,
            tasks: 8.0,
            slots: 4.0,
            run: 24.0,
            cpu: 12.0,
            gc: 2.0,
            fetch: 4.0,
            longest: 9.0,
            ..StageRun::default()
        };
        let expected = StageTime { work: 3.0, gc: 0.5, fetch: 1.0, other: 1.5, idle: 4.0 };
        assert_eq!(stage.time_parts(), expected);
        assert_eq!(stage.skew(), 3.0);
        // More tasks side by side than anybody knew of: no slot was idle.
        let spent = StageRun { slots: 1.0, ..stage }.time_parts();
        assert!((spent.work + spent.gc + spent.fetch + spent.other - 10.0).abs() < 1e-12 && spent.idle == 0.0);
        // Counters that say more than the time there was.
        let spent = StageRun { cpu: 100.0, ..stage }.time_parts();
        assert!((spent.work + spent.gc + spent.fetch + spent.other + spent.idle - 10.0).abs() < 1e-12);
        assert_eq!(StageRun { run: 0.0, ..stage }.time_parts(), StageTime { idle: 10.0, ..StageTime::default() });
    }

    #[test]
    fn stages_side_by_side_are_covered_once() {
        let stage = |start, end| StageRun { start, end, ..StageRun::default() };
        assert_eq!(covered(&[stage(4.0, 6.0), stage(0.0, 3.0), stage(1.0, 2.0), stage(5.0, 8.0)]), 7.0);
        assert_eq!(covered(&[]), 0.0);
    }
}
