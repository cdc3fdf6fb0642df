//! Time of a program: timestamps of the GPU where they are reliable, else the wall clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Gpu;
use super::program::Program;
use crate::failure::Failure;

/// What measured a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingSource {
    /// Timestamps that the GPU writes.
    GpuTimestamps,
    /// The CPU's clock, from submission until the GPU is done.
    #[default]
    WallClock,
}

/// Outcome of timing the same work both ways.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SelfTest {
    /// Time by timestamps, seconds; 0 where they did not advance or do not exist.
    pub gpu_seconds: f64,
    /// Time by the wall clock, seconds.
    pub wall_seconds: f64,
    /// Whether timestamps are trusted.
    pub passed: bool,
}

/// Timestamps of one device. One query set serves all passes: Metal allows few of them.
#[derive(Debug)]
pub(super) struct Clock {
    timestamps: Option<Timestamps>,
    trusted: AtomicBool,
    self_test: SelfTest,
    pace: Option<Pace>,
}

/// Arithmetic whose time follows the clock of the GPU alone.
#[derive(Debug)]
struct Pace {
    program: Program,
    repetitions: u32,
    /// Bits of the fewest seconds so far; of positive numbers the bits are in the order of the numbers.
    fastest: AtomicU64,
}

#[derive(Debug)]
struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    seconds_per_tick: f64,
}

impl Clock {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let offered = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let timestamps = offered.then(|| {
            let buffer = |usage| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("timestamps"),
                    size: 2 * u64::from(wgpu::QUERY_SIZE),
                    usage,
                    mapped_at_creation: false,
                })
            };
            Timestamps {
                queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count: 2,
                }),
                resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
                readable: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
                seconds_per_tick: f64::from(queue.get_timestamp_period()) * 1e-9,
            }
        });
        Self { trusted: AtomicBool::new(timestamps.is_some()), timestamps, self_test: SelfTest::default(), pace: None }
    }
}

impl Pace {
    /// A tenth of a program that took these seconds.
    fn new(program: Program, repetitions: u32, seconds: f64) -> Self {
        const PARTS: u32 = 10;
        let fewer = (repetitions / PARTS).max(1);
        let fastest = seconds * f64::from(fewer) / f64::from(repetitions);
        Self { program, repetitions: fewer, fastest: AtomicU64::new(fastest.to_bits()) }
    }
}

impl Gpu {
    /// The source of [`Self::time`].
    #[must_use]
    pub fn timing_source(&self) -> TimingSource {
        if self.clock.trusted.load(Ordering::Relaxed) { TimingSource::GpuTimestamps } else { TimingSource::WallClock }
    }

    /// Comparison of timestamps and wall clock when the device was opened.
    #[must_use]
    pub fn self_test(&self) -> SelfTest {
        self.clock.self_test
    }

    /// Uses the wall clock from now on.
    pub fn distrust_timestamps(&self) {
        self.clock.trusted.store(false, Ordering::Relaxed);
    }

    /// The clock of the GPU now, relative to its fastest so far, 0 … 1; 1 where timestamps are not trusted. Takes a few
    /// milliseconds.
    ///
    /// # Errors
    /// As [`Self::time`].
    pub fn pace(&self) -> Result<f64, Failure> {
        let Some(Pace { program, repetitions, fastest }) = &self.clock.pace else { return Ok(1.0) };
        if self.timing_source() == TimingSource::WallClock {
            return Ok(1.0);
        }
        let seconds = self.time(program, *repetitions)?;
        let before = f64::from_bits(fastest.fetch_min(seconds.to_bits(), Ordering::Relaxed));
        Ok((before / seconds).min(1.0))
    }

    /// Runs a program `repetitions` times in one submission; seconds for all of them.
    ///
    /// # Errors
    /// [`Failure::TimerStopped`] if the timestamps did not advance or exceed the wall clock, twice in a row; or
    /// what the driver reports.
    pub fn time(&self, program: &Program, repetitions: u32) -> Result<f64, Failure> {
        match &self.clock.timestamps {
            Some(timestamps) if self.clock.trusted.load(Ordering::Relaxed) => {
                let once = || {
                    let (gpu_seconds, wall_seconds) = self.time_both_ways(timestamps, program, repetitions)?;
                    if possible(gpu_seconds, wall_seconds) { Ok(gpu_seconds) } else { Err(Failure::TimerStopped) }
                };
                // Counters of 36 bits start again from 0 every minute or so: once is no reason to distrust them.
                once().or_else(|failure| if failure == Failure::TimerStopped { once() } else { Err(failure) })
            }
            _ => self.time_by_wall_clock(program, repetitions),
        }
    }

