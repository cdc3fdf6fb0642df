//! Random numbers, and the mean of a quantity over many outcomes with its standard error.

use std::f64::consts::TAU;

/// Outcomes of each comparison.
pub(super) const OUTCOMES: u32 = 400_000;
/// Standard errors that a mean may lie from the truth.
const STANDARD_ERRORS: f64 = 3.0;

/// SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number above 0 and up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Two independent standard normal numbers, by Box and Muller.
    pub(super) fn pair(&mut self) -> [f64; 2] {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (TAU * self.uniform()).sin_cos();
        [radius * cos, radius * sin]
    }
}

/// The mean of a quantity over outcomes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    pub(super) fn count(&mut self, is_so: bool) {
        self.add(f64::from(u8::from(is_so)));
    }

    /// Fails unless a computed mean is within the error of this one.
    #[track_caller]
    pub(super) fn assert_is(&self, what: &str, computed: Option<f64>) {
        let computed = computed.unwrap_or_else(|| panic!("{what}: nothing computed"));
        let mean = self.sum / self.count;
        let error = ((self.squares / self.count - mean * mean) / self.count).sqrt();
        assert!(error > 0.0, "{what}: all outcomes are alike, so that they tell nothing");
        let difference = (computed - mean).abs();
        assert!(difference <= STANDARD_ERRORS * error, "{what}: {computed}, but outcomes have {mean} ± {error}");
    }
}
