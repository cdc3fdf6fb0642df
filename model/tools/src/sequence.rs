//! Points that fill the unit cube evenly, any by its number: Sobol sequences, scrambled by a random triangular matrix over their
//! binary digits and a random shift of these (Matoušek, Journal of Complexity 14, 1998), which is as exact as scrambling every digit by
//! all before it (Owen, ACM TOMACS 13, 2003) and takes a fraction of the time.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use pulp::{Arch, NullaryFnOnce};
use rand_distr::num_traits::ToPrimitive as _;
use sobol_burley::parts::{owen_scramble_rev, sobol_rev};

/// Bits of the number of a point in its sequence.
const BITS: usize = 16;
/// Points of a sequence; more are of the next one.
const SEQUENCE: usize = 1 << BITS;
/// Dimensions of one; further ones are those of another, whose points are in another order.
const DIMENSIONS: usize = 256;
/// Points that are found together: their numbers differ in so many of the last bits.
const BLOCK_BITS: usize = 8;
const BLOCK: usize = 1 << BLOCK_BITS;
/// Fewer that follow each other are found one by one.
const FEW: usize = BLOCK / 16;

/// Points in equal parts, one after the other, which are independent of each other.
#[derive(Debug)]
pub(super) struct Sequences {
    /// Points of each part.
    each: usize,
    /// Sequences of each part.
    of_part: usize,
    dimensions: usize,
    /// By sequence, and in it by dimension.
    scrambled: Vec<Scrambled>,
    arch: Arch,
}

impl Sequences {
    /// Parts with equal numbers of points: the same for the same seed.
    pub(super) fn new(dimensions: usize, parts: usize, each: usize, seed: u64) -> Self {
        let of_part = each.div_ceil(SEQUENCE);
        let mut scrambled = Vec::with_capacity(parts * of_part * dimensions);
        let sequences = (0..parts).flat_map(|part| (0..of_part).map(move |sequence| [part, sequence]));
        for places in sequences {
            let seed = places.iter().fold(seed, |seed, place| mix(seed ^ mix(place.to_u64().unwrap_or(0))));
            scrambled.extend((0..dimensions).map(|dimension| Scrambled::new(dimension, seed)));
        }
        Self { each, of_part, dimensions, scrambled, arch: Arch::new() }
    }

    /// Where a point is: its sequence, its number there, and how many there follow it, itself counted.
    fn place(&self, point: usize) -> (usize, usize, usize) {
        let (part, index) = (point / self.each, point % self.each);
        let of_sequence = index % SEQUENCE;
        (part * self.of_part + index / SEQUENCE, of_sequence, (SEQUENCE - of_sequence).min(self.each - index))
    }

    /// A coordinate of a point, above 0 and below 1.
    pub(super) fn coordinate(&self, point: usize, dimension: usize) -> f64 {
        let (sequence, index, _) = self.place(point);
        inside(self.scrambled[sequence * self.dimensions + dimension].at(index))
    }

    /// Writes one coordinate of some points.
    pub(super) fn write(&self, points: &[usize], dimension: usize, into: &mut [f64]) {
        let mut rest = into;
        for run in points.chunk_by(|a, b| *b == a + 1) {
            let (mut of_run, others) = rest.split_at_mut(run.len());
            let mut point = run[0];
            while !of_run.is_empty() {
                let (sequence, first, left) = self.place(point);
                let (into, further) = of_run.split_at_mut(of_run.len().min(left));
                point += into.len();
                let scrambled = &self.scrambled[sequence * self.dimensions + dimension];
                self.arch.dispatch(Run { scrambled, first, into });
                of_run = further;
            }
            rest = others;
        }
    }
}

/// One dimension of a sequence.
#[derive(Debug)]
struct Scrambled {
    /// By bit of the number of a point: digits in which it differs from the point without this bit.
    directions: [u32; BITS],
    /// The digits of the first point.
    shift: u32,
    /// What the order of the points follows from, if it is not theirs.
    shuffle: Option<u32>,
}

