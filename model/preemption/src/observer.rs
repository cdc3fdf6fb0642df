//! Somebody who looks on while a stream runs.

use super::decision::Decision;

/// Somebody who looks on.
pub trait Observer {
    /// Whether anybody does; else nothing is prepared for it.
    const LOOKS: bool;
    /// A launch held a place of the GPU.
    fn stayed(&mut self, _: Stay) {}
    /// A preemption was weighed.
    fn decided(&mut self, _: Decision) {}
    /// So many wait from now on.
    fn waits(&mut self, _at: f64, _count: usize) {}
}

impl Observer for () {
    const LOOKS: bool = false;
}

/// A launch on a place of the GPU for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stay {
    /// The launch, by its place in the stream.
    pub launch: u32,
    /// Its kernel, by its place in the study.
    pub kernel: u32,
    /// Which of the places of the GPU, from 0.
    pub place: u8,
    /// From this cycle.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// What it did there.
    pub what: What,
}

/// What a launch does on its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// It ran, and was done.
    Done,
    /// It ran, and left before it was done.
    Preempted,
    /// Its context was saved, or loaded again.
    Switching,
}
