//! The log of a replay: tasks on nodes over time, and queues.

use super::super::score::Place;

/// An interval in which a task, or a piece of one, ran on a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TaskRun {
    /// Number of the task in the order of arrival.
    pub task: u64,
    /// Index of its request.
    pub request: usize,
    /// Whether it is latency-sensitive.
    pub is_sensitive: bool,
    /// Arrival, seconds.
    pub arrived: f64,
    /// Start on this node, seconds.
    pub from: f64,
    /// End on this node, seconds.
    pub until: f64,
    /// Node and GPUs.
    pub place: Place,
    /// Whether it ended here; else it was preempted.
    pub is_end: bool,
}

/// A change of the share that a running task has of its only GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareChange {
    /// Index of the run in the log.
    pub task_run: usize,
    /// Time, seconds.
    pub at: f64,
    /// The share from then on, in units of which [`WHOLE`](super::super::WHOLE) are one GPU.
    pub share: u16,
}

/// Waiting tasks from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queued {
    /// Time, seconds.
    pub at: f64,
    /// Latency-sensitive tasks, then all others.
    pub waiting: [u32; 2],
}

/// Tasks on nodes over time, and waiting tasks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// In the order of their ends.
    pub task_runs: Vec<TaskRun>,
    /// In the order of the runs, those of a run in the order of time.
    pub changes: Vec<ShareChange>,
    /// In the order of time.
    pub queues: Vec<Queued>,
    /// Whether the log was truncated.
    pub is_truncated: bool,
}

impl Log {
    /// Changes of the share of a run, in the order of time.
    #[must_use]
    pub fn changes_of(&self, task_run: usize) -> &[ShareChange] {
        let first = self.changes.partition_point(|change| change.task_run < task_run);
        let end = self.changes.partition_point(|change| change.task_run <= task_run);
        &self.changes[first..end]
    }
}
