//! Numbers in a fixed order, for tests.

/// Numbers between 0 and 1 (a linear congruential generator, Knuth's MMIX).
pub(super) struct Mixed(pub(super) u64);

impl Mixed {
    pub(super) fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
