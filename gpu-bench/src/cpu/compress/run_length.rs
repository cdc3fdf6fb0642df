//! Run-length coding: per block the value and the end of each run.
//!
//! Ends count from the block's beginning, in 16 bits, two to a word. Each block has an even number of entries so
//! that it begins with a whole word; an added entry repeats the last one and is a run of no length.

use rayon::prelude::*;

use super::{BLOCK, Codec, Damaged, blocks, check_length, check_offsets, count, prefix_sum, split};

/// The codec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLength;

/// A compressed column.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Values.
    pub count: u32,
    /// Entries before each block, and all; even numbers.
    pub offsets: Vec<u32>,
    /// Value of each run.
    pub values: Vec<u32>,
    /// Where each run ends in its block, two to a word, the lower half first.
    pub ends: Vec<u32>,
}

/// The entries of one block.
struct Runs {
    values: [u32; BLOCK],
    ends: [u32; BLOCK],
    count: usize,
}

/// Values that are compared at once with the run they may belong to.
const STEP: usize = 16;

impl Runs {
    fn new() -> Self {
        Self { values: [0; BLOCK], ends: [0; BLOCK], count: 0 }
    }

    /// Finds the runs of a block without a branch per value: each value overwrites the entry of its run.
    #[expect(clippy::cast_possible_truncation, reason = "places in a block are below 4096")]
    fn find(&mut self, values: &[u32]) {
        let mut entry = 0;
        let mut current = values[0];
        self.values[0] = current;
        for (index, step) in values.chunks(STEP).enumerate() {
            if step.iter().fold(0, |differences, value| differences | (value ^ current)) == 0 {
                continue;
            }
            for (place, value) in (index * STEP..).zip(step) {
                self.ends[entry] = place as u32;
                entry += usize::from(*value != current);
                current = *value;
                self.values[entry] = current;
            }
        }
        self.ends[entry] = values.len() as u32;
        if entry % 2 == 0 {
            self.values[entry + 1] = current;
            self.ends[entry + 1] = values.len() as u32;
        }
        self.count = (entry + 1).next_multiple_of(2);
    }

    /// The ends, two to a word.
    fn pairs(&self) -> impl Iterator<Item = u32> {
        self.ends[..self.count].as_chunks::<2>().0.iter().map(|[low, high]| low | (high << 16))
    }
}

/// Entries that a block needs.
fn entries(values: &[u32]) -> u32 {
    let borders: u32 = values.iter().skip(1).zip(values).map(|(value, before)| u32::from(value != before)).sum();
    (borders + 1).next_multiple_of(2)
}

impl Codec for RunLength {
    type Stream = Stream;

    fn encode(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        let mut runs = Runs::new();
        stream.count = count(values)?;
        stream.values.clear();
        stream.ends.clear();
        let sizes = values.chunks(BLOCK).map(|block| {
            runs.find(block);
            stream.values.extend_from_slice(&runs.values[..runs.count]);
            stream.ends.extend(runs.pairs());
            u32::try_from(runs.count).unwrap_or(u32::MAX)
        });
        prefix_sum(sizes, &mut stream.offsets);
        Ok(())
    }

    fn encode_parallel(&self, values: &[u32], stream: &mut Stream) -> Result<(), Damaged> {
        stream.count = count(values)?;
        let sizes: Vec<u32> = values.par_chunks(BLOCK).with_min_len(8).map(entries).collect();
        prefix_sum(sizes, &mut stream.offsets);
        let halves: Vec<u32> = stream.offsets.iter().map(|offset| offset / 2).collect();
        split(&mut stream.values, &stream.offsets, 1)
            .into_par_iter()
            .zip(split(&mut stream.ends, &halves, 1))
            .zip(values.par_chunks(BLOCK))
            .with_min_len(8)
            .for_each_init(Runs::new, |runs, ((run_values, ends), block)| {
                runs.find(block);
                run_values.copy_from_slice(&runs.values[..runs.count]);
                ends.iter_mut().zip(runs.pairs()).for_each(|(end, pair)| *end = pair);
            });
        Ok(())
    }

    fn decode(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check(stream, values)?;
        values.chunks_mut(BLOCK).enumerate().try_for_each(|(index, block)| decode_block(stream, index, block))
    }

    fn decode_parallel(&self, stream: &Stream, values: &mut [u32]) -> Result<(), Damaged> {
        check(stream, values)?;
        let blocks = values.par_chunks_mut(BLOCK).enumerate().with_min_len(8);
        blocks.try_for_each(|(index, block)| decode_block(stream, index, block))
    }

    fn bytes(&self, stream: &Stream) -> u64 {
        4 * (stream.offsets.len() + stream.values.len() + stream.ends.len()) as u64
    }
}

fn check(stream: &Stream, values: &[u32]) -> Result<(), Damaged> {
    check_length(stream.count, values)?;
    let blocks = blocks(stream.count as usize);
    check_offsets(&stream.offsets, blocks, 4096)?;
    let entries = stream.offsets[blocks] as usize;
    let even = stream.offsets.iter().all(|offset| offset % 2 == 0);
    if even && stream.values.len() == entries && stream.ends.len() == entries / 2 {
        Ok(())
    } else {
        Err(Damaged("values or ends of runs are missing"))
    }
}

fn decode_block(stream: &Stream, index: usize, values: &mut [u32]) -> Result<(), Damaged> {
    let entries = stream.offsets[index] as usize..stream.offsets[index + 1] as usize;
    let ends = &stream.ends[entries.start / 2..entries.end / 2];
    let mut start = 0;
    for ([low, high], ends) in stream.values[entries].as_chunks::<2>().0.iter().zip(ends) {
        for (value, end) in [(low, ends & 0xffff), (high, ends >> 16)] {
            let run = values.get_mut(start..end as usize).ok_or(Damaged("a run ends outside its block"))?;
            run.fill(*value);
            start = end as usize;
        }
    }
    if start == values.len() { Ok(()) } else { Err(Damaged("a block ends before its last run")) }
}