impl Scrambled {
    fn new(dimension: usize, seed: u64) -> Self {
        let mut state = mix(seed ^ mix(dimension.to_u64().unwrap_or(0)));
        let mut random = || {
            state = mix(state);
            u32::try_from(state >> 32).unwrap_or(0)
        };
        let shift = random();
        // By digit, the first one first: what it adds to itself and to all that follow it.
        let columns: [u32; 32] = std::array::from_fn(|digit| {
            let first = 1 << (31 - digit);
            first | (random() & (first - 1))
        });
        let of_sequence = (dimension % DIMENSIONS).to_u32().unwrap_or(0);
        let directions = std::array::from_fn(|bit| {
            // Digits and bits are both taken the other way round: the first digit is the last bit.
            let digits = sobol_rev(1 << (31 - bit), of_sequence);
            columns.iter().enumerate().filter(|(digit, _)| digits >> digit & 1 == 1).fold(0, |sum, (_, of)| sum ^ of)
        });
        let further = dimension / DIMENSIONS;
        // All dimensions of one further set are in the same order.
        let order = || u32::try_from(mix(seed ^ mix(u64::MAX - further as u64)) >> 32).unwrap_or(0);
        Self { directions, shift, shuffle: (further > 0).then(order) }
    }

    /// The binary digits of the point with this number in its sequence.
    #[inline(always)]
    fn at(&self, index: usize) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "below the length of a sequence")]
        let index = index as u32;
        let index = self.shuffle.map_or(index, |seed| shuffled(index, seed));
        let set = |bit: usize| 0_u32.wrapping_sub(index >> bit & 1);
        self.directions.iter().enumerate().fold(self.shift, |sum, (bit, direction)| sum ^ (direction & set(bit)))
    }
}

/// Another order in which every 2^k numbers that follow each other stay together: Owen's scrambling of their bits by a hash (Burley,
/// Journal of Computer Graphics Techniques 9, 2020).
#[inline(always)]
fn shuffled(index: u32, seed: u32) -> u32 {
    let other_end = 32 - BITS.to_u32().unwrap_or(0);
    let bits = index.reverse_bits() >> other_end;
    (owen_scramble_rev(bits, seed) << other_end).reverse_bits()
}

/// The middle of what these digits begin.
#[inline(always)]
fn inside(digits: u32) -> f64 {
    // Signed numbers are made real with one instruction.
    (f64::from((digits >> 1).cast_signed()) + 0.5) * 2.0_f64.powi(-31)
}

/// Coordinates of points of one sequence that follow each other.
struct Run<'a> {
    scrambled: &'a Scrambled,
    /// The number of the first.
    first: usize,
    into: &'a mut [f64],
}

impl NullaryFnOnce for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { scrambled, first, into } = self;
        if into.len() < FEW || scrambled.shuffle.is_some() {
            for (index, into) in (first..).zip(into) {
                *into = inside(scrambled.at(index));
            }
            return;
        }
        let (mut index, mut rest) = (first, into);
        while !rest.is_empty() {
            let within = index % BLOCK;
            let mut block = [0; BLOCK];
            block[0] = scrambled.at(index - within);
            // Each bit doubles what is known.
            for (bit, direction) in scrambled.directions[..BLOCK_BITS].iter().enumerate() {
                let (known, unknown) = block.split_at_mut(1 << bit);
                for (unknown, known) in unknown.iter_mut().zip(known) {
                    *unknown = *known ^ direction;
                }
            }
            let (into, others) = rest.split_at_mut(rest.len().min(BLOCK - within));
            for (into, digits) in into.iter_mut().zip(&block[within..]) {
                *into = inside(*digits);
            }
            index += into.len();
            rest = others;
        }
    }
}

