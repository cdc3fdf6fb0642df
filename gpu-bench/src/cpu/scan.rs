//! Prefix sums.

use rayon::prelude::*;

/// Words of one task: half of a second-level cache with its sums.
const CHUNK: usize = 1 << 15;

/// Tasks per thread before their totals are added up: the second reading still finds the words in a cache.
const CHUNKS_PER_THREAD: usize = 4;

/// `sums[i]` = words before `i`, added up modulo 2^32.
///
/// # Panics
/// If the slices differ in length.
pub fn exclusive_sum(words: &[u32], sums: &mut [u32]) {
    assert_eq!(words.len(), sums.len(), "one sum per word");
    scan(words, sums, 0);
}

/// [`exclusive_sum`] on all cores.
///
/// # Panics
/// If the slices differ in length.
pub fn exclusive_sum_parallel(words: &[u32], sums: &mut [u32]) {
    assert_eq!(words.len(), sums.len(), "one sum per word");
    let wave = CHUNK * CHUNKS_PER_THREAD * rayon::current_num_threads();
    let mut total = 0_u32;
    for (words, sums) in words.chunks(wave).zip(sums.chunks_mut(wave)) {
        let mut starts: Vec<u32> = words.par_chunks(CHUNK).map(wrapping_sum).collect();
        for start in &mut starts {
            (*start, total) = (total, total.wrapping_add(*start));
        }
        let chunks = words.par_chunks(CHUNK).zip(sums.par_chunks_mut(CHUNK));
        chunks.zip(starts).for_each(|((words, sums), start)| scan(words, sums, start));
    }
}

fn wrapping_sum(words: &[u32]) -> u32 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// Four words at a time: only one addition in four waits for the one before.
fn scan(words: &[u32], sums: &mut [u32], mut total: u32) {
    let (words, last_words) = words.as_chunks::<4>();
    let (sums, last_sums) = sums.as_chunks_mut::<4>();
    for ([a, b, c, d], sums) in words.iter().zip(sums) {
        let ab = a.wrapping_add(*b);
        let abc = ab.wrapping_add(*c);
        *sums = [total, total.wrapping_add(*a), total.wrapping_add(ab), total.wrapping_add(abc)];
        total = total.wrapping_add(abc.wrapping_add(*d));
    }
    for (word, sum) in last_words.iter().zip(last_sums) {
        *sum = total;
        total = total.wrapping_add(*word);
    }
}
