//! Data from a counter: the value at a position depends only on the position and a seed, so the CPU and the GPU
//! generate the same data, in any order and in parallel. The GPU's side is `kernels/generate.wgsl` of gpu-bench.

use rayon::prelude::*;

/// A stream of 32-bit words by position. The functions that give one word are inlined: operators of gpu-bench call them in their loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generator {
    seed: u32,
}

impl Generator {
    /// The stream of this seed.
    #[inline]
    #[must_use]
    pub const fn new(seed: u32) -> Self {
        Self { seed }
    }

    /// The seed.
    #[inline]
    #[must_use]
    pub fn seed(self) -> u32 {
        self.seed
    }

    /// The word at a place, uniform over all words. The first 2^32 places of a stream hold every word once,
    /// because the mixing is a bijection.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the counter is 32 bits wide; its upper half seeds")]
    pub fn at(self, place: u64) -> u32 {
        let high = (place >> 32) as u32;
        mix((place as u32).wrapping_add(mix(self.seed ^ high.wrapping_mul(0x9E37_79B9))))
    }

    /// A number below `count` (at most 2^32): the upper half of word × count (Lemire 2019, without rejection).
    #[inline]
    #[must_use]
    pub fn below(self, place: u64, count: u64) -> u64 {
        (u64::from(self.at(place)) * count) >> 32
    }

    /// The first `count` words, on all cores.
    #[must_use]
    pub fn words(self, count: usize) -> Vec<u32> {
        (0..count as u64).into_par_iter().map(|place| self.at(place)).collect()
    }

    /// The first `count` numbers below `bound` (at most 2^32), on all cores.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "below 2^32")]
    pub fn words_below(self, count: usize, bound: u64) -> Vec<u32> {
        (0..count as u64).into_par_iter().map(|place| self.below(place, bound) as u32).collect()
    }
}

/// A bijection of 32-bit words with little bias: "lowbias32" (Wellons, "Prospecting for Hash Functions", 2018).
#[inline]
#[must_use]
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_stream_are_distinct_and_streams_differ() {
        let mut words = Generator::new(1).words(100_000);
        assert_ne!(words, Generator::new(2).words(100_000));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 100_000);
    }

    #[test]
    fn a_share_of_the_words_lies_below_that_share_of_the_range() {
        let words = Generator::new(3).words(1_000_000);
        for share in [0.01, 0.1, 0.5, 0.9] {
            let below = words.iter().filter(|word| f64::from(**word) < share * 4_294_967_296.0).count() as f64;
            // Five standard errors of a binomial share.
            let error = (share * (1.0 - share) / 1e6_f64).sqrt() * 5.0;
            assert!((below / 1e6 - share).abs() < error, "{share}: {below}");
        }
    }

    #[test]
    fn bounded_numbers_reach_every_value_and_no_more() {
        let mut counts = [0_u32; 10];
        for word in Generator::new(4).words_below(100_000, 10) {
            counts[word as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
        assert_eq!(Generator::new(4).below(5, 1 << 32), u64::from(Generator::new(4).at(5)));
    }
}