/// Spreads the bits of a seed: the finaliser of SplitMix64.
pub(super) fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_coordinates_are_those_found_one_by_one() {
        // Across the ends of sequences and of parts, and not whole blocks.
        let (each, last) = (SEQUENCE + 100, 2 * SEQUENCE + 199);
        let sequences = Sequences::new(300, 2, each, 7);
        let points: Vec<usize> =
            (SEQUENCE - 50..SEQUENCE + 271).chain([3, 9_999, last]).chain((10..5_000).step_by(7)).collect();
        for dimension in [0, 1, 6, 255, 256, 299] {
            let mut found = vec![0.0; points.len()];
            sequences.write(&points, dimension, &mut found);
            let expected: Vec<f64> = points.iter().map(|point| sequences.coordinate(*point, dimension)).collect();
            assert_eq!(found, expected, "dimension {dimension}");
        }
    }

    /// In which of so many equal intervals each of the first points is.
    fn intervals(sequences: &Sequences, dimension: usize, points: usize, of: usize) -> Vec<usize> {
        let interval = |point| {
            let at = sequences.coordinate(point, dimension);
            assert!(at > 0.0 && at < 1.0);
            (at * of as f64).to_usize().expect("an interval")
        };
        (0..points).map(interval).collect()
    }

    /// The first 2^k points have one in each of as many equal intervals.
    #[test]
    fn points_fill_every_dimension_evenly() {
        let sequences = Sequences::new(401, 1, 64, 5);
        for dimension in [0, 3, 100, 400] {
            let mut found = intervals(&sequences, dimension, 64, 64);
            found.sort_unstable();
            assert!(found.into_iter().eq(0..64), "dimension {dimension}");
        }
    }

    /// The first two dimensions are a net: 2^8 points, one in each rectangle of 2^-a by 2^-(8 - a), whatever the seed (Niederreiter
    /// 1987: the sequence of Sobol has the quality parameter t = 0 in two dimensions).
    #[test]
    fn the_first_two_dimensions_are_a_net() {
        for seed in 0..20 {
            let sequences = Sequences::new(2, 1, 256, seed);
            for a in 0..=8 {
                let [x, y] = [(0, 1 << a), (1, 1 << (8 - a))].map(|(of, parts)| intervals(&sequences, of, 256, parts));
                let mut cells: Vec<(usize, usize)> = x.into_iter().zip(y).collect();
                cells.sort_unstable();
                cells.dedup();
                assert_eq!(cells.len(), 256, "seed {seed}, 2^{a} columns");
            }
        }
    }

    /// Without that, numbers beyond those of one sequence would go together with the first ones.
    #[test]
    fn further_dimensions_go_their_own_way() {
        let sequences = Sequences::new(600, 16, 1_024, 3);
        for (one, other) in [(0, 256), (1, 257), (255, 511), (256, 512), (40, 552)] {
            let product = |point| {
                let [one, other] = [one, other].map(|dimension| sequences.coordinate(point, dimension) - 0.5);
                12.0 * one * other
            };
            let correlation = (0..16 * 1_024).map(product).sum::<f64>() / (16.0 * 1_024.0);
            // Of independent draws the standard error is 1/√16 384 = 0.008.
            assert!(correlation.abs() < 0.04, "{one} with {other}: {correlation}");
        }
    }

    /// Every part, and every part of another seed, has points of its own: no two share a coordinate at the same place.
    #[test]
    fn parts_and_seeds_are_others() {
        let sequences = Sequences::new(1, 3, 100, 1);
        let part = |sequences: &Sequences, part: usize| -> Vec<f64> {
            (0..100).map(|point| sequences.coordinate(part * 100 + point, 0)).collect()
        };
        let other = Sequences::new(1, 3, 100, 2);
        let parts: Vec<Vec<f64>> =
            (0..3).map(|of| part(&sequences, of)).chain((0..3).map(|of| part(&other, of))).collect();
        for (place, one) in parts.iter().enumerate() {
            let shared = |before: &Vec<f64>| before.iter().zip(one).filter(|(a, b)| a == b).count();
            assert_eq!(parts[..place].iter().map(shared).sum::<usize>(), 0, "part {place}");
        }
    }
}
