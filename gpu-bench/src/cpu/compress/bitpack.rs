//! Bit-packing of a block: every value in the same number of bits, from 0 to 32.
//!
//! The layout is vertical, as in `FastLanes` (Afroozeh and Boncz 2023): value `i` of a block is in row `i / 128`
//! of lane `i % 128`; each lane packs its 32 rows into `width` words, lowest bits first, and word `k` of lane
//! `l` is word `128·k + l` of the block. Neighbouring lanes thus read neighbouring words, and one shift serves
//! a whole row: the loops over lanes below become SIMD, and on the GPU every access is coalesced.

use super::BLOCK;

/// Lanes of a block.
pub const LANES: usize = 128;

/// Bits that the largest of some numbers needs.
#[must_use]
pub fn width(largest: u32) -> u32 {
    32 - largest.leading_zeros()
}

/// Packs a block, less `reference`, into 128 · `width` words, which are all overwritten.
///
/// # Panics
/// If `packed` is shorter.
pub fn pack(values: &[u32; BLOCK], reference: u32, width: u32, packed: &mut [u32]) {
    if width == 0 {
        return;
    }
    let (packed, _) = packed.as_chunks_mut::<LANES>();
    for (row, values) in (0..).zip(values.as_chunks::<LANES>().0) {
        let (word, shift) = ((row * width / 32) as usize, row * width % 32);
        if shift == 0 {
            for (low, value) in packed[word].iter_mut().zip(values) {
                *low = value.wrapping_sub(reference);
            }
        } else if shift + width <= 32 {
            for (low, value) in packed[word].iter_mut().zip(values) {
                *low |= value.wrapping_sub(reference) << shift;
            }
        } else {
            let (low, high) = packed.split_at_mut(word + 1);
            for ((low, high), value) in low[word].iter_mut().zip(&mut high[0]).zip(values) {
                let value = value.wrapping_sub(reference);
                *low |= value << shift;
                *high = value >> (32 - shift);
            }
        }
    }
}

/// Unpacks a block of 128 · `width` words and adds `reference`.
///
/// # Panics
/// If `packed` is shorter or `width` exceeds 32.
pub fn unpack(packed: &[u32], width: u32, reference: u32, values: &mut [u32; BLOCK]) {
    if width == 0 {
        values.fill(reference);
        return;
    }
    let mask = u32::MAX >> (32 - width);
    let (packed, _) = packed.as_chunks::<LANES>();
    for (row, values) in (0..).zip(values.as_chunks_mut::<LANES>().0) {
        let (word, shift) = ((row * width / 32) as usize, row * width % 32);
        if shift + width <= 32 {
            for (value, low) in values.iter_mut().zip(&packed[word]) {
                *value = ((low >> shift) & mask).wrapping_add(reference);
            }
        } else {
            for ((value, low), high) in values.iter_mut().zip(&packed[word]).zip(&packed[word + 1]) {
                *value = (((low >> shift) | (high << (32 - shift))) & mask).wrapping_add(reference);
            }
        }
    }
}

/// A block for packing: `values` themselves, or in a short block followed by `padding`.
pub(super) fn padded<'block>(
    values: &'block [u32],
    padding: u32,
    scratch: &'block mut [u32; BLOCK],
) -> &'block [u32; BLOCK] {
    if let Ok(whole) = values.try_into() {
        return whole;
    }
    scratch[..values.len()].copy_from_slice(values);
    scratch[values.len()..].fill(padding);
    scratch
}

/// Has a whole block written and keeps as much of it as `values` holds.
pub(super) fn cut(values: &mut [u32], write: impl FnOnce(&mut [u32; BLOCK])) {
    if let Some(whole) = values.first_chunk_mut::<BLOCK>() {
        return write(whole);
    }
    let mut scratch = [0; BLOCK];
    write(&mut scratch);
    values.copy_from_slice(&scratch[..values.len()]);
}
