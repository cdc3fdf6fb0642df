//! Streaming through GPU memory: the roof of everything else.

use super::WORKGROUP;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

/// Words that one workgroup copies.
const WORDS_PER_GROUP: u64 = WORKGROUP * 4 * 4;

/// Copies `words` (a multiple of 4) from one buffer to another.
///
/// # Errors
/// What the GPU reports.
pub fn copy(gpu: &Gpu, from: &wgpu::Buffer, to: &wgpu::Buffer, words: u32) -> Result<Program, Failure> {
    let parameters = gpu.uniform(&[words / 4, 0])?;
    let kernel = gpu.kernel(include_str!("memory.wgsl"), "copy", &[])?;
    let groups = u64::from(words).div_ceil(WORDS_PER_GROUP);
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, to, from], groups)?]))
}
