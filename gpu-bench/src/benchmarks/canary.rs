//! The canary: one fixed copy, repeated before and after each group. If it drifts, the machine was throttled or
//! shared, and the results of the group get a warning.

use std::time::Instant;

use crossover_harness::generator::Generator;
use crossover_harness::statistics::Summary;

use super::bench::Bench;
use crate::failure::Failure;
use crate::gpu::program::Program;
use crate::kernels;

/// Relative change of the canary's median that is reported.
pub const DRIFT: f64 = 0.05;

/// A prepared copy.
#[derive(Debug)]
pub struct Canary {
    program: Program,
}

impl Canary {
    /// Prepares a copy of 64 MiB, or less if the GPU has less memory; 4 MiB on a software adapter.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn new(bench: &Bench<'_>) -> Result<Self, Failure> {
        let gpu = bench.gpu()?;
        let wanted: u32 = if gpu.description.software { 1 << 20 } else { 1 << 24 };
        let words = u32::try_from(gpu.max_words() / 4 * 4).unwrap_or(u32::MAX).min(wanted);
        let from = kernels::generate::words(gpu, Generator::new(1), words, None)?;
        let to = gpu.buffer("canary", u64::from(words))?;
        Ok(Self { program: kernels::memory::copy(gpu, &from, &to, words)? })
    }

    /// Median seconds of the copy, after a warm-up: the GPU is idle during a group on the CPU, which is not throttling.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn measure(&self, bench: &Bench<'_>) -> Result<f64, Failure> {
        let gpu = bench.gpu()?;
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < bench.effort.warm_up_seconds {
            gpu.time(&self.program, 4)?;
        }
        let times: Vec<f64> = (0..5).map(|_| gpu.time(&self.program, 4)).collect::<Result<_, _>>()?;
        Summary::of(&times).map(|summary| summary.median).ok_or(Failure::TimerStopped)
    }
}
