//! Codecs of 32-bit columns on the CPU, each with a format that the GPU's kernels read and write word for word.
//!
//! All codecs cut a column into blocks that are coded on their own, so that blocks decode in parallel. The
//! last block may hold fewer values.

pub mod bitpack;
pub mod data;
pub mod delta;
pub mod dictionary;
pub mod frame_of_reference;
pub mod lz4;
pub mod run_length;

#[cfg(test)]
mod tests;

use std::fmt::Debug;

use thiserror::Error;

/// Values in a block: the tile of a workgroup on the GPU.
pub const BLOCK: usize = 4096;

/// A codec. What ends in `_parallel` runs on the rayon pool it is called in and gives the same stream.
pub trait Codec: Sync {
    /// A compressed column.
    type Stream: Clone + Debug + Default + PartialEq + Send + Sync;

    /// Compresses a column; the stream's memory is used again.
    ///
    /// # Errors
    /// [`Damaged`] if the codec cannot express a value.
    fn encode(&self, values: &[u32], stream: &mut Self::Stream) -> Result<(), Damaged>;

    /// [`Self::encode`] on all cores.
    ///
    /// # Errors
    /// As [`Self::encode`].
    fn encode_parallel(&self, values: &[u32], stream: &mut Self::Stream) -> Result<(), Damaged>;

    /// Decompresses a column into a slice of its length.
    ///
    /// # Errors
    /// [`Damaged`] if the stream contradicts itself or the slice has another length.
    fn decode(&self, stream: &Self::Stream, values: &mut [u32]) -> Result<(), Damaged>;

    /// [`Self::decode`] on all cores.
    ///
    /// # Errors
    /// As [`Self::decode`].
    fn decode_parallel(&self, stream: &Self::Stream, values: &mut [u32]) -> Result<(), Damaged>;

    /// Size of the stream with its directory, bytes.
    fn bytes(&self, stream: &Self::Stream) -> u64;
}

/// A stream contradicts itself, or data does not suit the codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the compressed stream cannot be right: {0}")]
pub struct Damaged(pub &'static str);

/// Blocks of a column.
#[must_use]
pub fn blocks(count: usize) -> usize {
    count.div_ceil(BLOCK)
}

/// Number of values as a stream keeps it.
///
/// # Errors
/// [`Damaged`] from 2^32 on.
fn count(values: &[u32]) -> Result<u32, Damaged> {
    u32::try_from(values.len()).map_err(|_| Damaged("a column holds fewer than 2^32 values"))
}

/// Writes where each block begins, and the end: the prefix sum of the blocks' sizes.
fn prefix_sum(sizes: impl IntoIterator<Item = u32>, offsets: &mut Vec<u32>) -> u32 {
    let mut end = 0;
    offsets.clear();
    offsets.push(0);
    offsets.extend(sizes.into_iter().map(|size| {
        end += size;
        end
    }));
    end
}

/// Checks a directory: one offset more than blocks, from 0, ascending by `largest` at most.
fn check_offsets(offsets: &[u32], blocks: usize, largest: u32) -> Result<(), Damaged> {
    let ascending = offsets.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] - pair[0] <= largest);
    if offsets.len() == blocks + 1 && offsets[0] == 0 && ascending {
        Ok(())
    } else {
        Err(Damaged("the directory's offsets are not those of its blocks"))
    }
}

/// Checks the length of what a stream is decoded into.
fn check_length(count: u32, values: &[u32]) -> Result<(), Damaged> {
    if values.len() == count as usize { Ok(()) } else { Err(Damaged("it holds another number of values")) }
}

/// The words of each block, to be written in parallel; `words` is resized to hold them all.
fn split<'words>(words: &'words mut Vec<u32>, offsets: &[u32], unit: usize) -> Vec<&'words mut [u32]> {
    words.resize(offsets.last().map_or(0, |end| *end as usize * unit), 0);
    let mut rest = words.as_mut_slice();
    let sizes = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize * unit);
    sizes
        .map(|size| {
            let (block, after) = std::mem::take(&mut rest).split_at_mut(size);
            rest = after;
            block
        })
        .collect()
}
