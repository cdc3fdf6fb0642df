//! Launch overhead of the GPU, measured by a kernel that only counts its launches.

use std::time::Instant;

use super::bench::{Bench, Outcome, Timed, verify_exact};
use super::case::Case;
use super::{Benchmark, Roof};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;
use crate::kernels;
use crate::report::{Side, Verified};

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "launch.roundtrip",
        explains: "From submitting an empty kernel until the CPU sees that it is done, by the wall \
                   clock: the minimum cost of any use of the GPU, and a part of the fixed cost in the model.",
        traffic: "0: no data moves",
        roof: Roof::Unbounded,
        cases: |_| vec![Case::new(Side::Gpu, 0).calibrating()],
        measure: roundtrip,
    },
    Benchmark {
        id: "launch.submit",
        explains: "The CPU part of a launch: recording a kernel and submitting it to the driver, without waiting. A \
                   program that keeps the GPU busy pays this for each submission.",
        traffic: "0: no data moves",
        roof: Roof::Unbounded,
        cases: |_| vec![Case::new(Side::Gpu, 0)],
        measure: submit,
    },
    Benchmark {
        id: "launch.dispatch",
        explains: "Marginal cost of one more dependent dispatch in a submission: the fixed overhead of a pass over \
                   the data.",
        traffic: "0: no data moves",
        roof: Roof::Unbounded,
        cases: |_| vec![Case::new(Side::Gpu, 0)],
        measure: dispatch,
    },
];

/// A counter on the GPU and its expected value.
struct Counter<'gpu> {
    gpu: &'gpu Gpu,
    buffer: wgpu::Buffer,
    program: Program,
    launches: u32,
}

impl<'gpu> Counter<'gpu> {
    fn new(gpu: &'gpu Gpu) -> Result<Self, Failure> {
        let buffer = gpu.upload("launches", &[0; 4])?;
        let program = kernels::launch::count(gpu, &buffer)?;
        Ok(Self { gpu, buffer, program, launches: 0 })
    }

    fn verify(&self) -> Result<Verified, Failure> {
        verify_exact("launches", &self.gpu.download(&self.buffer, 1)?, &[self.launches])
    }
}

fn roundtrip(bench: &Bench<'_>, _: &Case) -> Result<Outcome, Failure> {
    let mut counter = Counter::new(bench.gpu()?)?;
    let timed = bench.time_wall(|| {
        counter.launches += 1;
        counter.gpu.run(&counter.program)
    })?;
    Ok(outcome(timed, counter.verify()?))
}

fn submit(bench: &Bench<'_>, _: &Case) -> Result<Outcome, Failure> {
    let mut counter = Counter::new(bench.gpu()?)?;
    let timed = bench.time_batches(|batch| {
        let mut seconds = 0.0;
        for _ in 0..batch {
            counter.launches += 1;
            let start = Instant::now();
            counter.gpu.launch(&counter.program)?;
            seconds += start.elapsed().as_secs_f64();
            // Not timed, but done each time: a full queue would make the next submission wait.
            counter.gpu.wait()?;
        }
        Ok(seconds)
    })?;
    Ok(outcome(timed, counter.verify()?))
}

fn dispatch(bench: &Bench<'_>, _: &Case) -> Result<Outcome, Failure> {
    /// Enough to detect a dispatch that misses the writes of the one before it.
    const LAUNCHES: u32 = 256;
    let mut counter = Counter::new(bench.gpu()?)?;
    counter.launches = LAUNCHES;
    bench.gpu()?.time(&counter.program, LAUNCHES)?;
    let verified = counter.verify()?;
    Ok(outcome(bench.time_program(&counter.program)?, verified))
}

fn outcome(timed: Timed, verified: Verified) -> Outcome {
    Outcome::of(timed, verified, 0.0, 0.0)
}
