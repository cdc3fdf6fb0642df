//! Sampling: warm up, choose a batch, repeat until the median is precise enough.

use std::time::{Duration, Instant};

use crossover_harness::Cancel;
use crossover_harness::statistics::relative_notch;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Time and precision of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Runs before the first sample, at least.
    pub warm_up_runs: u32,
    /// Time before the first sample, at least: clocks of idle processors take a while to rise.
    pub warm_up_seconds: f64,
    /// A sample repeats the work until it takes at least this long.
    pub min_sample_seconds: f64,
    /// Samples at least.
    pub min_samples: usize,
    /// Samples at most.
    pub max_samples: usize,
    /// Enough once half the interval of the median is this small, relative to the median.
    pub relative_interval: f64,
    /// Enough once the samples took this long together.
    pub budget_seconds: f64,
}

/// Longest batch: one submission stays well below what drivers take for a hang.
const MAX_SAMPLE_SECONDS: f64 = 0.3;

/// Most repetitions in one sample.
const MAX_BATCH: u32 = 4_096;

/// Why no more samples were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The interval of the median is narrow enough.
    Precise,
    /// The time for this measurement is used up.
    Budget,
    /// The maximum number of samples.
    Count,
}

/// Times of the same work.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Seconds of one repetition, one entry per sample, in the order they were taken.
    pub seconds: Vec<f64>,
    /// Repetitions in one sample.
    pub batch: u32,
    /// Why no more were taken.
    pub stop: StopReason,
}

/// Takes samples of `work`, which repeats itself as often as requested and returns the seconds of all repetitions.
///
/// # Errors
/// [`Failure::Budget`] if the fewest samples would not fit before `deadline`, [`Failure::Cancelled`], or
/// what `work` returns.
pub fn sample(
    effort: &Effort,
    deadline: Option<Instant>,
    cancel: &Cancel,
    mut work: impl FnMut(u32) -> Result<f64, Failure>,
) -> Result<Samples, Failure> {
    let warm = warm_up(effort, cancel, &mut work)?;
    let (batch, warm) = lengthen(effort, batch(effort, warm), warm, &mut work)?;
    let needed_seconds = warm * f64::from(batch) * effort.min_samples as f64;
    if let Some(deadline) = deadline {
        let left_seconds = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        if needed_seconds > left_seconds {
            return Err(Failure::Budget { needed_seconds, left_seconds });
        }
    }
    let mut seconds = Vec::with_capacity(effort.max_samples);
    let start = Instant::now();
    loop {
        if cancel.is_requested() {
            return Err(Failure::Cancelled);
        }
        seconds.push(work(batch)? / f64::from(batch));
        if let Some(stop) = enough(effort, &seconds, start.elapsed()) {
            return Ok(Samples { seconds, batch, stop });
        }
    }
}

/// Seconds of the fastest run.
fn warm_up(
    effort: &Effort,
    cancel: &Cancel,
    work: &mut impl FnMut(u32) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let start = Instant::now();
    let mut fastest = f64::INFINITY;
    let mut runs = 0;
    while runs < effort.warm_up_runs.max(1) || start.elapsed().as_secs_f64() < effort.warm_up_seconds {
        if cancel.is_requested() {
            return Err(Failure::Cancelled);
        }
        fastest = fastest.min(work(1)?);
        runs += 1;
    }
    Ok(fastest)
}

/// The fewest repetitions that take long enough.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range just before")]
fn batch(effort: &Effort, once_seconds: f64) -> u32 {
    let once = once_seconds.max(1e-9);
    let wanted = (effort.min_sample_seconds / once).ceil();
    let allowed = (MAX_SAMPLE_SECONDS / once).floor();
    wanted.min(allowed).clamp(1.0, f64::from(MAX_BATCH)) as u32
}

/// A single run may be mostly the cost of starting it, so its batch is too short: tries it, and lengthens it until
/// a sample takes long enough. Batch, and seconds of one repetition in it.
fn lengthen(
    effort: &Effort,
    mut batch: u32,
    once: f64,
    work: &mut impl FnMut(u32) -> Result<f64, Failure>,
) -> Result<(u32, f64), Failure> {
    if batch == 1 {
        return Ok((1, once));
    }
    loop {
        let each = work(batch)? / f64::from(batch);
        let longer = self::batch(effort, each);
        // A tenth is noise.
        if f64::from(longer) <= 1.1 * f64::from(batch) {
            return Ok((batch, each));
        }
        batch = longer.min(batch.saturating_mul(16));
    }
}

