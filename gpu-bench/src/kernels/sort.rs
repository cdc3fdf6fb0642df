//! Radix sort on the GPU: stable, four passes over digits of 8 bits, from the least significant one up.
//!
//! A pass counts the digits of every column (consecutive tiles of keys), sums the counts up, and scatters the
//! keys to where they belong: reduce, then scan, so that no workgroup waits for another one. Per key it reads
//! 4 bytes to count and 4 to scatter, and writes 4: the whole sort moves 48 bytes per key where a copy moves 8.
//! So 8 / 48 = 17 % of the speed of a copy is the limit as long as the keys exceed the caches. Passes over digits
//! of 4 bits would have half of that, which is why the portable form too has digits of 8 bits and splits a tile
//! twice: workgroup memory is nearer than the GPU's.
//!
//! What else limits a pass of the subgroup form, measured on an NVIDIA H100 with 67 M keys: the histogram takes 96 µs, the scan
//! of the counts 11 µs, the scatter 610 µs, three times as long as a copy of the keys (183 µs). Ranking is most of it: in an
//! earlier form of 868 µs, keys that were written in place without ranking took 291 µs, in runs of 16 keys 487 µs. How many
//! workgroups a processor holds and how often they wait matters more than the number of votes: sharing workgroup memory
//! between counters and keys, and a subgroup scan instead of five barriers, brought 868 to 610 µs; fewer votes, and tiles
//! of 8192 keys, brought nothing.

use super::TILE;
use super::scan::Form;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::{Kernel, Program};

/// Values of a digit of 8 bits.
const BINS: u64 = 256;

/// Most columns: 8 for each invocation of a workgroup. The table of counts (one word per digit and column, 2 MiB) then
/// stays in the second-level cache however many keys there are, and 2048 workgroups still fill a large GPU
/// several times over.
const MAX_COLUMNS: u64 = 2048;

/// Columns that one invocation of `scan_rows` sums up.
const COLUMNS_PER_THREAD: u32 = 8;

/// Most columns on a software adapter, which has few processors to fill.
const MAX_COLUMNS_IN_SOFTWARE: u64 = 64;

const PORTABLE: &str =
    concat!(include_str!("sort.wgsl"), include_str!("sort_scatter.wgsl"), include_str!("sort_portable.wgsl"));
const SUBGROUPS: &str =
    concat!(include_str!("sort.wgsl"), include_str!("sort_scatter.wgsl"), include_str!("sort_subgroups.wgsl"));

/// Keys with their payloads, two buffers of the same length.
#[derive(Debug, Clone, Copy)]
pub struct Pairs<'a> {
    /// What is compared.
    pub keys: &'a wgpu::Buffer,
    /// What moves along.
    pub payloads: &'a wgpu::Buffer,
}

/// Writes the first `count` words of `from` to `to`, ascending. `from` stays as it is, so the program sorts
/// anew each time it runs.
///
/// # Errors
/// [`Failure::Unsupported`] without subgroups if the form needs them, or what the GPU reports.
pub fn keys(gpu: &Gpu, form: Form, from: &wgpu::Buffer, to: &wgpu::Buffer, count: u32) -> Result<Program, Failure> {
    let scratch = gpu.buffer("keys of odd passes", u64::from(count))?;
    let scatter = scatter(gpu, form, "scatter_keys")?;
    passes(gpu, &scatter, count, |pass| {
        let (from, to) = ends(pass, from, &scratch, to);
        (from, bindings(form, &[(from, to)]))
    })
}

/// Writes the first `count` pairs of `from` to `to`, by ascending keys; equal keys stay in order. `from` stays
/// as it is.
///
/// # Errors
/// As [`keys`].
pub fn pairs(gpu: &Gpu, form: Form, from: Pairs<'_>, to: Pairs<'_>, count: u32) -> Result<Program, Failure> {
    let scratch_keys = gpu.buffer("keys of odd passes", u64::from(count))?;
    let scratch_payloads = gpu.buffer("payloads of odd passes", u64::from(count))?;
    let scatter = scatter(gpu, form, "scatter_pairs")?;
    passes(gpu, &scatter, count, |pass| {
        let keys = ends(pass, from.keys, &scratch_keys, to.keys);
        let payloads = ends(pass, from.payloads, &scratch_payloads, to.payloads);
        (keys.0, bindings(form, &[keys, payloads]))
    })
}

