//! Prefix sums on the GPU by reduce-then-scan, and the workgroup scan that other kernels share.
//!
//! Every word is read twice and written once, 3/2 of the least. A single-pass scan would need workgroups that wait
//! for each other, and not every GPU promises that a waiting workgroup lets the others run.

use super::TILE;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::{Dispatch, Kernel, Program};

/// Words in a tile.
#[expect(clippy::cast_possible_truncation, reason = "4096")]
pub(super) const TILE_WORDS: u32 = TILE as u32;

/// How the invocations of a workgroup add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Through workgroup memory; runs everywhere.
    Portable,
    /// With subgroup operations, of any subgroup size; needs [`Gpu::has_subgroups`].
    Subgroups,
}

impl Form {
    /// What [`Self::of_variant`] calls the forms.
    pub const VARIANTS: [&'static str; 2] = ["portable", "subgroups"];

    /// The form that is expected to be the faster one: subgroup operations where a GPU has them. A program on the
    /// CPU goes through the lanes one by one for each of them.
    #[must_use]
    pub fn preferred(gpu: &Gpu) -> Self {
        if gpu.has_subgroups() && !gpu.description.software { Self::Subgroups } else { Self::Portable }
    }

    /// The form that the variant of a benchmark names: "portable", "subgroups", or the preferred one.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] where the adapter has no subgroup operations.
    pub fn of_variant(gpu: &Gpu, variant: &str) -> Result<Self, Failure> {
        match variant {
            "portable" => Ok(Self::Portable),
            "subgroups" if gpu.has_subgroups() => Ok(Self::Subgroups),
            "subgroups" => Err(Failure::Unsupported("the adapter has no subgroup operations".to_owned())),
            _ => Ok(Self::preferred(gpu)),
        }
    }

    /// The WGSL of a kernel together with `tile.wgsl`, and `Invocation`, `lane_of`, `scan_workgroup` and `sum_workgroup`
    /// in this form. The kernel declares `parameters`, and `alias Value`, the type that `scan_workgroup` adds; it has
    /// workgroups of 256.
    #[must_use]
    pub fn source(self, kernel: &str) -> String {
        let workgroup_scan = match self {
            Self::Portable => include_str!("scan_portable.wgsl"),
            Self::Subgroups => include_str!("scan_subgroups.wgsl"),
        };
        [workgroup_scan, include_str!("tile.wgsl"), kernel].join("\n")
    }
}

/// Writes to `to[i]` the sum of `from[..i]` modulo 2^32, for `words` words. Two different buffers, each of at least
/// `words` words; what lies beyond is left alone.
///
/// # Errors
/// What the GPU reports.
pub fn exclusive_sum(
    gpu: &Gpu,
    form: Form,
    from: &wgpu::Buffer,
    to: &wgpu::Buffer,
    words: u32,
) -> Result<Program, Failure> {
    let source = form.source(include_str!("scan.wgsl"));
    let kernels = Kernels { reduce: gpu.kernel(&source, "reduce", &[])?, scan: gpu.kernel(&source, "scan", &[])? };
    Ok(Program::new(kernels.dispatches(gpu, from, to, words)?))
}

/// The two kernels.
struct Kernels {
    reduce: Kernel,
    scan: Kernel,
}

impl Kernels {
    /// Sums of tiles are scanned the same way, so the number of levels grows with the logarithm to base 4096.
    fn dispatches(
        &self,
        gpu: &Gpu,
        from: &wgpu::Buffer,
        to: &wgpu::Buffer,
        words: u32,
    ) -> Result<Vec<Dispatch>, Failure> {
        let parameters = gpu.uniform(&[words, words.saturating_sub(1) / 4])?;
        let tiles = words.div_ceil(TILE_WORDS);
        // What comes before the only tile is 0, as in every new buffer.
        let offsets = gpu.buffer("sums before tiles", u64::from(tiles))?;
        let mut dispatches = Vec::new();
        if tiles > 1 {
            let tile_sums = gpu.buffer("sums of tiles", u64::from(tiles))?;
            dispatches.push(gpu.dispatch(&self.reduce, &[&parameters, from, &tile_sums], u64::from(tiles))?);
            dispatches.extend(self.dispatches(gpu, &tile_sums, &offsets, tiles)?);
        }
        dispatches.push(gpu.dispatch(&self.scan, &[&parameters, from, &offsets, to], u64::from(tiles))?);
        Ok(dispatches)
    }
}