fn enough(effort: &Effort, seconds: &[f64], elapsed: Duration) -> Option<StopReason> {
    if seconds.len() < effort.min_samples {
        None
    } else if seconds.len() >= effort.max_samples {
        Some(StopReason::Count)
    } else if relative_notch(seconds) < effort.relative_interval {
        Some(StopReason::Precise)
    } else if elapsed.as_secs_f64() > effort.budget_seconds {
        Some(StopReason::Budget)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Effort = Effort {
        warm_up_runs: 3,
        warm_up_seconds: 0.0,
        min_sample_seconds: 1e-3,
        min_samples: 12,
        max_samples: 60,
        relative_interval: 0.01,
        budget_seconds: 3.0,
    };

    /// Samples of work whose repetitions take these seconds, again and again.
    fn samples(effort: &Effort, durations: &[f64]) -> Samples {
        let mut next = durations.iter().cycle();
        let work = |batch: u32| Ok(next.next().expect("endless") * f64::from(batch));
        sample(effort, None, &Cancel::default(), work).expect("samples")
    }

    #[test]
    fn steady_work_needs_the_fewest_samples() {
        let steady = samples(&EFFORT, &[1e-5]);
        assert_eq!((steady.seconds.len(), steady.batch, steady.stop), (12, 100, StopReason::Precise));
    }

    #[test]
    fn noisy_work_is_sampled_until_the_count_or_the_time_is_used_up() {
        let noise = [1e-3, 3e-3, 2e-3, 9e-3, 5e-3];
        assert_eq!(samples(&EFFORT, &noise).stop, StopReason::Count);
        let hurried = Effort { budget_seconds: 0.0, ..EFFORT };
        let stopped = samples(&hurried, &noise);
        assert_eq!((stopped.stop, stopped.seconds.len()), (StopReason::Budget, 12));
    }

    #[test]
    fn a_batch_is_long_enough_but_never_looks_like_a_hang() {
        assert_eq!(batch(&EFFORT, 2.0), 1);
        assert_eq!(batch(&EFFORT, 0.2e-3), 5);
        assert_eq!(batch(&EFFORT, 0.0), MAX_BATCH);
        let patient = Effort { min_sample_seconds: 10.0, ..EFFORT };
        assert_eq!(batch(&patient, 0.125), 2);
    }

    #[test]
    fn the_cost_of_starting_does_not_shorten_a_sample() {
        // 50 µs to start, 1 µs a repetition: one run takes 51 µs, but 20 of them take 70 µs, not 1 ms.
        let started = sample(&EFFORT, None, &Cancel::default(), |batch| Ok(50e-6 + f64::from(batch) * 1e-6));
        let started = started.expect("samples");
        let sample_seconds = started.seconds[0] * f64::from(started.batch);
        assert!(sample_seconds > 0.9e-3, "{sample_seconds} in batches of {}", started.batch);
    }

    #[test]
    fn cancelling_is_seen_before_the_next_sample() {
        let cancel = Cancel::default();
        let mut runs = 0;
        let outcome = sample(&EFFORT, None, &cancel, |_| {
            runs += 1;
            if runs == 5 {
                cancel.request();
            }
            Ok(1.0)
        });
        assert_eq!((outcome, runs), (Err(Failure::Cancelled), 5));
    }

    #[test]
    fn work_that_does_not_fit_before_the_deadline_is_not_begun() {
        let deadline = Some(Instant::now() + Duration::from_secs(5));
        let outcome = sample(&EFFORT, deadline, &Cancel::default(), |batch| Ok(f64::from(batch)));
        assert!(matches!(outcome, Err(Failure::Budget { needed_seconds: 12.0, .. })), "{outcome:?}");
    }

    #[test]
    fn a_failure_ends_the_measurement() {
        let outcome = sample(&EFFORT, None, &Cancel::default(), |_| Err(Failure::TimerStopped));
        assert_eq!(outcome, Err(Failure::TimerStopped));
    }
}