/// Where a pass reads and writes: the first one reads the input, the last one writes the output.
fn ends<'a, T>(pass: u32, from: &'a T, scratch: &'a T, to: &'a T) -> (&'a T, &'a T) {
    match pass {
        0 => (from, scratch),
        2 => (to, scratch),
        _ => (scratch, to),
    }
}

/// The buffers of a scatter after the table's, from those of the columns: where from, where to.
fn bindings<'a>(form: Form, columns: &[(&'a wgpu::Buffer, &'a wgpu::Buffer)]) -> Vec<&'a wgpu::Buffer> {
    columns
        .iter()
        .flat_map(|(from, to)| match form {
            // Once as words and once as vectors.
            Form::Portable => vec![*from, *from, *to],
            Form::Subgroups => vec![*from, *to],
        })
        .collect()
}

/// The keys of a tile find their places in it by two splits of 4 bits by counters in workgroup memory, or by one
/// split of 8 bits by votes of subgroups.
fn scatter(gpu: &Gpu, form: Form, entry: &str) -> Result<Kernel, Failure> {
    match form {
        Form::Portable => gpu.kernel(PORTABLE, entry, &[]),
        Form::Subgroups if gpu.has_subgroups() => gpu.kernel(SUBGROUPS, entry, &[]),
        Form::Subgroups => Err(Failure::Unsupported("kernels cannot use subgroups on this adapter".to_owned())),
    }
}

/// The program of all passes. `buffers` tells what a pass reads its keys from, and the buffers that the scatter
/// has after those of the table.
fn passes<'a>(
    gpu: &Gpu,
    scatter: &Kernel,
    count: u32,
    buffers: impl Fn(u32) -> (&'a wgpu::Buffer, Vec<&'a wgpu::Buffer>),
) -> Result<Program, Failure> {
    const COUNTING: &str = concat!(include_str!("sort.wgsl"), include_str!("sort_histogram.wgsl"));
    let histogram = gpu.kernel(COUNTING, "histogram", &[])?;
    let scan_rows = gpu.kernel(COUNTING, "scan_rows", &[])?;
    let (columns, tiles_per_column) = columns(gpu, count);
    // A power of two, so that rows and workgroups begin together.
    let threads_per_row = columns.div_ceil(COLUMNS_PER_THREAD).next_power_of_two();
    let table = gpu.buffer("counts by digit and column", BINS * u64::from(columns))?;
    let totals = gpu.buffer("counts by digit", BINS)?;
    let mut program = Program::default();
    for pass in 0..4 {
        let parameters = gpu.uniform(&[count, columns, tiles_per_column, 8 * pass, threads_per_row])?;
        let (from, ends) = buffers(pass);
        let scatter_buffers = [vec![&parameters, &table, &totals], ends].concat();
        program.dispatches.extend([
            gpu.dispatch(&histogram, &[&parameters, from, from, &table], u64::from(columns))?,
            gpu.dispatch(&scan_rows, &[&parameters, &table, &totals], BINS * u64::from(threads_per_row) / WORKGROUP)?,
            gpu.dispatch(scatter, &scatter_buffers, u64::from(columns))?,
        ]);
    }
    Ok(program)
}

/// Number of columns, and tiles in each: as few tiles as the most columns allow.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer tiles than keys")]
fn columns(gpu: &Gpu, count: u32) -> (u32, u32) {
    let most = if gpu.description.software { MAX_COLUMNS_IN_SOFTWARE } else { MAX_COLUMNS };
    let tiles = u64::from(count).div_ceil(TILE).max(1);
    let tiles_per_column = tiles.div_ceil(most);
    (tiles.div_ceil(tiles_per_column) as u32, tiles_per_column as u32)
}
