//! Numbers of formulas.

use std::ops::{Add, Div, Mul, Sub};

/// A number of a formula: a plain value, or a recorded one.
///
/// Values are finite where they are multiplied by zero: a formula that is recorded leaves such a term out.
pub trait Real:
    Copy + From<f64> + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The larger of two.
    #[must_use]
    fn max(self, other: Self) -> Self;

    /// The next whole number that is not below it.
    #[must_use]
    fn ceil(self) -> Self;

    /// The natural logarithm.
    #[must_use]
    fn ln(self) -> Self;

    /// A power of it; exact for 1 and 2.
    #[must_use]
    fn power(self, exponent: Self) -> Self;

    /// `then` where it is above a bound, else `otherwise`.
    #[must_use]
    fn if_above(self, bound: Self, then: Self, otherwise: Self) -> Self;

    /// The result of a function of two numbers that is not a formula.
    #[must_use]
    fn of_both(function: fn(f64, f64) -> f64, a: Self, b: Self) -> Self;
}

impl Real for f64 {
    fn max(self, other: Self) -> Self {
        self.max(other)
    }

    fn ceil(self) -> Self {
        self.ceil()
    }

    fn ln(self) -> Self {
        self.ln()
    }

    fn power(self, exponent: Self) -> Self {
        power(self, exponent)
    }

    fn if_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if self > bound { then } else { otherwise }
    }

    fn of_both(function: fn(f64, f64) -> f64, a: Self, b: Self) -> Self {
        function(a, b)
    }
}

/// The same for numbers alone.
pub(super) fn power(x: f64, exponent: f64) -> f64 {
    if exponent.to_bits() == 1f64.to_bits() {
        x
    } else if exponent.to_bits() == 2f64.to_bits() {
        x * x
    } else {
        x.powf(exponent)
    }
}
