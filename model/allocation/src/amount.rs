//! Amounts of GPUs: one type for whole GPUs, shares of time, MIG instances and memory, so that all sums count alike.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// A whole GPU, in the thousandths in which shares are counted.
pub const WHOLE: u16 = 1000;

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

    /// So many of these parts, rounded down to thousandths so that all parts of a GPU fit on it; at least a thousandth but for
    /// none of them.
    #[must_use]
    pub fn times(self, count: u64) -> GpuAmount {
        let product = u128::from(WHOLE) * u128::from(count) * u128::from(self.of);
        GpuAmount(u64::try_from(product / u128::from(self.whole.max(1))).unwrap_or(u64::MAX).max(u64::from(count > 0)))
    }
}

/// An amount of GPUs, counted in thousandths of one GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GpuAmount(u64);

impl GpuAmount {
    /// No GPU.
    pub const NONE: Self = Self(0);
    /// One whole GPU.
    pub const ONE: Self = Self(1000);

    /// So many thousandths of a GPU.
    #[must_use]
    pub fn from_thousandths(thousandths: u64) -> Self {
        Self(thousandths)
    }

    /// So many whole GPUs.
    #[must_use]
    pub fn whole(gpus: u64) -> Self {
        Self(gpus.saturating_mul(u64::from(WHOLE)))
    }

    /// In thousandths of a GPU.
    #[must_use]
    pub fn thousandths(self) -> u64 {
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
        assert_eq!((slice.times(1).thousandths(), slice.times(7).thousandths()), (142, 1000));
        assert_eq!(Part::one_of(4000).times(1).thousandths(), 1);
        assert_eq!(Part::one_of(4).times(0), GpuAmount::NONE);
        assert_eq!(Part::slices(3, 7).among(2), Part { of: 3, whole: 14 });
        assert_eq!(Part { of: u32::MAX, whole: 1 }.times(u64::MAX).thousandths(), u64::MAX);
    }

    /// Four whole GPUs and seven sevenths, each counted by itself: 4 + 7 × 0.142.
    #[test]
    fn whole_gpus_and_instances_add_up_in_one_unit() {
        let held: GpuAmount = [GpuAmount::whole(4), Part::slices(1, 7).times(1) * 7].into_iter().sum();
        assert_eq!(held.gpus(), 4.994);
        assert_eq!(held.share_of(GpuAmount::whole(5)), 0.998_8);
        assert_eq!(GpuAmount::ONE.share_of(GpuAmount::NONE), 0.0);
    }
}
