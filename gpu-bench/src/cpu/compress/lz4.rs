//! LZ4 in independent blocks (lz4.org, "LZ4 Block Format Description"), coded by `lz4_flex`.
//!
//! A block is 16 KiB of the column, not the usual 64: it then fits in the memory of a workgroup, where matches
//! are copied without going to the GPU's memory, and there are four times as many blocks to decode at once.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use rayon::prelude::*;

use super::{BLOCK, Codec, Damaged, blocks, check_length, count};

/// Bytes of a whole block before compression.
const BLOCK_BYTES: usize = BLOCK * 4;

/// The codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lz4;

/// A compressed column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Values.
    pub count: u32,
    /// Where each block begins, and the end, bytes.
    pub offsets: Vec<u32>,
    /// The blocks.
    pub bytes: Vec<u8>,
}

fn encode_block(values: &[u32], compressed: &mut [u8]) -> Result<u32, Damaged> {
    let size = compress_into(bytemuck::cast_slice(values), compressed).map_err(|_| Damaged("a block does not fit"))?;
    u32::try_from(size).map_err(|_| Damaged("a block does not fit"))
}

impl Stream {
    fn append(&mut self, block: &[u8]) -> Result<(), Damaged> {
        self.bytes.extend_from_slice(block);
        self.offsets.push(u32::try_from(self.bytes.len()).map_err(|_| Damaged("a stream is shorter than 4 GiB"))?);
        Ok(())
    }

    fn restart(&mut self, values: &[u32]) -> Result<(), Damaged> {
        self.count = count(values)?;
        self.bytes.clear();
        self.offsets.clear();
        self.offsets.push(0);
        Ok(())
    }

    fn check(&self, values: &[u32]) -> Result<(), Damaged> {
        check_length(self.count, values)?;
        let ascending = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (self.offsets.first(), self.offsets.last().map(|end| *end as usize));
        let whole = self.offsets.len() == blocks(values.len()) + 1 && ends == (Some(&0), Some(self.bytes.len()));
        if ascending && whole { Ok(()) } else { Err(Damaged("the directory's offsets are not those of its blocks")) }
    }

    fn decode_block(&self, index: usize, values: &mut [u32]) -> Result<(), Damaged> {
        let compressed = &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize];
        match decompress_into(compressed, bytemuck::cast_slice_mut(values)) {
            Ok(size) if size == values.len() * 4 => Ok(()),
            Ok(_) => Err(Damaged("an LZ4 block is too short")),
            Err(_) => Err(Damaged("an LZ4 block breaks the format")),
        }
    }
}

impl Codec for Lz4 {
    type Stream = Stream;

    fn encode(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        stream.restart(values)?;
        let mut scratch = vec![0; get_maximum_output_size(BLOCK_BYTES)];
        values.chunks(BLOCK).try_for_each(|block| {
            let size = encode_block(block, &mut scratch)?;
            stream.append(&scratch[..size as usize])
        })
    }

    fn encode_parallel(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        /// Blocks that one task codes into memory of its own before the parts are joined.
        const TASK: usize = 16;
        stream.restart(values)?;
        let parts: Result<Vec<Stream>, Damaged> = values
            .par_chunks(BLOCK * TASK)
            .map(|values| {
                let mut part = Stream::default();
                Self.encode(values, &mut part).map(|()| part)
            })
            .collect();
        for part in parts? {
            for block in part.offsets.windows(2) {
                stream.append(&part.bytes[block[0] as usize..block[1] as usize])?;
            }
        }
        Ok(())
    }

    fn decode(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        stream.check(values)?;
        values.chunks_mut(BLOCK).enumerate().try_for_each(|(index, block)| stream.decode_block(index, block))
    }

    fn decode_parallel(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        stream.check(values)?;
        let blocks = values.par_chunks_mut(BLOCK).enumerate();
        blocks.try_for_each(|(index, block)| stream.decode_block(index, block))
    }

    fn bytes(&self, stream: &Stream) -> u64 {
        (stream.bytes.len() + 4 * stream.offsets.len()) as u64
    }
}
