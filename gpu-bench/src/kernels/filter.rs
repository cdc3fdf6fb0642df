//! Filter on the GPU: the words below a bound, closed up, in order or not.

use super::scan::{self, Form, TILE_WORDS};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;

/// Workgroups that `append` is divided into if it has tiles enough: they fill a large GPU several times.
const APPENDING_WORKGROUPS: u32 = 4_096;

/// A filter over given words.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Does all of it, every time it runs.
    pub program: Program,
    /// The words that were kept, at the front; room for all.
    pub kept: wgpu::Buffer,
    /// How many they are, in its first word.
    pub count: wgpu::Buffer,
}

/// Keeps the first `words` words that are below `bound`, in order. Three passes: count per tile of 4096, scan of the
/// counts, read again and write; 8 bytes of traffic per word and 4 per word kept.
///
/// # Errors
/// What the GPU reports.
pub fn ordered(gpu: &Gpu, form: Form, from: &wgpu::Buffer, words: u32, bound: u32) -> Result<Filter, Failure> {
    let Prepared { source, parameters, tiles, kept, count, .. } = Prepared::new(gpu, form, words, bound)?;
    let tile_counts = gpu.buffer("words kept by tiles", u64::from(tiles))?;
    let offsets = gpu.buffer("words kept before tiles", u64::from(tiles))?;
    let counting = gpu.kernel(&source, "count", &[])?;
    let scatter = gpu.kernel(&source, "scatter", &[])?;
    let mut program = Program::new([gpu.dispatch(&counting, &[&parameters, from, &tile_counts], u64::from(tiles))?]);
    program.dispatches.extend(scan::exclusive_sum(gpu, form, &tile_counts, &offsets, tiles)?.dispatches);
    let buffers = [&parameters, from, &kept, &count, &offsets];
    program.dispatches.push(gpu.dispatch(&scatter, &buffers, u64::from(tiles))?);
    Ok(Filter { program, kept, count })
}

/// Keeps the first `words` words that are below `bound`; tiles of 4096 words come in any order. One pass, in which
/// each workgroup reserves space in the output by an atomic addition for at most 4096 words; 4 bytes of traffic per word and 4 per word kept.
///
/// # Errors
/// What the GPU reports.
pub fn append(gpu: &Gpu, form: Form, from: &wgpu::Buffer, words: u32, bound: u32) -> Result<Filter, Failure> {
    let Prepared { source, parameters, tiles, tiles_per_workgroup, kept, count } =
        Prepared::new(gpu, form, words, bound)?;
    let reset = gpu.kernel(&source, "reset", &[])?;
    let append = gpu.kernel(&source, "append", &[])?;
    let program = Program::new([
        gpu.dispatch(&reset, &[&count], 1)?,
        gpu.dispatch(&append, &[&parameters, from, &kept, &count], tiles.div_ceil(tiles_per_workgroup).into())?,
    ]);
    Ok(Filter { program, kept, count })
}

/// What both ways need.
struct Prepared {
    source: String,
    parameters: wgpu::Buffer,
    /// One at least, because the last tile writes how many words were kept.
    tiles: u32,
    tiles_per_workgroup: u32,
    kept: wgpu::Buffer,
    count: wgpu::Buffer,
}

impl Prepared {
    fn new(gpu: &Gpu, form: Form, words: u32, bound: u32) -> Result<Self, Failure> {
        let tiles = words.div_ceil(TILE_WORDS).max(1);
        let tiles_per_workgroup = (tiles / APPENDING_WORKGROUPS).max(1);
        Ok(Self {
            source: form.source(include_str!("filter.wgsl")),
            parameters: gpu.uniform(&[words, words.saturating_sub(1) / 4, bound, tiles_per_workgroup])?,
            tiles,
            tiles_per_workgroup,
            kept: gpu.buffer("words kept", u64::from(words))?,
            count: gpu.buffer("number of words kept", 1)?,
        })
    }
}
