//! Hash join on the GPU: building the table, probing it with a sum or with materialised pairs.

use super::TILE;
use crate::cpu::join::Aggregate;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::WORKGROUP;
use crate::gpu::program::Program;

/// Slots of a bucket, 32 bytes together.
const BUCKET: u64 = 4;

/// Largest distance of a row from its home bucket: 4096 slots in a row may be occupied. At a load of ½ a bucket overflows
/// seldom, unless thousands of rows share a key.
const LONGEST_DISTANCE: u64 = 1_023;

/// Fewest slots: the lower bits of a tag hold a distance.
const FEWEST_SLOTS: u64 = 256;

/// Vectors of four words that a workgroup clears.
const CLEARED_PER_GROUP: u64 = WORKGROUP * 4;

/// Rows that a workgroup probes when it writes pairs: four per invocation, which keeps their matches in registers.
const MATERIALISED_PER_GROUP: u64 = 1_024;

const BUILD: &str = concat!(include_str!("join.wgsl"), include_str!("join_build.wgsl"));
const AGGREGATE: &str =
    concat!(include_str!("join.wgsl"), include_str!("join_probe.wgsl"), include_str!("join_aggregate.wgsl"));
const MATERIALISE: &str =
    concat!(include_str!("join.wgsl"), include_str!("join_probe.wgsl"), include_str!("join_materialise.wgsl"));
const RESET: &str = include_str!("reset_counters.wgsl");

/// A hash table from keys to payloads in the GPU's memory. Any key is valid, and may occur more than once.
#[derive(Debug)]
pub struct Table {
    /// Empties the table and builds it.
    pub program: Program,
    slots: wgpu::Buffer,
    slot_count: u64,
    /// Not 0 if a row found no slot.
    status: wgpu::Buffer,
}

/// A probe that counts matches and adds up their payloads.
#[derive(Debug)]
pub struct AggregateProbe {
    /// Resets the result and probes.
    pub program: Program,
    result: wgpu::Buffer,
}

/// A probe that writes a pair for each match.
#[derive(Debug)]
pub struct MaterialiseProbe {
    /// Resets the counter and probes.
    pub program: Program,
    /// Row of the probe side, one word per pair, unordered.
    pub rows: wgpu::Buffer,
    /// Payload of the build side, one word per pair, in the order of `rows`.
    pub payloads: wgpu::Buffer,
    /// How many pairs they are, in its first word.
    pub counters: wgpu::Buffer,
    capacity: u64,
}

/// Slots of the table over so many rows: a power of two, twice the rows at least.
#[must_use]
pub fn slots(rows: u64) -> u64 {
    (2 * rows).max(FEWEST_SLOTS).next_power_of_two()
}

impl Table {
    /// Prepares a table over the first `rows` words of two buffers; running the program builds it.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if twice the rows do not fit a buffer; what the GPU reports.
    pub fn new(gpu: &Gpu, keys: &wgpu::Buffer, payloads: &wgpu::Buffer, rows: u32) -> Result<Self, Failure> {
        let slot_count = slots(rows.into());
        let slots = gpu.buffer("hash table", 2 * slot_count)?;
        let status = gpu.buffer("status of the hash table", 4)?;
        let parameters = parameters(gpu, rows, slot_count, 0)?;
        let clear = gpu.kernel(BUILD, "clear", &[])?;
        let build = gpu.kernel(BUILD, "build", &[])?;
        let program = Program::new([
            gpu.dispatch(&clear, &[&parameters, &status, &slots], (slot_count / 2).div_ceil(CLEARED_PER_GROUP))?,
            gpu.dispatch(&build, &[&parameters, &status, &slots, keys, payloads], u64::from(rows).div_ceil(WORKGROUP))?,
        ]);
        Ok(Self { program, slots, slot_count, status })
    }

