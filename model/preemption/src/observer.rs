//! Observers of a simulated stream.

use super::decision::Decision;

/// Receives the events of a simulated stream.
pub trait Observer {
    /// Whether events are recorded; else they are not prepared.
    const RECORDS: bool;
    /// A launch occupied a slot of the GPU.
    fn occupied(&mut self, _: SlotInterval) {}
    /// A preemption was weighed.
    fn decided(&mut self, _: Decision) {}
    /// The length of the queue changed.
    fn waits(&mut self, _at: f64, _count: usize) {}
}

impl Observer for () {
    const RECORDS: bool = false;
}

/// A launch in a slot of the GPU for a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlotInterval {
    /// The launch, by its place in the stream.
    pub launch: u32,
    /// Its kernel, by its place in the study.
    pub kernel: u32,
    /// Slot of the GPU, from 0.
    pub slot: u8,
    /// Start, cycles.
    pub from: f64,
    /// End, cycles.
    pub to: f64,
    /// What happened in this time.
    pub state: SlotState,
}

/// What a launch does in its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    /// It ran to its end.
    Done,
    /// It ran, and was preempted.
    Preempted,
    /// Its context was saved or loaded, or displaced blocks were saved for it.
    ContextSwitch,
}
