//! Directories of blocks: where each begins, from their sizes.

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Dispatch;
use crate::kernels::TILE;

/// Sums up the sizes of `blocks` blocks: `offsets` gets where each begins, and the end.
///
/// # Errors
/// What the GPU reports.
pub fn scan(gpu: &Gpu, sizes: &wgpu::Buffer, offsets: &wgpu::Buffer, blocks: u32) -> Result<Dispatch, Failure> {
    let source = concat!(include_str!("block.wgsl"), include_str!("prefix.wgsl"), include_str!("offsets.wgsl"));
    let kernel = gpu.kernel(source, "scan", &[])?;
    let parameters = gpu.uniform(&[0, blocks])?;
    gpu.dispatch(&kernel, &[&parameters, sizes, offsets], (u64::from(blocks) + 1).div_ceil(TILE))
}
