//! Columns to compress, made on the GPU: the same as [`Kind::words`].

use crossover_harness::generator::{Generator, mix};

use super::column;
use crate::cpu::compress::data::Kind;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

const SOURCE: &str = concat!(include_str!("../generator.wgsl"), include_str!("data.wgsl"));

/// A column of `count` words of this kind.
///
/// # Errors
/// What the GPU reports.
pub fn words(gpu: &Gpu, kind: Kind, generator: Generator, count: u32) -> Result<wgpu::Buffer, Failure> {
    let buffer = column(gpu, kind.name(), count)?;
    let parameters = gpu.uniform(&[count, mix(generator.seed())])?;
    let kernel = gpu.kernel(SOURCE, kind.name(), &[])?;
    let groups = u64::from(count).div_ceil(WORKGROUP);
    gpu.run(&Program::new([gpu.dispatch(&kernel, &[&parameters, &buffer], groups)?]))?;
    Ok(buffer)
}
