//! Who ran where and when.

use super::super::score::Place;

/// A time that a task, or a piece of one, ran on a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stay {
    /// Counts tasks as they came.
    pub task: u64,
    /// What it asks for, by its place in the workload.
    pub request: usize,
    /// Whether somebody waits for its answers.
    pub is_sensitive: bool,
    /// When it came, seconds.
    pub came: f64,
    /// When it began here, seconds.
    pub from: f64,
    /// When it left, seconds.
    pub until: f64,
    /// Where it ran.
    pub place: Place,
    /// Whether it ended here, or had to stop.
    pub is_end: bool,
}

/// How many tasks waited since some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queued {
    /// Seconds.
    pub at: f64,
    /// Tasks for whose answers somebody waits, then all others.
    pub waiting: [u32; 2],
}

/// Who ran where and when, and how many waited.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// In the order in which they ended.
    pub stays: Vec<Stay>,
    /// In the order of time.
    pub queues: Vec<Queued>,
    /// Whether there were more than are kept.
    pub is_cut: bool,
}
