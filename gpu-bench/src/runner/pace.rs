//! The clock of the GPU around a measurement: idle GPUs lower it, and some drivers raise it slowly.

use std::time::{Duration, Instant};

use crate::benchmarks::bench::Bench;

/// From this share of the fastest clock of the run on, differences are noise of a shared machine.
const AWAKE: f64 = 0.95;

/// A clock below this share of the fastest gives a warning.
const SLOW: f64 = 0.9;

/// Longest time for which the GPU is kept busy before a measurement.
const LONGEST: Duration = Duration::from_secs(2);

/// Keeps the GPU busy until its clock is as high as at its fastest, for two seconds at most.
pub(super) fn wake(bench: &Bench<'_>) {
    let start = Instant::now();
    while start.elapsed() < LONGEST
        && !bench.is_over()
        && !bench.cancel.is_requested()
        && pace(bench).is_some_and(|pace| pace < AWAKE)
    {}
}

/// The warning for a measurement that has just ended with a low clock.
pub(super) fn warning(bench: &Bench<'_>) -> Option<String> {
    pace(bench)
        .filter(|pace| *pace < SLOW)
        .map(|pace| format!("low clock: the GPU ran at {:.0} % of its fastest clock of this run", 100.0 * pace))
}

/// A software adapter has no clock of its own. A failure is reported by the measurement itself.
fn pace(bench: &Bench<'_>) -> Option<f64> {
    bench.gpu.filter(|gpu| !gpu.description.software)?.pace().ok()
}
