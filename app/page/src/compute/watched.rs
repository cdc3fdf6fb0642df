//! Progress and cancellation of computations of the model.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crossover_study::Watch;

use crate::compute::background::Ticket;

/// Runs a computation with a [`Watch`]; `total` is the approximate number of runs or periods.
pub fn watched<T>(ticket: &Ticket, total: usize, compute: impl FnOnce(Watch<'_>) -> T) -> T {
    let done = AtomicUsize::new(0);
    let is_cancelled = || {
        ticket.set_progress(done.load(Relaxed) as f32 / total.max(1) as f32);
        ticket.is_cancelled()
    };
    compute(Watch { is_cancelled: &is_cancelled, done: &done })
}
