//! How many evaluations of a study fit in a waiting time, and whether the samples of another round do.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use crossover_scenario::Study;
use crossover_study::{Watch, answer};

/// What takes longer is timed again: the first time may have been disturbed.
const AGAIN_SECONDS: f64 = 1e-3;
/// How often at most.
const TIMES: usize = 3;

/// Samples of the next round: twice those before, from the first to all, if the new ones fit in the time that is left. `seconds`: time of
/// one sample.
pub(super) fn next_samples(before: usize, [first, all]: [usize; 2], seconds: f64, left_seconds: f64) -> Option<usize> {
    let next = (2 * before).clamp(first, all);
    (before < all && (next - before) as f64 * seconds <= left_seconds).then_some(next)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_double_while_they_fit_in_the_time_that_is_left() {
        // 64 and then 64 more samples of 0.05 s take 3.2 s each, and 128 more would take 6.4 s.
        assert_eq!(next_samples(0, [64, 1_024], 0.05, 10.0), Some(64));
        assert_eq!(next_samples(64, [64, 1_024], 0.05, 10.0 - 3.2), Some(128));
        assert_eq!(next_samples(128, [64, 1_024], 0.05, 10.0 - 6.4), None);
        assert_eq!(next_samples(768, [64, 1_024], 0.0, 1.0), Some(1_024));
        assert_eq!(next_samples(1_024, [64, 1_024], 0.0, 1.0), None);
    }
}
