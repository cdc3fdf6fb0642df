//! Results of many tasks, one behind the other: tasks write to buffers that stay in a cache, and once the places
//! of a wave of them are known, all threads copy the buffers to the output.

use rayon::prelude::*;

/// Words that are copied together into memory that was never written before.
const BLOCK: usize = 256;

/// Copies pieces to the front of `output`, one behind the other, on all cores; returns how many words they have.
///
/// # Panics
/// If they do not fit.
pub(super) fn copy(pieces: &[&[u32]], output: &mut [u32]) -> usize {
    let words = pieces.iter().map(|piece| piece.len()).sum();
    assert!(words <= output.len(), "{words} words do not fit into {} places", output.len());
    let mut rest = output;
    let mut tasks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (places, after) = rest.split_at_mut(piece.len());
        rest = after;
        tasks.push((places, *piece));
    }
    tasks.into_par_iter().for_each(|(places, piece)| places.copy_from_slice(piece));
    words
}

/// An output that grows by pieces. As long as they fit into its capacity, its memory is written once, by all cores:
/// nothing is zeroed before.
#[derive(Debug, Default)]
pub(super) struct Growing {
    blocks: Vec<[u32; BLOCK]>,
    /// Words behind the last whole block.
    rest: Vec<u32>,
}

impl Growing {
    /// With room for so many words; those that do not come are never touched.
    pub(super) fn with_capacity(words: usize) -> Self {
        Self { blocks: Vec::with_capacity(words / BLOCK + 1), rest: Vec::new() }
    }

    /// Appends pieces, one behind the other, on all cores.
    pub(super) fn append(&mut self, pieces: &[&[u32]]) {
        let before = std::mem::take(&mut self.rest);
        let pieces: Vec<&[u32]> = std::iter::once(&before[..]).chain(pieces.iter().copied()).collect();
        let ends: Vec<usize> = pieces
            .iter()
            .scan(0, |end, piece| {
                *end += piece.len();
                Some(*end)
            })
            .collect();
        let words = ends.last().copied().unwrap_or_default();
        self.blocks.par_extend((0..words / BLOCK).into_par_iter().map(|block| {
            let mut words = [0; BLOCK];
            copy_from(&pieces, &ends, block * BLOCK, &mut words);
            words
        }));
        self.rest = vec![0; words % BLOCK];
        copy_from(&pieces, &ends, words - words % BLOCK, &mut self.rest);
    }

    /// What was appended.
    pub(super) fn finish(self) -> Vec<u32> {
        let mut words = self.blocks.into_flattened();
        words.extend(self.rest);
        words
    }
}

/// Copies the words from `start` on of pieces that end at `ends`, as many as `to` has.
fn copy_from(pieces: &[&[u32]], ends: &[usize], start: usize, mut to: &mut [u32]) {
    let first = ends.partition_point(|end| *end <= start);
    let mut skipped = start - first.checked_sub(1).map_or(0, |before| ends[before]);
    for piece in &pieces[first..] {
        let count = to.len().min(piece.len() - skipped);
        let (places, after) = to.split_at_mut(count);
        places.copy_from_slice(&piece[skipped..skipped + count]);
        if after.is_empty() {
            break;
        }
        (to, skipped) = (after, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_length_stand_one_behind_the_other() {
        let words: Vec<u32> = (0..5_000).collect();
        for lengths in [vec![], vec![0], vec![1, 0, 0, 255], vec![256, 256], vec![3, 700, 0, 1, 511, 2_000, 9]] {
            let total: usize = lengths.iter().sum();
            let pieces: Vec<&[u32]> = lengths
                .iter()
                .scan(&words[..total], |rest, length| {
                    let (piece, after) = rest.split_at(*length);
                    *rest = after;
                    Some(piece)
                })
                .collect();
            let mut copied = vec![9_999; total + 3];
            assert_eq!(copy(&pieces, &mut copied), total);
            assert_eq!(copied[..total], words[..total], "{lengths:?}");
            assert_eq!(copied[total..], [9_999; 3], "{lengths:?}");
            for wave in [1, 2, 5] {
                let mut growing = Growing::with_capacity(total);
                pieces.chunks(wave).for_each(|pieces| growing.append(pieces));
                assert_eq!(growing.finish(), words[..total], "{lengths:?}, {wave} at a time");
            }
        }
    }
}
