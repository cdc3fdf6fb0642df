//! Points that fill the unit cube evenly: scrambled Sobol sequences (Burley 2020), any point by its number.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use pulp::{Arch, NullaryFnOnce};
use rand_distr::num_traits::ToPrimitive as _;
use sobol_burley::parts::{hash, owen_scramble_rev, sobol_rev, u32_to_f32_norm};

/// Points of a sequence; more are of the next one.
pub const SEQUENCE: usize = 1 << 16;
/// Dimensions of one.
const DIMENSIONS: usize = 256;
/// Bits of the number of a point.
const BITS: usize = 16;
/// Coordinates that are found at once.
const LANES: usize = 16;

/// The coordinate of a point of the unit cube in one dimension, above 0 and below 1: the same for the same three numbers wherever
/// it is asked for.
#[must_use]
pub fn coordinate(index: usize, dimension: usize, seed: u64) -> f64 {
    let seed = seed_of(index / SEQUENCE, dimension / DIMENSIONS, seed);
    let [index, dimension] = [index % SEQUENCE, dimension % DIMENSIONS].map(|of| of.to_u32().unwrap_or(0));
    inside(sobol_burley::sample(index, dimension, seed))
}

/// Never 0: moved by half of the distance between neighbours.
#[inline(always)]
fn inside(coordinate: f32) -> f64 {
    f64::from(coordinate) + 1.0 / 33_554_432.0
}

/// The seed of a sequence: sequences, and dimensions beyond those of one, are independent of each other.
fn seed_of(sequence: usize, further: usize, seed: u64) -> u32 {
    let mixed = mix(mix(seed ^ mix(sequence.to_u64().unwrap_or(0))) ^ further.to_u64().unwrap_or(0));
    u32::try_from(mixed >> 32).unwrap_or(0)
}

/// Spreads the bits of a seed: the finaliser of SplitMix64.
pub(super) fn mix(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The first dimensions of all sequences, for many coordinates at once.
#[derive(Debug)]
pub(super) struct Sequences {
    /// By dimension and bit of the number of a point: what a point has more than one without this bit.
    directions: Vec<[u32; BITS]>,
    arch: Arch,
}

impl Sequences {
    pub(super) fn new(dimensions: usize) -> Self {
        let direction = |dimension: usize| {
            let dimension = (dimension % DIMENSIONS).to_u32().unwrap_or(0);
            std::array::from_fn(|bit| sobol_rev(1 << (31 - bit), dimension))
        };
        Self { directions: (0..dimensions).map(direction).collect(), arch: Arch::new() }
    }

    /// Writes what [`coordinate`] says of points in one dimension.
    pub(super) fn write(&self, indices: &[usize], dimension: usize, seed: u64, into: &mut [f64]) {
        let mut rest = into;
        for of_sequence in indices.chunk_by(|a, b| a / SEQUENCE == b / SEQUENCE) {
            let (into, others) = rest.split_at_mut(of_sequence.len());
            let seed = seed_of(of_sequence[0] / SEQUENCE, dimension / DIMENSIONS, seed);
            let directions = &self.directions[dimension];
            let dimension = (dimension % DIMENSIONS).to_u32().unwrap_or(0);
            self.arch.dispatch(Coordinates { indices: of_sequence, dimension, directions, seed, into });
            rest = others;
        }
    }
}

/// Some coordinates in one dimension of one sequence.
struct Coordinates<'a> {
    indices: &'a [usize],
    dimension: u32,
    directions: &'a [u32; BITS],
    seed: u32,
    into: &'a mut [f64],
}

/// As `sobol_burley::sample` puts its parts together, side by side.
impl NullaryFnOnce for Coordinates<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let shuffle = hash(self.seed ^ 0x79c6_8e4a);
        let own = [0x912f_69ba, 0x174f_18ab, 0x691e_72ca, 0xb40c_c1b8][self.dimension as usize & 0b11];
        let scramble = hash((self.dimension >> 2) ^ self.seed.wrapping_mul(0x9c8f_2d3b) ^ own);
        for (indices, into) in self.indices.chunks(LANES).zip(self.into.chunks_mut(LANES)) {
            let mut points = [0; LANES];
            for (point, index) in points.iter_mut().zip(indices) {
                #[expect(clippy::cast_possible_truncation, reason = "below the length of a sequence")]
                let index = (index % SEQUENCE) as u32;
                *point = index;
            }
            let mut found = [0; LANES];
            for point in &mut points {
                *point = owen_scramble_rev(point.reverse_bits(), shuffle);
            }
            for (bit, direction) in self.directions.iter().enumerate() {
                for (found, point) in found.iter_mut().zip(&points) {
                    *found ^= direction & 0_u32.wrapping_sub((point >> (31 - bit)) & 1);
                }
            }
            let mut shares = [0.0; LANES];
            for (share, found) in shares.iter_mut().zip(&found) {
                *share = inside(u32_to_f32_norm(owen_scramble_rev(*found, scramble).reverse_bits()));
            }
            into.copy_from_slice(&shares[..into.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_coordinates_are_those_found_one_by_one() {
        let sequences = Sequences::new(300);
        // Across the end of a sequence, and not a whole number of blocks.
        let indices: Vec<usize> = (SEQUENCE - 50..SEQUENCE + 71).chain([3, 9_999, 1 << 19]).collect();
        for (dimension, seed) in [(0, 1), (1, 1), (6, 7), (255, 3), (256, 3), (299, u64::MAX)] {
            let mut found = vec![0.0; indices.len()];
            sequences.write(&indices, dimension, seed, &mut found);
            let expected: Vec<f64> = indices.iter().map(|index| coordinate(*index, dimension, seed)).collect();
            assert_eq!(found, expected, "dimension {dimension}");
        }
    }

    /// The first 2^k points have one in each of as many equal intervals.
    #[test]
    fn points_fill_every_dimension_evenly() {
        for dimension in [0, 3, 100, 400] {
            let mut counts = [0; 64];
            for index in 0..64 {
                let at = coordinate(index, dimension, 5);
                assert!(at > 0.0 && at < 1.0);
                counts[(at * 64.0).to_usize().expect("an interval")] += 1;
            }
            assert_eq!(counts, [1; 64], "dimension {dimension}");
        }
    }
}
