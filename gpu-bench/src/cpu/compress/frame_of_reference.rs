//! Frame of reference: per block the smallest value, and the bit-packed distances from it
//! (Goldstein, Ramakrishnan, Shaft 1998).

use rayon::prelude::*;

use super::bitpack::{LANES, cut, pack, padded, unpack, width};
use super::{BLOCK, Codec, Damaged, blocks, check_length, check_offsets, count, prefix_sum, split};

/// The codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameOfReference;

/// A compressed column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Values.
    pub count: u32,
    /// Smallest value of each block.
    pub references: Vec<u32>,
    /// Where each block begins, and the end, in units of 128 words: a block's width is the difference to the next.
    pub offsets: Vec<u32>,
    /// The packed blocks.
    pub words: Vec<u32>,
}

impl Stream {
    pub(super) fn check(&self) -> Result<(), Damaged> {
        let blocks = blocks(self.count as usize);
        check_offsets(&self.offsets, blocks, 32)?;
        if self.references.len() != blocks || self.words.len() != self.offsets[blocks] as usize * LANES {
            return Err(Damaged("references or words are missing"));
        }
        Ok(())
    }

    /// Reference, width and words of a block.
    pub(super) fn block(&self, index: usize) -> (u32, u32, &[u32]) {
        let (first, end) = (self.offsets[index], self.offsets[index + 1]);
        (self.references[index], end - first, &self.words[first as usize * LANES..end as usize * LANES])
    }
}

/// Smallest value of a block and the width of the distances from it. Signed numbers, because the smaller of two
/// unsigned ones is not an instruction of every x86-64 processor.
fn frame(values: &[u32]) -> (u32, u32) {
    let signed = values.iter().map(|value| (value ^ SIGN).cast_signed());
    let (low, high) = signed.fold((i32::MAX, i32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    (low.cast_unsigned() ^ SIGN, width(high.wrapping_sub(low).cast_unsigned()))
}

/// The bit that turns the order of unsigned numbers into that of signed ones.
const SIGN: u32 = 1 << 31;

impl Codec for FrameOfReference {
    type Stream = Stream;

    fn encode(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        let mut scratch = [0; BLOCK];
        let mut packed = [0; BLOCK];
        stream.count = count(values)?;
        stream.references.clear();
        stream.words.clear();
        let sizes = values.chunks(BLOCK).map(|block| {
            let (reference, width) = frame(block);
            pack(padded(block, reference, &mut scratch), reference, width, &mut packed);
            stream.references.push(reference);
            stream.words.extend_from_slice(&packed[..width as usize * LANES]);
            width
        });
        prefix_sum(sizes, &mut stream.offsets);
        Ok(())
    }

    fn encode_parallel(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        stream.count = count(values)?;
        let widths: Vec<u32>;
        (stream.references, widths) = values.par_chunks(BLOCK).with_min_len(8).map(frame).unzip();
        prefix_sum(widths.iter().copied(), &mut stream.offsets);
        split(&mut stream.words, &stream.offsets, LANES)
            .into_par_iter()
            .zip(values.par_chunks(BLOCK))
            .zip(&stream.references)
            .zip(widths)
            .with_min_len(8)
            .for_each(|(((packed, block), reference), width)| {
                pack(padded(block, *reference, &mut [0; BLOCK]), *reference, width, packed);
            });
        Ok(())
    }

    fn decode(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check_length(stream.count, values)?;
        stream.check()?;
        values.chunks_mut(BLOCK).enumerate().for_each(|(index, block)| decode_block(stream, index, block));
        Ok(())
    }

    fn decode_parallel(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check_length(stream.count, values)?;
        stream.check()?;
        let blocks = values.par_chunks_mut(BLOCK).enumerate().with_min_len(8);
        blocks.for_each(|(index, block)| decode_block(stream, index, block));
        Ok(())
    }

    fn bytes(&self, stream: &Stream) -> u64 {
        4 * (stream.references.len() + stream.offsets.len() + stream.words.len()) as u64
    }
}

fn decode_block(stream: &Stream, index: usize, values: &mut [u32]) {
    let (reference, width, packed) = stream.block(index);
    cut(values, |values| unpack(packed, width, reference, values));
}

/// Sum of a compressed column without writing its values to memory.
///
/// # Errors
/// [`Damaged`] if the stream contradicts itself.
pub fn sum(stream: &Stream) -> Result<u64, Damaged> {
    stream.check()?;
    Ok((0..stream.references.len()).map(|index| sum_block(stream, index)).sum())
}

/// [`sum`] on all cores.
///
/// # Errors
/// As [`sum`].
pub fn sum_parallel(stream: &Stream) -> Result<u64, Damaged> {
    stream.check()?;
    Ok((0..stream.references.len()).into_par_iter().with_min_len(8).map(|index| sum_block(stream, index)).sum())
}

fn sum_block(stream: &Stream, index: usize) -> u64 {
    let (reference, width, packed) = stream.block(index);
    let mut values = [0; BLOCK];
    unpack(packed, width, reference, &mut values);
    let length = (stream.count as usize - index * BLOCK).min(BLOCK);
    values[..length].iter().map(|value| u64::from(*value)).sum()
}
