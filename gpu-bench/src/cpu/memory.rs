//! Streaming through memory: the CPU's own roof.

use rayon::prelude::*;

/// Words that one task copies or adds at a time; several times a core's L2 cache share a `memcpy` call.
const CHUNK: usize = 1 << 16;

/// Copies on one core.
pub fn copy(from: &[u32], to: &mut [u32]) {
    to.copy_from_slice(from);
}

/// Copies on all cores.
pub fn copy_parallel(from: &[u32], to: &mut [u32]) {
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
}

/// Wrapping sum on one core.
#[must_use]
pub fn sum(words: &[u32]) -> u64 {
    words.iter().map(|word| u64::from(*word)).sum()
}

/// Wrapping sum on all cores.
#[must_use]
pub fn sum_parallel(words: &[u32]) -> u64 {
    words.par_chunks(CHUNK).map(sum).sum()
}
