//! Sorting 32-bit keys, alone or with a payload: one radix partition by the highest digit, then a radix sort
//! from the lowest digit inside each part, where it stays in the second-level cache.

use rayon::prelude::*;

use super::partition::{PARTS, Parts, Threads, first_places, partition, scatter, starts};

/// Bits of a digit; its values are the parts of a partition.
const DIGIT_BITS: u32 = 8;

/// Rows up to which insertion beats counting digits.
const INSERTION_ROWS: usize = 48;

/// Sorts keys; `scratch` is as long and its content is lost.
///
/// # Panics
/// If the slices differ in length, or hold 2^32 keys or more.
pub fn sort_keys(keys: &mut [u32], scratch: &mut [u32]) {
    // A payload without bytes: the compiler leaves nothing of it.
    let rows = keys.len();
    sort(Threads::One, keys, &mut vec![(); rows], scratch, &mut vec![(); rows]);
}

/// [`sort_keys`] on all cores.
///
/// # Panics
/// As [`sort_keys`].
pub fn sort_keys_parallel(keys: &mut [u32], scratch: &mut [u32]) {
    let rows = keys.len();
    sort(Threads::All, keys, &mut vec![(); rows], scratch, &mut vec![(); rows]);
}

/// Sorts pairs of key and payload by key; equal keys stay in order. The scratch slices are as long and their
/// content is lost.
///
/// # Panics
/// If the slices differ in length, or hold 2^32 pairs or more.
pub fn sort_pairs(keys: &mut [u32], payloads: &mut [u32], scratch_keys: &mut [u32], scratch_payloads: &mut [u32]) {
    sort(Threads::One, keys, payloads, scratch_keys, scratch_payloads);
}

/// [`sort_pairs`] on all cores.
///
/// # Panics
/// As [`sort_pairs`].
pub fn sort_pairs_parallel(
    keys: &mut [u32],
    payloads: &mut [u32],
    scratch_keys: &mut [u32],
    scratch_payloads: &mut [u32],
) {
    sort(Threads::All, keys, payloads, scratch_keys, scratch_payloads);
}

fn sort<P: Copy + Default + Send + Sync>(
    threads: Threads,
    keys: &mut [u32],
    payloads: &mut [P],
    scratch_keys: &mut [u32],
    scratch_payloads: &mut [P],
) {
    let lengths = [payloads.len(), scratch_keys.len(), scratch_payloads.len()];
    assert!(lengths == [keys.len(); 3], "as many payloads and scratch places as keys");
    assert!(u32::try_from(keys.len()).is_ok(), "rows fit into 32 bits");
    // The highest digit begins at the highest bit in use, so that small keys are spread over the parts too.
    let bits = 32 - largest(threads, keys).leading_zeros();
    let low_bits = bits.saturating_sub(DIGIT_BITS);
    let parts = partition(threads, keys, payloads, scratch_keys, scratch_payloads, |key| digit(key, low_bits));
    let mut rest = (keys, payloads);
    let mut tasks = Vec::with_capacity(PARTS);
    for (part, rows) in parts.all_rows().into_iter().enumerate() {
        let (part_keys, rest_keys) = rest.0.split_at_mut(rows);
        let (part_payloads, rest_payloads) = rest.1.split_at_mut(rows);
        rest = (rest_keys, rest_payloads);
        if rows > 0 {
            tasks.push((part, part_keys, part_payloads));
        }
    }
    let new_scratch = || (Vec::new(), Vec::new());
    match threads {
        Threads::One => {
            let mut scratch = new_scratch();
            for (part, keys, payloads) in tasks {
                sort_part(&parts, part, low_bits, keys, payloads, &mut scratch);
            }
        }
        Threads::All => tasks.into_par_iter().for_each_init(new_scratch, |scratch, (part, keys, payloads)| {
            sort_part(&parts, part, low_bits, keys, payloads, scratch);
        }),
    }
}

fn largest(threads: Threads, keys: &[u32]) -> u32 {
    let largest = match threads {
        Threads::One => keys.iter().copied().max(),
        Threads::All => keys.par_chunks(1 << 16).filter_map(|keys| keys.iter().copied().max()).max(),
    };
    largest.unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "a digit is the lowest 8 bits of what is left")]
fn digit(key: u32, low_bits: u32) -> u8 {
    (key >> low_bits) as u8
}

/// Writes the rows of a part, sorted by their lowest bits, to `keys` and `payloads`.
fn sort_part<P: Copy + Default>(
    parts: &Parts<'_, P>,
    part: usize,
    low_bits: u32,
    keys: &mut [u32],
    payloads: &mut [P],
    scratch: &mut (Vec<u32>, Vec<P>),
) {
    let passes = low_bits.div_ceil(DIGIT_BITS);
    if passes == 0 || keys.len() <= INSERTION_ROWS {
        gather(parts, part, keys, payloads);
        insertion_sort(keys, payloads);
        return;
    }
    let mut counts = [[0; PARTS]; 3];
    for (keys, _) in parts.pieces(part) {
        for key in keys {
            for (pass, counts) in (0..passes).zip(&mut counts) {
                counts[usize::from(digit(*key, pass * DIGIT_BITS))] += 1;
            }
        }
    }
    if scratch.0.len() < keys.len() {
        scratch.0.resize(keys.len(), 0);
        scratch.1.resize(keys.len(), P::default());
    }
    let (mut from_keys, mut from_payloads) = (&mut scratch.0[..keys.len()], &mut scratch.1[..payloads.len()]);
    let (mut to_keys, mut to_payloads) = (keys, payloads);
    // After the last pass the rows are where they belong, so the first goes there or not by the number of passes.
    if passes.is_multiple_of(2) {
        std::mem::swap(&mut from_keys, &mut to_keys);
        std::mem::swap(&mut from_payloads, &mut to_payloads);
    }
    let mut places = first_places(&starts(&counts[0]));
    for (keys, payloads) in parts.pieces(part) {
        scatter(keys, payloads, to_keys, to_payloads, &mut places, |key| digit(key, 0));
    }
    for (pass, counts) in (1..passes).zip(&counts[1..]) {
        std::mem::swap(&mut from_keys, &mut to_keys);
        std::mem::swap(&mut from_payloads, &mut to_payloads);
        let mut places = first_places(&starts(counts));
        scatter(from_keys, from_payloads, to_keys, to_payloads, &mut places, |key| digit(key, pass * DIGIT_BITS));
    }
}

fn gather<P: Copy>(parts: &Parts<'_, P>, part: usize, keys: &mut [u32], payloads: &mut [P]) {
    let mut start = 0;
    for (piece_keys, piece_payloads) in parts.pieces(part) {
        let end = start + piece_keys.len();
        keys[start..end].copy_from_slice(piece_keys);
        payloads[start..end].copy_from_slice(piece_payloads);
        start = end;
    }
}

fn insertion_sort<P: Copy>(keys: &mut [u32], payloads: &mut [P]) {
    for end in 1..keys.len() {
        let (key, payload) = (keys[end], payloads[end]);
        let mut place = end;
        while place > 0 && keys[place - 1] > key {
            keys[place] = keys[place - 1];
            payloads[place] = payloads[place - 1];
            place -= 1;
        }
        keys[place] = key;
        payloads[place] = payload;
    }
}
