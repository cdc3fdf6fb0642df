//! Streaming through GPU memory and reading it at random: the roofs of everything else.

use crossover_harness::generator::{Generator, mix};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

/// Words that one workgroup copies or writes.
const WORDS_COPIED: u64 = WORKGROUP * 4 * 4;

/// Words that one workgroup reads in a row.
const WORDS_READ: u64 = WORKGROUP * 16 * 4;

/// Words that one workgroup reads at random.
const ACCESSES: u64 = WORKGROUP * 16;

const STREAMING: &str = include_str!("memory.wgsl");
const GATHER: &str = concat!(include_str!("generator.wgsl"), include_str!("gather.wgsl"));

/// A program that adds up words, modulo 2^32, one sum per invocation.
#[derive(Debug)]
pub struct Sum {
    /// What reads.
    pub program: Program,
    sums: wgpu::Buffer,
    count: u64,
}

impl Sum {
    /// The sum of the last run, modulo 2^32.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn total(&self, gpu: &Gpu) -> Result<u32, Failure> {
        Ok(gpu.download(&self.sums, self.count)?.into_iter().fold(0, u32::wrapping_add))
    }
}

/// Copies `words` (a multiple of 4) from one buffer to another.
///
/// # Errors
/// What the GPU reports.
pub fn copy(gpu: &Gpu, from: &wgpu::Buffer, to: &wgpu::Buffer, words: u32) -> Result<Program, Failure> {
    let parameters = gpu.uniform(&[words / 4, 0])?;
    let kernel = gpu.kernel(STREAMING, "copy", &[])?;
    let groups = u64::from(words).div_ceil(WORDS_COPIED);
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, to, from], groups)?]))
}

/// Writes `words` (a multiple of 4) to a buffer: `value`, `value` + 1 and so on, modulo 2^32.
///
/// # Errors
/// What the GPU reports.
pub fn write(gpu: &Gpu, to: &wgpu::Buffer, words: u32, value: u32) -> Result<Program, Failure> {
    let parameters = gpu.uniform(&[words / 4, value])?;
    let kernel = gpu.kernel(STREAMING, "fill", &[])?;
    let groups = u64::from(words).div_ceil(WORDS_COPIED);
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, to], groups)?]))
}

/// Reads the first `words` (a multiple of 4) of a buffer and adds them up.
///
/// # Errors
/// What the GPU reports.
pub fn read(gpu: &Gpu, from: &wgpu::Buffer, words: u32) -> Result<Sum, Failure> {
    let parameters = gpu.uniform(&[words / 4, 0])?;
    let kernel = gpu.kernel(STREAMING, "add_up", &[])?;
    let groups = u64::from(words).div_ceil(WORDS_READ);
    let count = groups * WORKGROUP;
    let sums = gpu.buffer("sums", count)?;
    let program = Program::new([gpu.dispatch(&kernel, &[&parameters, &sums, from], groups)?]);
    Ok(Sum { program, sums, count })
}

/// Adds up `accesses` words of a table of `words`, at the places that [`Generator::below`] gives.
///
/// # Errors
/// What the GPU reports.
pub fn gather(gpu: &Gpu, table: &wgpu::Buffer, words: u32, places: Generator, accesses: u32) -> Result<Sum, Failure> {
    let parameters = gpu.uniform(&[accesses, mix(places.seed()), words])?;
    let kernel = gpu.kernel(GATHER, "gather", &[])?;
    let groups = u64::from(accesses).div_ceil(ACCESSES);
    let count = groups * WORKGROUP;
    let sums = gpu.buffer("sums", count)?;
    let program = Program::new([gpu.dispatch(&kernel, &[&parameters, &sums, table], groups)?]);
    Ok(Sum { program, sums, count })
}
