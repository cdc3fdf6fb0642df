//! The measured run of a plan: stages with their tasks, and the parts of their time.

use serde::{Deserialize, Serialize};

/// A stage of a measured run: tasks that ran side by side. Times are seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StageRun {
    /// Its id in the engine.
    pub id: u64,
    /// From the start of the query to its first task.
    pub start: f64,
    /// From the start of the query to the end of its last task.
    pub end: f64,
    /// Tasks whose results count.
    pub tasks: f64,
    /// Task slots: cores of the cluster; 0 if not known.
    pub slots: f64,
    /// Time of all tasks, added up.
    pub run: f64,
    /// CPU time of all tasks.
    pub cpu: f64,
    /// GC time of all tasks.
    pub gc: f64,
    /// Fetch wait time of all tasks.
    pub fetch: f64,
    /// The longest task.
    pub longest: f64,
    /// Bytes spilled to disk.
    pub spilled: f64,
}

/// Parts of the wall-clock time of one stage, or of several, seconds; their sum is that time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StageTime {
    /// CPU time ÷ task slots.
    pub work: f64,
    /// GC time.
    pub gc: f64,
    /// Shuffle wait.
    pub fetch: f64,
    /// Other wait: storage, disks, the GPU.
    pub other: f64,
    /// Idle task slots: tasks of different lengths, too few tasks, or other stages.
    pub idle: f64,
}

impl StageRun {
    /// Wall-clock duration.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        (self.end - self.start).max(0.0)
    }

    /// The parts of its time. The number of slots is at least the number of tasks that ran at the same time.
    #[must_use]
    pub fn time_parts(&self) -> StageTime {
        let seconds = self.seconds();
        if seconds <= 0.0 || self.run <= 0.0 {
            return StageTime { idle: seconds, ..StageTime::default() };
        }
        let slots = self.task_slots().max(self.run / seconds);
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

    /// Its task slots; as many as it has tasks if they are not known.
    fn task_slots(&self) -> f64 {
        if self.slots > 0.0 { self.slots } else { self.tasks.max(1.0) }
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

/// Wall-clock time in which at least one of these stages ran, seconds.
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

/// The parts of the time in which at least one of these stages ran. Each moment counts once: a slot is not idle while a task of another
/// stage runs in it.
#[must_use]
pub fn time_parts(stages: &[StageRun]) -> StageTime {
    let sum = |of: fn(&StageRun) -> f64| stages.iter().map(of).sum::<f64>();
    let together = StageRun {
        end: covered(stages),
        slots: stages.iter().map(StageRun::task_slots).fold(0.0, f64::max),
        run: sum(|stage| stage.run),
        cpu: sum(|stage| stage.cpu),
        gc: sum(|stage| stage.gc),
        fetch: sum(|stage| stage.fetch),
        ..StageRun::default()
    };
    together.time_parts()
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
        // More tasks at the same time than slots: no slot was idle.
        let spent = StageRun { slots: 1.0, ..stage }.time_parts();
        assert!((spent.work + spent.gc + spent.fetch + spent.other - 10.0).abs() < 1e-12 && spent.idle == 0.0);
        // Counters beyond the time of the tasks.
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

    /// Two stages of ten seconds on four slots, five of them at the same time: 60 slot-seconds in 15 s, of which tasks ran 24. Each stage
    /// alone has 28 idle ones of 40: 70 %, but together 36 of 60 are idle: 60 %.
    #[test]
    fn the_parts_of_stages_side_by_side_count_each_moment_once() {
        let first = StageRun { end: 10.0, tasks: 8.0, slots: 4.0, run: 12.0, cpu: 8.0, gc: 4.0, ..StageRun::default() };
        let second = StageRun { start: 5.0, end: 15.0, ..first };
        let expected = StageTime { work: 4.0, gc: 2.0, idle: 9.0, ..StageTime::default() };
        assert_eq!(time_parts(&[first, second]), expected);
        assert_eq!(time_parts(&[first]), first.time_parts());
        assert_eq!(time_parts(&[]), StageTime::default());
    }
}
