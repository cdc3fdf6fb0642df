//! Amounts of GPUs: one type for whole GPUs, shares of time, MIG instances and memory, so that all sums count alike.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// A thousandth of a GPU, in the units in which shares are counted.
pub const THOUSANDTH: u16 = 42;

/// A whole GPU, in the units in which shares are counted: 42,000, so that thousandths are whole numbers of them, and so are sevenths
/// (instances of MIG), thirds, 16ths and 48ths (replicas of time slicing). All parts of such a GPU together are one GPU.
pub const WHOLE: u16 = 1_000 * THOUSANDTH;

/// A part of a GPU as a fraction, so that all parts of one GPU together are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Numerator.
    pub of: u32,
    /// Denominator; at least 1.
    pub whole: u32,
}

impl Part {
    /// A whole GPU.
    pub const ONE: Self = Self { of: 1, whole: 1 };

    /// One of so many equal parts: a replica, a slot of a virtual GPU, a unit of memory.
    #[must_use]
    pub fn one_of(parts: u32) -> Self {
        Self { of: 1, whole: parts.max(1) }
    }

    /// So many slices of all slices of a GPU: an instance (MIG), a partition.
    #[must_use]
    pub fn slices(of: u32, all: u32) -> Self {
        let whole = all.max(1);
        Self { of: of.min(whole), whole }
    }

    /// One of so many equal parts of this part.
    #[must_use]
    pub fn among(self, parts: u32) -> Self {
        Self { of: self.of, whole: self.whole.saturating_mul(parts.max(1)) }
    }

    /// So many of these parts, rounded down to units so that all parts of a GPU fit on it; at least a thousandth but for
    /// none of them.
    #[must_use]
    pub fn times(self, count: u64) -> GpuAmount {
        let product = u128::from(WHOLE) * u128::from(count) * u128::from(self.of);
        let units = u64::try_from(product / u128::from(self.whole.max(1))).unwrap_or(u64::MAX);
        GpuAmount(if count > 0 { units.max(u64::from(THOUSANDTH)) } else { 0 })
    }

    /// Whether so many of these parts are a whole number of units: nothing of them is lost by rounding.
    #[must_use]
    pub fn is_exact(self) -> bool {
        (u64::from(WHOLE) * u64::from(self.of)).is_multiple_of(u64::from(self.whole.max(1)))
    }
}

/// An amount of GPUs, counted in units of which [`WHOLE`] are one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GpuAmount(u64);

impl GpuAmount {
    /// No GPU.
    pub const NONE: Self = Self(0);
    /// One whole GPU.
    pub const ONE: Self = Self(WHOLE as u64);

    /// So many units.
    #[must_use]
    pub fn from_units(units: u64) -> Self {
        Self(units)
    }

    /// So many whole GPUs.
    #[must_use]
    pub fn whole(gpus: u64) -> Self {
        Self(gpus.saturating_mul(u64::from(WHOLE)))
    }

    /// In units.
    #[must_use]
    pub fn units(self) -> u64 {
        self.0
    }

    /// In GPUs.
    #[must_use]
    pub fn gpus(self) -> f64 {
        self.0 as f64 / f64::from(WHOLE)
    }

    /// This ÷ another amount; 0 if the other is nothing.
    #[must_use]
    pub fn share_of(self, all: Self) -> f64 {
        if all.0 == 0 { 0.0 } else { self.0 as f64 / all.0 as f64 }
    }

    /// Whether it is nothing.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// A number of units, in thousandths of a GPU. Exact for whole numbers of thousandths, so that scores are those of the published
/// simulator, which counts in thousandths.
#[must_use]
pub(super) fn thousandths(units: u32) -> f64 {
    const EACH: f64 = 1.0 / THOUSANDTH as f64;
    f64::from(units) * EACH
}

/// A share with so many units more, or fewer.
#[must_use]
pub(super) fn changed(share: u16, more: i32) -> u16 {
    u16::try_from((i32::from(share) + more).max(0)).unwrap_or(u16::MAX)
}

impl Add for GpuAmount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for GpuAmount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul<u64> for GpuAmount {
    type Output = Self;

    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Sum for GpuAmount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::NONE, Self::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_of_a_gpu_together_fit_on_it() {
        let slice = Part::slices(1, 7);
        assert_eq!(slice.times(1) * 7, GpuAmount::ONE);
        assert_eq!(slice.times(7), GpuAmount::ONE);
        // 42,000 / 9 = 4,666.7 units: nine of them are 6 units less than a GPU.
        assert_eq!((Part::one_of(9).times(1) * 9).units(), 41_994);
        assert_eq!(Part::one_of(4_000).times(1).units(), u64::from(THOUSANDTH));
        assert_eq!(Part::one_of(4).times(0), GpuAmount::NONE);
        assert_eq!(Part::slices(3, 7).among(2), Part { of: 3, whole: 14 });
        assert_eq!(Part { of: u32::MAX, whole: 1 }.times(u64::MAX).units(), u64::MAX);
    }

    /// Four whole GPUs and seven sevenths, each counted by itself: five GPUs.
    #[test]
    fn whole_gpus_and_instances_add_up_in_one_unit() {
        let held: GpuAmount = [GpuAmount::whole(4), Part::slices(1, 7).times(1) * 7].into_iter().sum();
        assert_eq!(held.gpus(), 5.0);
        assert_eq!(held.share_of(GpuAmount::whole(5)), 1.0);
        assert_eq!(GpuAmount::ONE.share_of(GpuAmount::NONE), 0.0);
    }

    /// Parts into which GPUs are cut: instances of MIG, replicas of time slicing, slots of `HAMi`, templates of Ascend.
    #[test]
    fn usual_parts_lose_nothing() {
        for parts in [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 40, 48, 50, 100] {
            let part = Part::one_of(parts);
            assert!(part.is_exact(), "{parts}");
            assert_eq!(part.times(1) * u64::from(parts), GpuAmount::ONE, "{parts}");
        }
        assert!(!Part::one_of(9).is_exact() && !Part::slices(2, 9).is_exact());
    }

    #[test]
    fn whole_thousandths_are_exact() {
        for number in 0..=16_000_u32 {
            assert_eq!(thousandths(number * u32::from(THOUSANDTH)), f64::from(number));
        }
    }
}
