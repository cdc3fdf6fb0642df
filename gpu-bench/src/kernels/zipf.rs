//! Foreign keys of a join on the GPU: large inputs need no transfer.

use crossover_harness::generator::mix;

use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;
use crate::zipf::ForeignKeys;

const SOURCE: &str = concat!(include_str!("generator.wgsl"), include_str!("zipf.wgsl"));

/// A buffer with the keys of the first `count` rows; the same as [`ForeignKeys::keys`].
///
/// # Errors
/// What the GPU reports.
pub fn foreign_keys(gpu: &Gpu, foreign: &ForeignKeys, count: u32) -> Result<wgpu::Buffer, Failure> {
    let keys = gpu.buffer("foreign keys", count.into())?;
    let bounds = foreign.law().map_or(&[][..], |law| law.thresholds());
    let thresholds = gpu.upload("thresholds of Zipf's law", bounds)?;
    let [keys_stream, matching_stream, ranks_stream] = foreign.streams().map(|stream| mix(stream.seed()));
    let bound_count = u32::try_from(bounds.len()).unwrap_or(u32::MAX);
    let parameters = gpu.uniform(&[
        count,
        foreign.build_rows(),
        foreign.matching(),
        bound_count,
        keys_stream,
        matching_stream,
        ranks_stream,
    ])?;
    let kernel = gpu.kernel(SOURCE, "foreign_keys", &[])?;
    let groups = u64::from(count).div_ceil(WORKGROUP);
    gpu.run(&Program::new([gpu.dispatch(&kernel, &[&parameters, &thresholds, &keys], groups)?]))?;
    Ok(keys)
}
