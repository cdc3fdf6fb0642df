//! Quantiles of a distribution for a number: within the range of the number, and whole where it is.

use std::f64::consts::SQRT_2;

use statrs::function::erf::{erfc, erfc_inv};

use super::{Distribution, IN_95};
use crate::quantity::Quantity;

impl Distribution {
    /// The quantile at level `share`, 0 < `share` < 1, of a number of this value; within the range of the
    /// number, and whole where it is.
    #[must_use]
    pub fn quantile(self, quantity: &Quantity, value: f64, share: f64) -> f64 {
        self.of(quantity, value).at(share)
    }

    /// The distribution for a number of this value, prepared for many quantiles.
    #[must_use]
    pub fn of(self, quantity: &Quantity, value: f64) -> Values {
        let range = [quantity.min, quantity.max];
        let shape = match self {
            Self::Normal { standard_deviation } => Shape::Normal(
                value,
                standard_deviation,
                Between::new(range.map(|end| (end - value) / standard_deviation)),
            ),
            Self::LogNormal { .. } if value <= 0.0 => Shape::One(value),
            Self::LogNormal { factor } => {
                let scale = factor.ln() / IN_95;
                let standard = |x: f64| if x > 0.0 { (x / value).ln() / scale } else { f64::NEG_INFINITY };
                Shape::LogNormal(value, scale, Between::new(range.map(standard)))
            }
            // All whole numbers are equally likely.
            Self::Uniform { low, high } if quantity.whole => Shape::Whole(low.ceil(), high.floor()),
            Self::Uniform { low, high } => Shape::Uniform(low, high),
            Self::Triangular { low, high } => Shape::Triangular(low, value.clamp(low, high), high),
        };
        Values { shape, range, is_whole: quantity.whole }
    }
}

/// A distribution, prepared for a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values {
    shape: Shape,
    range: [f64; 2],
    is_whole: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    One(f64),
    /// Value and standard deviation.
    Normal(f64, f64, Between),
    /// Value, and standard deviation of its logarithm.
    LogNormal(f64, f64, Between),
    Uniform(f64, f64),
    Whole(f64, f64),
    /// Least, likeliest, most.
    Triangular(f64, f64, f64),
}

impl Values {
    /// The quantile at level `share`, 0 < `share` < 1.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        let found = match self.shape {
            Shape::One(value) => value,
            Shape::Normal(value, standard_deviation, between) => value + standard_deviation * between.at(share),
            Shape::LogNormal(value, scale, between) => value * (scale * between.at(share)).exp(),
            Shape::Uniform(low, high) => low + (high - low) * share,
            Shape::Whole(low, high) => (low + ((high - low + 1.0) * share).floor()).min(high),
            Shape::Triangular(low, likeliest, high) => {
                if share < (likeliest - low) / (high - low) {
                    low + (share * (high - low) * (likeliest - low)).sqrt()
                } else {
                    high - ((1.0 - share) * (high - low) * (high - likeliest)).sqrt()
                }
            }
        };
        let found = if self.is_whole { found.round() } else { found };
        found.clamp(self.range[0], self.range[1])
    }

    /// Turns quantile levels into values.
    pub fn map(&self, shares: &mut [f64]) {
        match self.shape {
            // By far the most frequent case: one product per value.
            Shape::Uniform(low, high) if !self.is_whole => {
                for share in shares {
                    *share = (low + (high - low) * *share).clamp(self.range[0], self.range[1]);
                }
            }
            _ => {
                for share in shares {
                    *share = self.at(*share);
                }
            }
        }
    }
}

/// A standard normal distribution, truncated to two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    /// The ends; mirrored where both are on the right, because tails are exact on the left.
    ends: [f64; 2],
    is_mirrored: bool,
    /// Levels of the ends in the whole distribution.
    below: [f64; 2],
}

impl Between {
    fn new(ends: [f64; 2]) -> Self {
        let is_mirrored = ends[0] > 0.0;
        let ends = if is_mirrored { [-ends[1], -ends[0]] } else { ends };
        Self { ends, is_mirrored, below: ends.map(share_below) }
    }

