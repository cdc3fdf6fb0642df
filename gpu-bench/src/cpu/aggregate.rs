//! Group-by over dictionary codes: sum and count per group.

use super::partition::{CHUNK, PARTS, Threads, partition};

/// Groups up to which four accumulators per group pay: equal codes that follow each other then do not wait
/// for the store before.
const LANED_GROUPS: usize = 512;

/// Groups up to which sum and count share a word that is emptied after every [`BLOCK`] rows.
const PACKED_GROUPS: usize = 1 << 13;

/// Groups up to which every thread has sums and counts of its own; they stay in its second-level cache.
const DENSE_GROUPS: usize = 1 << 16;

/// Rows whose values surely fit into the sum of a packed word, and whose number fits into its count.
const BLOCK: usize = (1 << COUNT_BITS) - 1;

/// Bits of a packed word for the count; the others hold a sum of that many 32-bit values.
const COUNT_BITS: u32 = 16;

/// Bits of a packed word for the sum.
const SUM_BITS: u32 = u64::BITS - COUNT_BITS;

/// Chunks per thread that are partitioned before their parts are added up; bounds the memory.
const CHUNKS_PER_THREAD: usize = 16;

/// One row per group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// Sum of the values, modulo 2^64.
    pub sums: Vec<u64>,
    /// Rows, modulo 2^32.
    pub counts: Vec<u32>,
}

/// Sums and counts `values` by their `codes`, which are below `groups`.
///
/// # Panics
/// If a code is not below `groups`, or the slices differ in length.
#[must_use]
pub fn group_by(codes: &[u32], values: &[u32], groups: usize) -> Groups {
    group_by_on(Threads::One, codes, values, groups)
}

/// [`group_by`] on all cores.
///
/// # Panics
/// As [`group_by`].
#[must_use]
pub fn group_by_parallel(codes: &[u32], values: &[u32], groups: usize) -> Groups {
    group_by_on(Threads::All, codes, values, groups)
}

fn group_by_on(threads: Threads, codes: &[u32], values: &[u32], groups: usize) -> Groups {
    assert_eq!(codes.len(), values.len(), "one value per code");
    if groups > DENSE_GROUPS {
        return partitioned(threads, codes, values, groups);
    }
    // No more shares than there is work for: each costs a pass over all groups.
    let shares = threads.count().min(codes.len().div_ceil(groups.max(CHUNK))).max(1);
    let share = codes.len().div_ceil(shares).max(1);
    let shares = codes.chunks(share).zip(values.chunks(share)).collect();
    let mut results = threads.map(shares, |(codes, values)| dense(codes, values, groups)).into_iter();
    let first = results.next().unwrap_or_else(|| Groups::empty(groups));
    results.fold(first, Groups::merge)
}

impl Groups {
    fn empty(groups: usize) -> Self {
        Self { sums: vec![0; groups], counts: vec![0; groups] }
    }

    fn merge(mut self, other: Self) -> Self {
        for (sum, other) in self.sums.iter_mut().zip(other.sums) {
            *sum = sum.wrapping_add(other);
        }
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            *count = count.wrapping_add(other);
        }
        self
    }
}

fn dense(codes: &[u32], values: &[u32], groups: usize) -> Groups {
    let mut result = Groups::empty(groups);
    if groups <= LANED_GROUPS {
        packed::<4>(codes, values, &mut result);
    } else if groups <= PACKED_GROUPS {
        packed::<1>(codes, values, &mut result);
    } else {
        add(codes, values, 0, &mut result.sums, &mut result.counts);
    }
    result
}

/// One addition per row instead of two.
fn packed<const LANES: usize>(codes: &[u32], values: &[u32], result: &mut Groups) {
    let mut words = vec![[0_u64; LANES]; result.sums.len()];
    for (codes, values) in codes.chunks(BLOCK).zip(values.chunks(BLOCK)) {
        let (codes, last_codes) = codes.as_chunks::<LANES>();
        let (values, last_values) = values.as_chunks::<LANES>();
        for (codes, values) in codes.iter().zip(values) {
            for lane in 0..LANES {
                words[codes[lane] as usize][lane] += (1 << SUM_BITS) | u64::from(values[lane]);
            }
        }
        for (code, value) in last_codes.iter().zip(last_values) {
            words[*code as usize][0] += (1 << SUM_BITS) | u64::from(*value);
        }
        for (group, words) in words.iter_mut().enumerate() {
            for word in words {
                result.sums[group] = result.sums[group].wrapping_add(*word & ((1 << SUM_BITS) - 1));
                result.counts[group] = result.counts[group].wrapping_add((*word >> SUM_BITS) as u32);
                *word = 0;
            }
        }
    }
}

/// Adds rows to the groups from `first_code` on.
fn add(codes: &[u32], values: &[u32], first_code: usize, sums: &mut [u64], counts: &mut [u32]) {
    let counts = &mut counts[..sums.len()];
    for (code, value) in codes.iter().zip(values) {
        let group = *code as usize - first_code;
        sums[group] = sums[group].wrapping_add(u64::from(*value));
        counts[group] = counts[group].wrapping_add(1);
    }
}

/// Partitions the rows by ranges of codes, so that the groups of a part stay in a cache and have one owner.
fn partitioned(threads: Threads, codes: &[u32], values: &[u32], groups: usize) -> Groups {
    let mut result = Groups::empty(groups);
    let part_bits = groups.div_ceil(PARTS).next_power_of_two().ilog2();
    let wave = CHUNK * CHUNKS_PER_THREAD * threads.count();
    let mut scratch_codes = vec![0; wave.min(codes.len())];
    let mut scratch_values = vec![0; wave.min(codes.len())];
    for (codes, values) in codes.chunks(wave).zip(values.chunks(wave)) {
        let (scratch_codes, scratch_values) = (&mut scratch_codes[..codes.len()], &mut scratch_values[..codes.len()]);
        let parts = partition(threads, codes, values, scratch_codes, scratch_values, |code| {
            u8::try_from(code >> part_bits).expect("codes are below the number of groups")
        });
        let outputs = result.sums.chunks_mut(1 << part_bits).zip(result.counts.chunks_mut(1 << part_bits));
        threads.map(outputs.enumerate().collect(), |(part, (sums, counts))| {
            for (codes, values) in parts.pieces(part) {
                add(codes, values, part << part_bits, sums, counts);
            }
        });
        let first_unused = groups.div_ceil(1 << part_bits);
        assert!((first_unused..PARTS).all(|part| parts.rows(part) == 0), "codes are below the number of groups");
    }
    result
}
