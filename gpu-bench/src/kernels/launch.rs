//! A kernel with next to nothing to do: what remains of its time is the cost of starting it.

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

/// A program of one dispatch that adds 1 to the first word of `counter`.
///
/// # Errors
/// What the GPU reports.
pub fn count(gpu: &Gpu, counter: &wgpu::Buffer) -> Result<Program, Failure> {
    let kernel = gpu.kernel(include_str!("launch.wgsl"), "count", &[])?;
    Ok(Program::new([gpu.dispatch(&kernel, &[counter], 1)?]))
}
