//! How somebody who waits for a computation follows it and calls it off.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// How somebody who waits for a computation follows it and calls it off.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked before every part of many, and every few thousand steps of one; true: nothing further begins.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Counts what is done: runs of a search or a map; periods of a [simulation] or an [experiment]; operators of a
    /// [placement].
    ///
    /// [simulation]: crate::regulation::outcome::evaluate_watched
    /// [experiment]: crate::regulation::tuning::relay::experiment_watched
    /// [placement]: crate::placement::outcome::evaluate_watched
    pub done: &'a AtomicUsize,
}

impl Watch<'_> {
    /// Counts one more part that is done; nothing if it was called off.
    #[must_use]
    pub fn step(&self) -> Option<()> {
        self.done.fetch_add(1, Relaxed);
        (!(self.is_cancelled)()).then_some(())
    }
}
