//! Pseudo-random numbers for tests: those of a seed are the same in every run.

/// Xorshift with 64 bits (Marsaglia, Journal of Statistical Software 8(14), 2003).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Small seeds have few bits, and the state must not be 0.
        Self((0x9E37_79B9_7F4A_7C15 ^ seed).max(1))
    }

    /// Any number above 0.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number from 0 to below the limit.
    ///
    /// # Panics
    /// The limit is 0.
    pub fn below(&mut self, limit: u16) -> u16 {
        u16::try_from(self.number() % u64::from(limit)).expect("below a u16")
    }

    /// One of the choices.
    ///
    /// # Panics
    /// There are none, or more than 65,535.
    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.below(u16::try_from(choices.len()).expect("few choices")))].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of the paper's example, and the first number that it gives.
    #[test]
    fn numbers_are_those_of_the_published_generator() {
        assert_eq!(Random(88_172_645_463_325_252).number(), 8_748_534_153_485_358_512);
    }

    #[test]
    fn numbers_are_below_their_limit_and_the_same_for_the_same_seed() {
        let numbers = |seed| {
            let mut random = Random::new(seed);
            (0..100).map(|_| random.below(12)).collect::<Vec<u16>>()
        };
        assert!(numbers(1).iter().all(|number| *number < 12));
        assert!((0..12).all(|number| numbers(1).contains(&number)), "{:?}", numbers(1));
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
    }
}