    fn at(&self, share: f64) -> f64 {
        let ([low, high], [from, to]) = (self.ends, self.below);
        let share = if self.is_mirrored { 1.0 - share } else { share };
        let found = deviate(from + (to - from) * share);
        let found = if found.is_finite() { found.clamp(low, high) } else { low.max(-38.0).min(high) };
        if self.is_mirrored { -found } else { found }
    }
}

/// The quantile of the standard normal distribution, 0 < `share` < 1.
pub(super) fn deviate(share: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * share)
}

/// The standard normal distribution function.
pub(super) fn share_below(deviate: f64) -> f64 {
    0.5 * erfc(-deviate / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    const WIDE: Quantity = Quantity::new("x", "x", "x", "a test").unit(Unit::Ratio, -1e9, 1e9);

    fn at(distribution: Distribution, value: f64, share: f64) -> f64 {
        distribution.quantile(&WIDE, value, share)
    }

    /// Quantiles of the standard normal distribution as tables have them.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (share, deviation) in [(0.5, 0.0), (0.841_344_75, 1.0), (0.975, 1.959_964), (0.05, -1.644_854)] {
            let found = at(Distribution::Normal { standard_deviation: 2.0 }, 10.0, share);
            assert!((found - (10.0 + 2.0 * deviation)).abs() < 1e-5, "{share}: {found}");
        }
        let wide = Distribution::LogNormal { factor: 2.0 };
        assert!((at(wide, 10.0, 0.975) - 20.0).abs() < 1e-6 && (at(wide, 10.0, 0.025) - 5.0).abs() < 1e-6);
        assert!((at(Distribution::Uniform { low: 2.0, high: 6.0 }, 3.0, 0.25) - 3.0).abs() < 1e-12);
        // The likeliest value has (3 − 2) / (6 − 2) of all cases below it; below that the share grows with the square.
        let triangular = Distribution::Triangular { low: 2.0, high: 6.0 };
        assert!((at(triangular, 3.0, 0.25) - 3.0).abs() < 1e-12);
        assert!((at(triangular, 3.0, 0.0625) - 2.5).abs() < 1e-12);
    }

    #[test]
    fn what_lies_outside_the_range_is_left_out_and_not_piled_up_at_its_ends() {
        let positive = Quantity { min: 0.0, ..WIDE };
        let half = Distribution::Normal { standard_deviation: 1.0 };
        // Of a half-normal distribution the median is 0.6745 deviations.
        assert!((half.quantile(&positive, 0.0, 0.5) - 0.674_49).abs() < 1e-4);
        // Ends far beyond the value: all that is left is just inside.
        let far = Quantity { min: 50.0, max: 60.0, ..WIDE };
        for share in [0.001, 0.5, 0.999] {
            let found = half.quantile(&far, 0.0, share);
            assert!((50.0..=60.0).contains(&found), "{found}");
        }
        // Of what lies beyond 2 deviations, half lies beyond 2.277605 (by the normal distribution of Python's `statistics`); on either side.
        let [right, left] = [(2.0, 9.0, 2.277_605), (-9.0, -2.0, -2.277_605)]
            .map(|(min, max, median)| half.quantile(&Quantity { min, max, ..WIDE }, 0.0, 0.5) - median);
        assert!(right.abs() < 1e-4 && left.abs() < 1e-4, "{right} {left}");
    }

    #[test]
    fn whole_numbers_are_drawn_alike() {
        let whole = Quantity { whole: true, ..WIDE };
        let dice = Distribution::Uniform { low: 1.0, high: 6.0 };
        let mut counts = [0; 6];
        for share in 0..600 {
            let found = dice.quantile(&whole, 3.0, (f64::from(share) + 0.5) / 600.0);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 … 6")]
            let face = found as usize;
            counts[face - 1] += 1;
        }
        assert_eq!(counts, [100; 6]);
    }
}