    /// Whether the last run of the program inserted every row; ask before trusting a probe.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] if a row found no slot near its home, which takes thousands of rows with one key.
    pub fn check(&self, gpu: &Gpu) -> Result<(), Failure> {
        if gpu.download(&self.status, 1)? == [0] {
            Ok(())
        } else {
            let slots = (LONGEST_DISTANCE + 1) * BUCKET;
            Err(Failure::Unsupported(format!(
                "a hash table with more than {slots} rows in a run of slots; too many rows of the build side share a key"
            )))
        }
    }

    /// Prepares a probe with the first `rows` words of a buffer.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn probe_aggregate(&self, gpu: &Gpu, keys: &wgpu::Buffer, rows: u32) -> Result<AggregateProbe, Failure> {
        let result = gpu.buffer("matches and sum", 4)?;
        let parameters = parameters(gpu, rows, self.slot_count, 0)?;
        let reset = gpu.kernel(RESET, "reset_counters", &[])?;
        let aggregate = gpu.kernel(AGGREGATE, "aggregate", &[])?;
        let program = Program::new([
            gpu.dispatch(&reset, &[&result], 1)?,
            gpu.dispatch(&aggregate, &[&parameters, &result, &self.slots, keys], u64::from(rows).div_ceil(TILE))?,
        ]);
        Ok(AggregateProbe { program, result })
    }

    /// Prepares a probe with the first `rows` words of a buffer; at most `capacity` pairs fit the output.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn probe_materialise(
        &self,
        gpu: &Gpu,
        keys: &wgpu::Buffer,
        rows: u32,
        capacity: u32,
    ) -> Result<MaterialiseProbe, Failure> {
        let counters = gpu.buffer("count of pairs", 4)?;
        let parameters = parameters(gpu, rows, self.slot_count, capacity)?;
        let reset = gpu.kernel(RESET, "reset_counters", &[])?;
        let materialise = gpu.kernel(MATERIALISE, "materialise", &[])?;
        let capacity = u64::from(capacity);
        let row_output = gpu.buffer("rows of pairs", capacity)?;
        let payload_output = gpu.buffer("payloads of pairs", capacity)?;
        let program = Program::new([
            gpu.dispatch(&reset, &[&counters], 1)?,
            gpu.dispatch(
                &materialise,
                &[&parameters, &counters, &self.slots, keys, &row_output, &payload_output],
                u64::from(rows).div_ceil(MATERIALISED_PER_GROUP),
            )?,
        ]);
        Ok(MaterialiseProbe { program, rows: row_output, payloads: payload_output, counters, capacity })
    }
}

impl AggregateProbe {
    /// What the last run of the program found.
    ///
    /// # Errors
    /// What the GPU reports.
    pub fn result(&self, gpu: &Gpu) -> Result<Aggregate, Failure> {
        let words = gpu.download(&self.result, 4)?;
        let wide = |low: usize| u64::from(words[low]) | u64::from(words[low + 1]) << 32;
        Ok(Aggregate { matches: wide(0), payload_sum: wide(2) })
    }
}

impl MaterialiseProbe {
    /// How many pairs the last run of the program wrote.
    ///
    /// # Errors
    /// [`Failure::TooLarge`] if they did not fit the output.
    pub fn count(&self, gpu: &Gpu) -> Result<u64, Failure> {
        let [count, overflow] = gpu.download(&self.counters, 2)?[..] else {
            return Err(Failure::Refused("a short download".to_owned()));
        };
        if overflow == 0 {
            Ok(count.into())
        } else {
            let (bytes, limit) = (u64::from(count) * 8, self.capacity * 8);
            Err(Failure::TooLarge { what: "the output of the join".to_owned(), bytes, limit })
        }
    }
}

/// The uniform of all kernels of the join.
#[expect(clippy::cast_possible_truncation, reason = "a buffer has fewer than 2^32 slots")]
fn parameters(gpu: &Gpu, rows: u32, slots: u64, capacity: u32) -> Result<wgpu::Buffer, Failure> {
    let buckets = slots / BUCKET;
    let longest = LONGEST_DISTANCE.min(buckets - 2);
    gpu.uniform(&[rows, (buckets - 1) as u32, longest as u32, capacity])
}
