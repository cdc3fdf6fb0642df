//! Progress and cancellation of a computation.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Progress counter and cancellation check of a computation.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Checked before every run of many, and every few thousand steps of one; true: the computation stops.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Counts finished units: periods or operators of an evaluation, points of a sweep, runs of a search
    /// or a map.
    pub done: &'a AtomicUsize,
}

impl Watch<'_> {
    /// Whether the computation was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        (self.is_cancelled)()
    }

    /// Counts finished units.
    pub fn count(&self, units: usize) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Counts one finished unit; `None` if it was cancelled.
    #[must_use]
    pub fn step(&self) -> Option<()> {
        self.count(1);
        (!self.is_cancelled()).then_some(())
    }

    /// Runs a computation without progress that is never cancelled.
    pub fn uncancellable<T>(compute: impl FnOnce(Watch<'_>) -> T) -> T {
        compute(Watch { is_cancelled: &|| false, done: &AtomicUsize::new(0) })
    }
}
