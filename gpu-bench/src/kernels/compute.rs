//! Arithmetic on values in registers: multiply-adds, and words that are mixed again and again.

use crossover_harness::generator::mix;

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

/// Chains of an invocation of [`hash`] that do not depend on each other.
const HASH_CHAINS: u32 = 4;
/// Times that each of them is mixed.
const HASH_ROUNDS: u32 = 128;
/// Added before each mixing, because 0 stays 0: the golden ratio, as hash functions have it.
const HASH_ADDEND: u32 = 0x9E37_79B9;

/// Lets `rows` invocations mix words, and write one each: [`hashed`].
///
/// # Errors
/// What the GPU reports.
pub fn hash(gpu: &Gpu, words: &wgpu::Buffer, rows: u32) -> Result<Program, Failure> {
    let parameters = gpu.uniform(&[rows, HASH_ROUNDS, HASH_ADDEND])?;
    let kernel = gpu.kernel(concat!(include_str!("generator.wgsl"), include_str!("hash.wgsl")), "hash", &[])?;
    Ok(Program::new([gpu.dispatch(&kernel, &[&parameters, words], u64::from(rows).div_ceil(WORKGROUP))?]))
}

/// What an invocation of [`hash`] writes.
#[must_use]
pub fn hashed(row: u32) -> u32 {
    let chain = |chain: u32| {
        let first = row.wrapping_mul(HASH_CHAINS).wrapping_add(chain);
        (0..HASH_ROUNDS).fold(first, |word, _| mix(word.wrapping_add(HASH_ADDEND)))
    };
    (0..HASH_CHAINS).map(chain).fold(0, |all, word| all ^ word)
}
