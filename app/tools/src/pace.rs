//! How many evaluations of a study fit in a waiting time.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use crossover_scenario::Study;
use crossover_study::{Watch, answer};

/// What takes longer is timed again: the first time may have been disturbed.
const AGAIN_SECONDS: f64 = 1e-3;
/// How often at most.
const TIMES: usize = 3;

/// About how many evaluations of a study take so many seconds on all cores, at least one; `None` if it was cancelled.
pub(super) fn affordable(study: &Study, seconds: f64, watch: Watch<'_>) -> Option<usize> {
    let quiet = Watch { is_cancelled: watch.is_cancelled, done: &AtomicUsize::new(0) };
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let began = Instant::now();
        answer(study.subject(), quiet)?;
        least = least.min(began.elapsed().as_secs_f64().max(1e-9));
        // What takes a good part of the time is not worth another one.
        if !(AGAIN_SECONDS..0.02 * seconds).contains(&least) {
            break;
        }
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number, far below 2^53")]
    Some((seconds * cores / least).clamp(1.0, 1e12) as usize)
}
