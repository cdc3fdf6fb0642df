//! Sums, and group-by over dictionary codes, on the GPU.

use crate::cpu::aggregate::Groups;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

/// Words that a workgroup adds up.
const SUMMED_PER_GROUP: u64 = 16_384;

/// Groups that a workgroup clears.
const CLEARED_PER_GROUP: u64 = WORKGROUP * 4;

/// Most groups whose accumulators, 12 bytes each, fit the 16 KiB of workgroup memory that every adapter has.
pub const MOST_PRIVATE_GROUPS: u32 = 1_365;

/// Most accumulators of one group in workgroup memory: one per bank.
const MOST_REPLICAS: u32 = 32;

/// Fewest rows of a workgroup that has accumulators of its own.
const FEWEST_ROWS_PER_WORKGROUP: u32 = 4_096;

/// Most rows of a workgroup: it adds up halves of words, which then fit an accumulator of 32 bits.
const MOST_ROWS_PER_WORKGROUP: u32 = 65_536;
const _: () = assert!(MOST_ROWS_PER_WORKGROUP.checked_mul(0xFFFF).is_some());

const GROUP_BY: &str = include_str!("aggregate_group_by.wgsl");

/// A sum of words.
#[derive(Debug)]
pub struct Sum {
    /// Resets the sum and adds.
    pub program: Program,
    total: wgpu::Buffer,
}

/// Counts and sums by group.
#[derive(Debug)]
pub struct GroupBy {
    /// Clears the groups and adds.
    pub program: Program,
    /// Four words per group: count, lower and upper half of the sum, 0.
    result: wgpu::Buffer,
    groups: u32,
    rows: u32,
}

/// Prepares the sum of the first `words` words of a buffer.
///
/// # Errors
/// What the GPU reports.
pub fn sum(gpu: &Gpu, input: &wgpu::Buffer, words: u32) -> Result<Sum, Failure> {
    let total = gpu.buffer("sum", 4)?;
    let parameters = gpu.uniform(&[words / 4, words])?;
    let reset = gpu.kernel(include_str!("reset_counters.wgsl"), "reset_counters", &[])?;
    let kernel = gpu.kernel(include_str!("aggregate_sum.wgsl"), "sum", &[])?;
    let groups = u64::from(words).div_ceil(SUMMED_PER_GROUP);
    let program = Program::new([
        gpu.dispatch(&reset, &[&total], 1)?,
        gpu.dispatch(&kernel, &[&parameters, &total, input, input], groups)?,
    ]);
    Ok(Sum { program, total })
}

impl Sum {
    /// The sum modulo 2^64 that the last run of the program found.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn result(&self, gpu: &Gpu) -> Result<u64, Failure> {
        let words = gpu.download(&self.total, 2)?;
        Ok(u64::from(words[0]) | u64::from(words[1]) << 32)
    }
}

/// Prepares counts and sums of the first `rows` values by their codes, which are below `groups` (at least 1).
///
/// # Errors
/// [`Failure::TooLarge`] if 16 bytes per group do not fit a buffer; what the GPU reports.
pub fn group_by(
    gpu: &Gpu,
    codes: &wgpu::Buffer,
    values: &wgpu::Buffer,
    rows: u32,
    groups: u32,
) -> Result<GroupBy, Failure> {
    let result = gpu.buffer("groups", 4 * u64::from(groups))?;
    let (entry, rows_per_workgroup, replicas) = if groups <= MOST_PRIVATE_GROUPS {
        let rows_per_workgroup = rows_per_workgroup(rows, groups);
        ("private", rows_per_workgroup, replicas(groups))
    } else {
        ("shared_by_all", 256, 1)
    };
    let parameters = gpu.uniform(&[rows, groups, rows_per_workgroup, replicas])?;
    let clear = gpu.kernel(GROUP_BY, "clear", &[])?;
    let kernel = gpu.kernel(GROUP_BY, entry, &[])?;
    let program = Program::new([
        gpu.dispatch(&clear, &[&parameters, &result], u64::from(groups).div_ceil(CLEARED_PER_GROUP))?,
        gpu.dispatch(&kernel, &[&parameters, &result, codes, values], rows.div_ceil(rows_per_workgroup).into())?,
    ]);
    Ok(GroupBy { program, result, groups, rows })
}

/// Rows of a workgroup that has accumulators of its own. A workgroup takes a time for each of its rows, and for each of
/// its groups, which all workgroups add to the same memory. With rows r, groups g and ρ rows per workgroup the time is a·ρ + b·g·r/ρ, least at
/// ρ = √(b/a·g·r). b/a is ⅛ on an NVIDIA H100 with 1,000 groups, from 131,072 to 33,554,432 rows.
fn rows_per_workgroup(rows: u32, groups: u32) -> u32 {
    let best = (u64::from(rows) * u64::from(groups) / 8).isqrt().next_multiple_of(1_024);
    u32::try_from(best).unwrap_or(MOST_ROWS_PER_WORKGROUP).clamp(FEWEST_ROWS_PER_WORKGROUP, MOST_ROWS_PER_WORKGROUP)
}

/// As many accumulators per group as fit, a power of two.
fn replicas(groups: u32) -> u32 {
    let fit = (MOST_PRIVATE_GROUPS / groups.max(1)).clamp(1, MOST_REPLICAS);
    1 << fit.ilog2()
}

impl GroupBy {
    /// The groups that the last run of the program found.
    ///
    /// # Errors
    /// [`Failure::WrongResult`] if a code was not below the number of groups.
    pub fn result(&self, gpu: &Gpu) -> Result<Groups, Failure> {
        let words = gpu.download(&self.result, 4 * u64::from(self.groups))?;
        let (groups, _) = words.as_chunks::<4>();
        let result = Groups {
            sums: groups.iter().map(|[_, low, high, _]| u64::from(*low) | u64::from(*high) << 32).collect(),
            counts: groups.iter().map(|[count, ..]| *count).collect(),
        };
        let counted: u64 = result.counts.iter().map(|count| u64::from(*count)).sum();
        if counted == u64::from(self.rows) {
            Ok(result)
        } else {
            let (rows, groups) = (self.rows, self.groups);
            Err(Failure::WrongResult(format!("{counted} of {rows} rows have a code below {groups}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulators_never_exceed_workgroup_memory() {
        for groups in 1..=MOST_PRIVATE_GROUPS {
            let replicas = replicas(groups);
            assert!(replicas.is_power_of_two() && replicas * groups <= MOST_PRIVATE_GROUPS, "{groups} groups");
        }
        assert_eq!((replicas(1), replicas(10), replicas(1_000)), (32, 32, 1));
    }

    /// The fastest of 1024 × 2^n on an NVIDIA H100 with 1,000 groups; that of 33.5 M rows was 4 % slower than the next smaller one.
    #[test]
    fn workgroups_have_the_rows_that_were_fastest() {
        let measured =
            [(131_072, 4_096), (524_288, 8_192), (2_097_152, 16_384), (8_388_608, 32_768), (67_108_864, 65_536)];
        for (rows, fastest) in measured {
            assert_eq!(rows_per_workgroup(rows, 1_000), fastest, "{rows} rows");
        }
        assert_eq!(rows_per_workgroup(0, 1), FEWEST_ROWS_PER_WORKGROUP);
        assert_eq!(rows_per_workgroup(u32::MAX, MOST_PRIVATE_GROUPS), MOST_ROWS_PER_WORKGROUP);
    }
}
