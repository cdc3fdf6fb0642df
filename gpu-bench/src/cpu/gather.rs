//! Random reads: the CPU's own roof of hash tables.

use crossover_harness::generator::Generator;
use rayon::prelude::*;

/// Accesses of one task.
const CHUNK: u64 = 1 << 14;

/// Wrapping sum of the words at `accesses` places of a table, as [`Generator::below`] gives them, on one core.
/// No access waits for another, so as many are in flight as the core can hold.
///
/// # Panics
/// If the table is empty.
#[must_use]
pub fn sum(table: &[u32], places: Generator, accesses: u64) -> u32 {
    sum_range(table, places, 0..accesses)
}

/// [`sum`] on all cores.
///
/// # Panics
/// If the table is empty.
#[must_use]
pub fn sum_parallel(table: &[u32], places: Generator, accesses: u64) -> u32 {
    (0..accesses.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| sum_range(table, places, chunk * CHUNK..accesses.min((chunk + 1) * CHUNK)))
        .reduce(|| 0, u32::wrapping_add)
}

#[expect(clippy::cast_possible_truncation, reason = "places lie within the table")]
fn sum_range(table: &[u32], places: Generator, accesses: std::ops::Range<u64>) -> u32 {
    let words = table.len() as u64;
    accesses.map(|access| table[places.below(access, words) as usize]).fold(0, u32::wrapping_add)
}
