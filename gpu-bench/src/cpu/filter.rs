//! Filter: the words that are small enough, in order.

use rayon::prelude::*;

use super::compaction::compact;
use super::output::{self, Growing};

/// Words of one task: 256 KiB, so that input and output of a task fit into most second-level caches.
const CHUNK: usize = 1 << 16;

/// Tasks per thread before what they kept is copied, from a cache that all cores share, or nearer.
const CHUNKS_PER_THREAD: usize = 4;

/// Words that are kept in the first-level cache before they are appended to new memory.
const BATCH: usize = 1 << 12;

/// Writes the words below `bound` to the front of `kept`, in order; returns how many.
///
/// # Panics
/// If `kept` is shorter than `words`.
pub fn below(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    assert!(kept.len() >= words.len(), "room for all words");
    compact(words, bound, kept)
}

/// [`below`] on all cores.
///
/// # Panics
/// If `kept` is shorter than `words`.
pub fn below_parallel(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    assert!(kept.len() >= words.len(), "room for all words");
    let mut total = 0;
    in_waves(words, bound, |pieces| total += output::copy(pieces, &mut kept[total..]));
    total
}

/// The words below `bound`, in order, in new memory.
#[must_use]
pub fn collect_below(words: &[u32], bound: u32) -> Vec<u32> {
    let mut kept = Vec::with_capacity(words.len());
    let mut batch = [0; BATCH];
    for words in words.chunks(BATCH) {
        let count = compact(words, bound, &mut batch);
        kept.extend_from_slice(&batch[..count]);
    }
    kept
}

/// [`collect_below`] on all cores.
#[must_use]
pub fn collect_below_parallel(words: &[u32], bound: u32) -> Vec<u32> {
    let mut kept = Growing::with_capacity(words.len());
    in_waves(words, bound, |pieces| kept.append(pieces));
    kept.finish()
}

/// Calls `take` with what is kept of one wave of chunks after the other.
fn in_waves(words: &[u32], bound: u32, mut take: impl FnMut(&[&[u32]])) {
    let mut scratch = vec![Vec::new(); CHUNKS_PER_THREAD * rayon::current_num_threads()];
    for words in words.chunks(CHUNK * scratch.len()) {
        let chunks = words.par_chunks(CHUNK).zip(&mut scratch);
        let pieces: Vec<&[u32]> = chunks
            .map(|(words, scratch)| {
                if scratch.len() < words.len() {
                    scratch.resize(words.len(), 0);
                }
                let count = compact(words, bound, scratch);
                &scratch[..count]
            })
            .collect();
        take(&pieces);
    }
}
