//! Filter: the words that are small enough, in order.

use rayon::prelude::*;

use super::compaction::compact;

/// Words of one task: a quarter of a second-level cache.
const CHUNK: usize = 1 << 16;

/// Tasks per thread before their counts are added up: the second reading still finds the words in a cache.
const CHUNKS_PER_THREAD: usize = 4;

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
    let wave = CHUNK * CHUNKS_PER_THREAD * rayon::current_num_threads();
    let mut total = 0;
    for words in words.chunks(wave) {
        let counts: Vec<usize> = words.par_chunks(CHUNK).map(|words| count(words, bound)).collect();
        let mut rest = &mut kept[total..];
        let mut tasks = Vec::with_capacity(counts.len());
        for (words, count) in words.chunks(CHUNK).zip(counts) {
            let (kept, after) = rest.split_at_mut(count);
            rest = after;
            total += count;
            tasks.push((words, kept));
        }
        tasks.into_par_iter().for_each(|(words, kept)| {
            compact(words, bound, kept);
        });
    }
    total
}

fn count(words: &[u32], bound: u32) -> usize {
    // 32-bit counters: twice as many in a vector register.
    words.chunks(CHUNK).map(|words| words.iter().map(|word| u32::from(*word < bound)).sum::<u32>() as usize).sum()
}
