//! Somebody who waits for a computation: how far it is, and whether it is still wanted.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How somebody who waits for a computation follows it and calls it off.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked before every run of many, and every few thousand steps of one; true: nothing further begins.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Counts what is done: periods or operators of an evaluation, points of a sweep, runs of a search
    /// or a map.
    pub done: &'a AtomicUsize,
}

impl Watch<'_> {
    /// Whether the result is not wanted any more.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        (self.is_cancelled)()
    }

    /// Counts units that are done.
    pub fn count(&self, units: usize) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Counts one more unit that is done; nothing if it was called off.
    #[must_use]
    pub fn step(&self) -> Option<()> {
        self.count(1);
        (!self.is_cancelled()).then_some(())
    }

    /// Lets somebody compute for whom nobody waits: it is never called off.
    pub fn nobody<T>(compute: impl FnOnce(Watch<'_>) -> T) -> T {
        compute(Watch { is_cancelled: &|| false, done: &AtomicUsize::new(0) })
    }
}
