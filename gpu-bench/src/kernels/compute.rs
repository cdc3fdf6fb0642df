//! Multiply-adds on values in registers.

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

/// Chains of an invocation that do not depend on each other.
const CHAINS: u32 = 8;
/// Multiply-adds of each chain in one round of the kernel's loop.
const ROUND: u32 = 8;
/// Multiply-adds of each chain.
const STEPS: u32 = 512;

/// Floating-point operations of an invocation; a multiply-add counts as two, as makers of GPUs count.
pub const FLOP_PER_ROW: u32 = 2 * CHAINS * STEPS;

/// Lets `rows` invocations multiply and add, and write one word each: [`expected`].
///
/// # Errors
/// What the GPU reports.
pub fn multiply_add(gpu: &Gpu, sums: &wgpu::Buffer, rows: u32) -> Result<Program, Failure> {
    let one = 1.0_f32.to_bits();
    let parameters = gpu.uniform(&[rows, STEPS / ROUND, one, one])?;
    let kernel = gpu.kernel(include_str!("compute.wgsl"), "multiply_add", &[])?;
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, sums], u64::from(rows).div_ceil(WORKGROUP))?]))
}

/// What an invocation writes: each of its chains begins at its own place, and every step adds 1.
#[must_use]
pub fn expected(row: u32) -> u32 {
    (0..CHAINS).map(|chain| row % 1024 + chain + STEPS).sum()
}