    fn time_by_wall_clock(&self, program: &Program, repetitions: u32) -> Result<f64, Failure> {
        let mut encoder = self.encoder();
        record(program, repetitions, &mut encoder, None);
        let start = Instant::now();
        self.submit(encoder)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Seconds by timestamps and by the wall clock.
    fn time_both_ways(
        &self,
        timestamps: &Timestamps,
        program: &Program,
        repetitions: u32,
    ) -> Result<(f64, f64), Failure> {
        let mut encoder = self.encoder();
        let writes = wgpu::ComputePassTimestampWrites {
            query_set: &timestamps.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        };
        record(program, repetitions, &mut encoder, Some(writes));
        encoder.resolve_query_set(&timestamps.queries, 0..2, &timestamps.resolved, 0);
        encoder.copy_buffer_to_buffer(&timestamps.resolved, 0, &timestamps.readable, 0, timestamps.readable.size());
        let start = Instant::now();
        self.submit(encoder)?;
        let wall_seconds = start.elapsed().as_secs_f64();
        self.map(&timestamps.readable, wgpu::MapMode::Read, timestamps.readable.size())?;
        let ticks = {
            let view = timestamps
                .readable
                .slice(..)
                .get_mapped_range()
                .map_err(|error| Failure::Refused(error.to_string()))?;
            let mut ticks = [0_u64; 2];
            bytemuck::cast_slice_mut(&mut ticks).copy_from_slice(&view);
            ticks
        };
        timestamps.readable.unmap();
        let seconds = seconds_between(ticks, timestamps.seconds_per_tick).ok_or(Failure::TimerStopped)?;
        Ok((seconds, wall_seconds))
    }

    /// Times a long enough program both ways and trusts the timestamps only if they agree: they must not
    /// exceed the wall clock by more than 2 %, nor be less than half of it.
    pub(super) fn test_clock(&mut self) -> Result<(), Failure> {
        let Some(timestamps) = self.clock.timestamps.take() else { return Ok(()) };
        let outcome = self.compare_clocks(&timestamps);
        self.clock.timestamps = Some(timestamps);
        self.clock.self_test = match outcome {
            Ok((test, pace)) => {
                self.clock.pace = Some(pace);
                test
            }
            Err(Failure::TimerStopped) => SelfTest::default(),
            Err(failure) => return Err(failure),
        };
        *self.clock.trusted.get_mut() = self.clock.self_test.passed;
        Ok(())
    }

    fn compare_clocks(&self, timestamps: &Timestamps) -> Result<(SelfTest, Pace), Failure> {
        /// Long enough that submitting does not matter.
        const TARGET_SECONDS: f64 = 0.02;
        /// A busy machine may hold up the CPU meanwhile, but not every time.
        const ATTEMPTS: u32 = 3;
        let target = self.buffer("clock test", 1024)?;
        let kernel = self.kernel(include_str!("clock_test.wgsl"), "spin", &[])?;
        let program = Program::new([self.dispatch(&kernel, &[&target], 4)?]);
        let (mut repetitions, mut attempts) = (1, 0);
        loop {
            let (gpu_seconds, wall_seconds) = self.time_both_ways(timestamps, &program, repetitions)?;
            if wall_seconds < TARGET_SECONDS && repetitions < 1 << 16 {
                repetitions *= 2;
                continue;
            }
            attempts += 1;
            let passed = plausible(gpu_seconds, wall_seconds);
            if passed || attempts == ATTEMPTS {
                let test = SelfTest { gpu_seconds, wall_seconds, passed };
                return Ok((test, Pace::new(program, repetitions, gpu_seconds)));
            }
        }
    }
}

fn record(
    program: &Program,
    repetitions: u32,
    encoder: &mut wgpu::CommandEncoder,
    timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    for _ in 0..repetitions {
        program.record(&mut pass);
    }
}

/// `None` if the timer did not advance.
fn seconds_between([start, end]: [u64; 2], seconds_per_tick: f64) -> Option<f64> {
    let seconds = end.saturating_sub(start) as f64 * seconds_per_tick;
    (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
}

/// Whether the GPU's time fits into the wall clock's; both run at slightly different rates.
fn possible(gpu_seconds: f64, wall_seconds: f64) -> bool {
    gpu_seconds <= 1.02 * wall_seconds
}

fn plausible(gpu_seconds: f64, wall_seconds: f64) -> bool {
    0.5 * wall_seconds < gpu_seconds && possible(gpu_seconds, wall_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_does_not_advance_gives_no_time() {
        assert_eq!(seconds_between([7, 7], 1e-9), None);
        assert_eq!(seconds_between([8, 7], 1e-9), None);
        assert_eq!(seconds_between([0, 0], 1e-9), None);
        assert_eq!(seconds_between([1, 5], 0.0), None, "a period of zero");
        assert_eq!(seconds_between([1_000, 3_000], 0.25), Some(500.0));
    }

    #[test]
    fn timestamps_are_trusted_only_if_they_agree_with_the_wall_clock() {
        assert!(plausible(0.050, 0.0505));
        assert!(!plausible(0.052, 0.050), "more than passed on the wall");
        assert!(!plausible(0.010, 0.050), "a timer of another unit");
        assert!(possible(5e-6, 60e-6), "a short kernel is a small part of its round trip");
        assert!(!possible(4_000.0, 0.001), "a start that was never written");
    }
}
