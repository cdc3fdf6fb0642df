//! The counter-based generator on the GPU: large inputs need no transfer.

use crossover_harness::generator::{Generator, mix};

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

const SOURCE: &str = concat!(include_str!("generator.wgsl"), include_str!("generate.wgsl"));

/// A buffer with the first `count` words of a stream, below `bound` if given; the same as
/// [`Generator::words`] and [`Generator::words_below`].
///
/// # Errors
/// What the GPU reports.
pub fn words(gpu: &Gpu, generator: Generator, count: u32, bound: Option<u32>) -> Result<wgpu::Buffer, Failure> {
    let buffer = gpu.buffer("generated words", u64::from(count))?;
    let parameters = gpu.uniform(&[count, mix(generator.seed()), bound.unwrap_or(0)])?;
    let kernel = gpu.kernel(SOURCE, "generate", &[])?;
    let groups = u64::from(count).div_ceil(WORKGROUP);
    gpu.run(&Program::new([gpu.dispatch(&kernel, &[&parameters, &buffer], groups)?]))?;
    Ok(buffer)
}
