//! A stable partition of rows into 256 parts, chunk by chunk: the first step of sort, join and group-by once
//! their working set exceeds a cache. Chunks are partitioned alone, so neither threads nor `unsafe` code share
//! an output: a part is the sequence of its pieces, one per chunk.

use rayon::prelude::*;

/// Parts of a partition: what one digit of a radix sort tells apart. More would exceed the first-level cache
/// and the translation buffer of pages.
pub(super) const PARTS: usize = 256;

/// Rows that are partitioned at a time; with keys and payloads, read and written, they stay in a second-level
/// cache of 1 MiB.
pub(super) const CHUNK: usize = 1 << 16;

/// Which threads do the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    /// The calling one.
    One,
    /// Those of the rayon pool of the call.
    All,
}

impl Threads {
    /// Applies `work` to each item; the results are in the order of the items.
    pub(super) fn map<T: Send, R: Send>(self, items: Vec<T>, work: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
        match self {
            Self::One => items.into_iter().map(work).collect(),
            Self::All => items.into_par_iter().map(work).collect(),
        }
    }

    /// How many.
    pub(super) fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => rayon::current_num_threads(),
        }
    }
}

/// A partitioned chunk: rows ordered by part, and where each part begins; the last entry is the end.
type Chunk<'rows, P> = (&'rows [u32], &'rows [P], [u32; PARTS + 1]);

/// Partitioned rows.
#[derive(Debug)]
pub(super) struct Parts<'rows, P> {
    chunks: Vec<Chunk<'rows, P>>,
}

impl<P> Parts<'_, P> {
    /// Rows of a part.
    pub(super) fn rows(&self, part: usize) -> usize {
        self.chunks.iter().map(|(_, _, starts)| (starts[part + 1] - starts[part]) as usize).sum()
    }

    /// Rows of every part.
    pub(super) fn all_rows(&self) -> [usize; PARTS] {
        let mut rows = [0; PARTS];
        for (_, _, starts) in &self.chunks {
            for (part, rows) in rows.iter_mut().enumerate() {
                *rows += (starts[part + 1] - starts[part]) as usize;
            }
        }
        rows
    }

    /// Keys and payloads of a part, in the order of the input.
    pub(super) fn pieces(&self, part: usize) -> impl Iterator<Item = (&[u32], &[P])> {
        self.chunks.iter().map(move |(keys, payloads, starts)| {
            let range = starts[part] as usize..starts[part + 1] as usize;
            (&keys[range.clone()], &payloads[range])
        })
    }
}

/// Partitions rows by `part` of their key into scratch slices of the same length.
pub(super) fn partition<'rows, P: Copy + Send + Sync>(
    threads: Threads,
    keys: &[u32],
    payloads: &[P],
    scratch_keys: &'rows mut [u32],
    scratch_payloads: &'rows mut [P],
    part: impl Fn(u32) -> u8 + Send + Sync,
) -> Parts<'rows, P> {
    let from = keys.chunks(CHUNK).zip(payloads.chunks(CHUNK));
    let to = scratch_keys.chunks_mut(CHUNK).zip(scratch_payloads.chunks_mut(CHUNK));
    let chunks = threads.map(from.zip(to).collect(), |((keys, payloads), (to_keys, to_payloads))| {
        let mut counts = [0; PARTS];
        for key in keys {
            counts[usize::from(part(*key))] += 1;
        }
        let starts = starts(&counts);
        scatter(keys, payloads, to_keys, to_payloads, &mut first_places(&starts), &part);
        (&*to_keys, &*to_payloads, starts)
    });
    Parts { chunks }
}

/// Exclusive prefix sums, and the total.
pub(super) fn starts(counts: &[u32; PARTS]) -> [u32; PARTS + 1] {
    let mut starts = [0; PARTS + 1];
    for part in 0..PARTS {
        starts[part + 1] = starts[part] + counts[part];
    }
    starts
}

/// Where the first row of each part goes.
pub(super) fn first_places(starts: &[u32; PARTS + 1]) -> [u32; PARTS] {
    std::array::from_fn(|part| starts[part])
}

/// Moves each row to the next place of its part.
pub(super) fn scatter<P: Copy>(
    keys: &[u32],
    payloads: &[P],
    to_keys: &mut [u32],
    to_payloads: &mut [P],
    places: &mut [u32; PARTS],
    part: impl Fn(u32) -> u8,
) {
    for (key, payload) in keys.iter().zip(payloads) {
        let next = &mut places[usize::from(part(*key))];
        let place = *next as usize;
        *next += 1;
        to_keys[place] = *key;
        to_payloads[place] = *payload;
    }
}
