//! Dictionary coding: the distinct values in order, and each value's place among them, bit-packed in one width.

use std::collections::HashSet;

use rayon::prelude::*;

use super::bitpack::{LANES, cut, pack, unpack, width};
use super::{BLOCK, Codec, Damaged, blocks, check_length, count};

/// Most values in a dictionary.
pub const MOST: usize = 1 << 16;

/// A dictionary and the codec that uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dictionary {
    values: Vec<u32>,
    /// A hash table with linear probing from values to codes, at most a quarter full: value, code.
    slots: Vec<(u32, u32)>,
}

/// A compressed column; its dictionary is kept apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Values.
    pub count: u32,
    /// Bits per code.
    pub width: u32,
    /// The packed blocks, 128 · width words each.
    pub words: Vec<u32>,
}

/// A slot that no value uses.
const FREE: u32 = u32::MAX;

impl Dictionary {
    /// The distinct values of a column.
    ///
    /// # Errors
    /// [`Damaged`] if there are more than [`MOST`].
    pub fn of(column: &[u32]) -> Result<Self, Damaged> {
        let mut distinct = HashSet::new();
        for values in column.chunks(BLOCK) {
            distinct.extend(values);
            if distinct.len() > MOST {
                return Err(Damaged("a dictionary holds 65 536 values at most"));
            }
        }
        let mut values: Vec<u32> = distinct.into_iter().copied().collect();
        values.sort_unstable();
        let mut slots = vec![(0, FREE); (values.len() * 4).next_power_of_two()];
        for (code, value) in (0..).zip(&values) {
            let mut slot = home(*value, slots.len());
            while slots[slot].1 != FREE {
                slot = (slot + 1) % slots.len();
            }
            slots[slot] = (*value, code);
        }
        Ok(Self { values, slots })
    }

    /// The values, ascending.
    #[must_use]
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Bits per code.
    #[must_use]
    pub fn width(&self) -> u32 {
        width(u32::try_from(self.values.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// The code of a value, or [`FREE`]. A table that is never full ends the search.
    fn code(&self, value: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = home(value, self.slots.len());
        loop {
            let (found, code) = self.slots[slot & mask];
            if found == value || code == FREE {
                return code;
            }
            slot += 1;
        }
    }

    /// The codes of a block, zero after its end.
    fn codes(&self, values: &[u32], codes: &mut [u32; BLOCK]) -> Result<(), Damaged> {
        let mut missing = false;
        for (code, value) in codes.iter_mut().zip(values) {
            *code = self.code(*value);
            missing |= *code == FREE;
        }
        codes[values.len()..].fill(0);
        if missing { Err(Damaged("a value is not in the dictionary")) } else { Ok(()) }
    }

    fn check(&self, stream: &Stream, values: &[u32]) -> Result<(), Damaged> {
        check_length(stream.count, values)?;
        let words = blocks(values.len()) * stream.width as usize * LANES;
        if stream.width == self.width() && stream.words.len() == words && (values.is_empty() || !self.values.is_empty())
        {
            Ok(())
        } else {
            Err(Damaged("the codes are not those of this dictionary"))
        }
    }

    fn decode_block(&self, stream: &Stream, index: usize, values: &mut [u32]) -> Result<(), Damaged> {
        let words = stream.width as usize * LANES;
        let mut outside = false;
        cut(values, |values| {
            unpack(&stream.words[index * words..(index + 1) * words], stream.width, 0, values);
            let last = self.values.len() - 1;
            for value in values {
                outside |= *value as usize > last;
                *value = self.values[(*value as usize).min(last)];
            }
        });
        if outside { Err(Damaged("a code is beyond the end of the dictionary")) } else { Ok(()) }
    }
}

/// Where the search for a value begins (multiplicative hashing, Knuth 6.4).
fn home(value: u32, slots: usize) -> usize {
    ((u64::from(value.wrapping_mul(0x9E37_79B1)) * slots as u64) >> 32) as usize
}

impl Codec for Dictionary {
    type Stream = Stream;

    fn encode(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        (stream.count, stream.width) = (count(values)?, self.width());
        let words = stream.width as usize * LANES;
        stream.words.resize(blocks(values.len()) * words, 0);
        let mut codes = [0; BLOCK];
        for (index, block) in values.chunks(BLOCK).enumerate() {
            self.codes(block, &mut codes)?;
            pack(&codes, 0, stream.width, &mut stream.words[index * words..(index + 1) * words]);
        }
        Ok(())
    }

    fn encode_parallel(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        (stream.count, stream.width) = (count(values)?, self.width());
        let words = stream.width as usize * LANES;
        stream.words.resize(blocks(values.len()) * words, 0);
        if words == 0 {
            return values.par_chunks(BLOCK).try_for_each(|block| self.codes(block, &mut [0; BLOCK]));
        }
        stream.words.par_chunks_mut(words).zip(values.par_chunks(BLOCK)).with_min_len(8).try_for_each_init(
            || [0; BLOCK],
            |codes, (packed, block)| {
                self.codes(block, codes)?;
                pack(codes, 0, stream.width, packed);
                Ok(())
            },
        )
    }

    fn decode(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        self.check(stream, values)?;
        values.chunks_mut(BLOCK).enumerate().try_for_each(|(index, block)| self.decode_block(stream, index, block))
    }

    fn decode_parallel(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        self.check(stream, values)?;
        let blocks = values.par_chunks_mut(BLOCK).enumerate().with_min_len(8);
        blocks.try_for_each(|(index, block)| self.decode_block(stream, index, block))
    }

    fn bytes(&self, stream: &Stream) -> u64 {
        4 * (stream.words.len() + self.values.len()) as u64
    }
}
