//! Delta: per block its beginning and the bit-packed differences between neighbours, less the smallest of them.
//!
//! Differences are signed and wrap, so any column can be coded; sorted columns with even steps become narrow.

use rayon::prelude::*;

use super::bitpack::{LANES, cut, pack, unpack, width};
use super::{BLOCK, Codec, Damaged, check_length, count, frame_of_reference, prefix_sum, split};

/// The codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delta;

/// A compressed column: value `i` of a block is its start plus the first `i + 1` differences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// What each block starts from: its first value less its reference, because packed difference 0 is 0.
    pub starts: Vec<u32>,
    /// The differences as a frame of reference; the reference is the smallest difference as a signed number.
    pub differences: frame_of_reference::Stream,
}

/// The smallest difference between neighbours of a block, and the width of the others above it.
fn frame(values: &[u32]) -> (u32, u32) {
    let differences =
        values.iter().skip(1).zip(values).map(|(value, before)| value.wrapping_sub(*before).cast_signed());
    let (low, high) = differences.fold((i32::MAX, i32::MIN), |(low, high), step| (low.min(step), high.max(step)));
    if low > high { (0, 0) } else { (low.cast_unsigned(), width(high.wrapping_sub(low).cast_unsigned())) }
}

/// The block's differences, the first one and those after the end equal to the reference.
fn differences(values: &[u32], reference: u32, scratch: &mut [u32; BLOCK]) {
    scratch[0] = reference;
    for ((step, value), before) in scratch[1..].iter_mut().zip(&values[1..]).zip(values) {
        *step = value.wrapping_sub(*before);
    }
    scratch[values.len()..].fill(reference);
}

impl Codec for Delta {
    type Stream = Stream;

    fn encode(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        let mut scratch = [0; BLOCK];
        let mut packed = [0; BLOCK];
        let Stream { starts, differences: coded } = stream;
        coded.count = count(values)?;
        coded.references.clear();
        coded.words.clear();
        starts.clear();
        let sizes = values.chunks(BLOCK).map(|block| {
            let (reference, width) = frame(block);
            differences(block, reference, &mut scratch);
            pack(&scratch, reference, width, &mut packed);
            starts.push(block[0].wrapping_sub(reference));
            coded.references.push(reference);
            coded.words.extend_from_slice(&packed[..width as usize * LANES]);
            width
        });
        prefix_sum(sizes, &mut coded.offsets);
        Ok(())
    }

    fn encode_parallel(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        let Stream { starts, differences: coded } = stream;
        coded.count = count(values)?;
        let widths: Vec<u32>;
        (coded.references, widths) = values.par_chunks(BLOCK).with_min_len(8).map(frame).unzip();
        starts.clear();
        starts.extend(values.chunks(BLOCK).zip(&coded.references).map(|(block, step)| block[0].wrapping_sub(*step)));
        prefix_sum(widths.iter().copied(), &mut coded.offsets);
        split(&mut coded.words, &coded.offsets, LANES)
            .into_par_iter()
            .zip(values.par_chunks(BLOCK))
            .zip(&coded.references)
            .zip(widths)
            .with_min_len(8)
            .for_each_init(
                || [0; BLOCK],
                |scratch, (((packed, block), reference), width)| {
                    differences(block, *reference, scratch);
                    pack(scratch, *reference, width, packed);
                },
            );
        Ok(())
    }

    fn decode(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check(stream, values)?;
        values.chunks_mut(BLOCK).enumerate().for_each(|(index, block)| decode_block(stream, index, block));
        Ok(())
    }

    fn decode_parallel(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check(stream, values)?;
        let blocks = values.par_chunks_mut(BLOCK).enumerate().with_min_len(8);
        blocks.for_each(|(index, block)| decode_block(stream, index, block));
        Ok(())
    }

    fn bytes(&self, stream: &Stream) -> u64 {
        4 * stream.starts.len() as u64 + frame_of_reference::FrameOfReference.bytes(&stream.differences)
    }
}

fn check(stream: &Stream, values: &[u32]) -> Result<(), Damaged> {
    check_length(stream.differences.count, values)?;
    stream.differences.check()?;
    if stream.starts.len() == stream.differences.references.len() { Ok(()) } else { Err(Damaged("starts are missing")) }
}

fn decode_block(stream: &Stream, index: usize, values: &mut [u32]) {
    let (reference, width, packed) = stream.differences.block(index);
    cut(values, |values| {
        unpack(packed, width, reference, values);
        let mut sum = stream.starts[index];
        // Four at a time: the chain from one sum to the next is one addition per four values.
        for four in values.as_chunks_mut::<4>().0 {
            let [a, b, c, d] = *four;
            let (ab, cd) = (a.wrapping_add(b), c.wrapping_add(d));
            *four = [a, ab, ab.wrapping_add(c), ab.wrapping_add(cd)].map(|step| sum.wrapping_add(step));
            sum = four[3];
        }
    });
}
