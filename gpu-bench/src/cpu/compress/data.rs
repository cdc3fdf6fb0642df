//! Columns to compress, from a counter: the GPU makes the same ones (`kernels/compress/data.wgsl`).

use crossover_harness::generator::{Generator, mix};
use rayon::prelude::*;

/// What a column is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Uniform below 2^12.
    Narrow,
    /// Sorted, each 1 to 15 after the one before it, like seconds of events.
    Timestamps,
    /// Runs of 1 to 127 equal values, 64 on average, of 256 distinct ones.
    Runs,
    /// Uniform over all words: nothing can be gained.
    Random,
    /// Bytes like text: phrases of 16 lower-case letters and spaces, a few of them much more often, with
    /// one word in four replaced by chance.
    Text,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Narrow, Self::Timestamps, Self::Runs, Self::Random, Self::Text];

    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Narrow => "narrow",
            Self::Timestamps => "timestamps",
            Self::Runs => "runs",
            Self::Random => "random",
            Self::Text => "text",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The word at a place of a column.
    #[must_use]
    pub fn at(self, generator: Generator, place: u32) -> u32 {
        let word = generator.at(u64::from(place));
        match self {
            Self::Narrow => word >> 20,
            // The jitter stays within a step of 8, so the order holds; 2^28 values do not wrap.
            Self::Timestamps => 0x5F00_0000_u32.wrapping_add(place.wrapping_mul(8)).wrapping_add(word >> 29),
            Self::Runs => {
                // One border in each cell of 64 places.
                let cell = place / 64;
                let border = generator.at(u64::from(cell)) >> 26;
                mix(mix(cell + u32::from(place % 64 >= border)) >> 24)
            }
            Self::Random => word,
            Self::Text => {
                // The product of two uniform numbers prefers small ones.
                let choice = generator.at(u64::from(place / 4));
                let phrase = ((choice & 0xff) * ((choice >> 8) & 0xff)) >> 8;
                let letters = if word >> 30 == 0 { word } else { mix(phrase * 4 + place % 4) };
                // Five bits choose a byte: 26 letters, or a space.
                let letter = |index: u32| {
                    let five = (letters >> (5 * index)) & 31;
                    if five < 26 { 0x61 + five } else { 0x20 }
                };
                letter(0) | (letter(1) << 8) | (letter(2) << 16) | (letter(3) << 24)
            }
        }
    }

    /// The first `count` words of a column, on all cores.
    #[must_use]
    pub fn words(self, generator: Generator, count: u32) -> Vec<u32> {
        (0..count).into_par_iter().map(|place| self.at(generator, place)).collect()
    }
}
