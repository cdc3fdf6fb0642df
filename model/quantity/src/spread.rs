//! Uncertainty of a number of a study.

mod sources;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::quantity::Quantity;

pub use self::values::Values;
use self::values::{deviate, share_below};

/// Spreads by field path (`operators.join.input_gb`).
pub type Spreads = BTreeMap<String, Spread>;

/// Standard deviations in half of a 95 % interval of a normal distribution.
const IN_95: f64 = 1.959_963_984_540_054;
/// Standard deviations in half of a 90 % interval of a normal distribution.
pub const Z_90: f64 = 1.644_853_626_951_472_7;

/// Distribution of a number, and its correlation with others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spread {
    /// Distribution of the value.
    pub distribution: Distribution,
    /// Group of correlated numbers; none: independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Group>,
}

/// A group of correlated numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Name of the group; all numbers with this name are in it.
    pub name: String,
    /// Correlation with the common factor of the group, −1 … 1: two numbers with loadings a and b have the correlation a · b, on
    /// the scale on which both are normal.
    pub loading: f64,
}

impl Group {
    /// The quantile level of a number, from those of the common factor and of its own factor.
    #[must_use]
    pub fn share(&self, common: f64, own: f64) -> f64 {
        let [common, own] = [common, own].map(deviate);
        share_below(self.loading * common + (1.0 - self.loading * self.loading).sqrt() * own)
    }
}

/// Distribution of a number, truncated to its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Distribution {
    /// Normal around the value.
    Normal {
        /// Standard deviation, in the unit of the number.
        standard_deviation: f64,
    },
    /// Log-normal with the value as its median; a value that is not above 0 does not vary.
    LogNormal {
        /// Error factor (95 %): in 95 of 100 cases the number is within value ÷ factor … value × factor.
        factor: f64,
    },
    /// Uniform between two values.
    Uniform {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// Triangular with its mode at the value, or at the end next to it.
    Triangular {
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

/// Largest standard deviation, in ranges of the number.
const WIDEST: f64 = 1e6;

impl Spread {
    /// Of an independent number.
    #[must_use]
    pub fn alone(distribution: Distribution) -> Self {
        Self { distribution, group: None }
    }

    /// The spread of a number multiplied by a factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let distribution = match self.distribution {
            Distribution::Normal { standard_deviation } => {
                Distribution::Normal { standard_deviation: standard_deviation * factor }
            }
            Distribution::LogNormal { factor } => Distribution::LogNormal { factor },
            Distribution::Uniform { low, high } => Distribution::Uniform { low: low * factor, high: high * factor },
            Distribution::Triangular { low, high } => {
                Distribution::Triangular { low: low * factor, high: high * factor }
            }
        };
        Self { distribution, group: self.group.clone() }
    }

    /// The problem for a number, if any.
    #[must_use]
    pub fn problem(&self, quantity: &Quantity) -> Option<String> {
        let of_group = self.group.as_ref().and_then(|group| {
            if group.name.trim().is_empty() {
                Some("a group of correlated numbers needs a name".to_owned())
            } else if !(-1.0..=1.0).contains(&group.loading) {
                Some(format!("its loading {} on the group “{}” is not between -1 and 1", group.loading, group.name))
            } else {
                None
            }
        });
        of_group.or_else(|| self.distribution.problem(quantity))
    }
}

impl Distribution {
    /// Log-normal by an error factor (90 %) above 1.
    #[must_use]
    pub fn from_error_factor_90(within: f64) -> Self {
        Self::LogNormal { factor: (within.ln() / Z_90 * IN_95).exp() }
    }

    /// The same with an error factor (90 %) that is larger by this factor; only log-normal distributions have one.
    #[must_use]
    pub fn widened(self, by: f64) -> Self {
        match self {
            Self::LogNormal { factor } => Self::LogNormal { factor: factor * by.powf(IN_95 / Z_90) },
            other => other,
        }
    }

    /// "normal".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Normal { .. } => "normal",
            Self::LogNormal { .. } => "log-normal",
            Self::Uniform { .. } => "uniform",
            Self::Triangular { .. } => "triangular",
        }
    }

    fn problem(self, quantity: &Quantity) -> Option<String> {
        match self {
            Self::Normal { standard_deviation } if !(standard_deviation.is_finite() && standard_deviation > 0.0) => {
                Some(format!("a standard deviation of {standard_deviation} is not above 0"))
            }
            // For a much wider distribution the quantile levels inside the range are no longer distinct.
            Self::Normal { standard_deviation } if standard_deviation > WIDEST * (quantity.max - quantity.min) => {
                Some(format!(
                    "a standard deviation of {standard_deviation:e} is far wider than the range of the number; use uniform with two ends"
                ))
            }
            Self::LogNormal { factor } if !(factor.is_finite() && factor > 1.0) => {
                Some(format!("a log-normal distribution needs a factor above 1, not {factor}"))
            }
            Self::Uniform { low, high } | Self::Triangular { low, high } => {
                if low.is_finite() && high.is_finite() && low < high {
                    let size = Quantity { whole: false, ..*quantity };
                    let has_none = quantity.whole && low.ceil() > high.floor();
                    let none = || format!("there is no whole number from {low} to {high}");
                    size.problem(low).or_else(|| size.problem(high)).or_else(|| has_none.then(none))
                } else {
                    Some(format!("the ends {low} and {high} must be two finite numbers, the smaller one first"))
                }
            }
            Self::Normal { .. } | Self::LogNormal { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    const WIDE: Quantity = Quantity::new("x", "x", "x", "a test").unit(Unit::Ratio, -1e9, 1e9);

    #[test]
    fn what_makes_no_sense_is_said() {
        let positive = Quantity { min: 0.0, ..WIDE };
        let problem = |distribution| Spread::alone(distribution).problem(&positive);
        assert_eq!(problem(Distribution::Normal { standard_deviation: 1.0 }), None);
        for (distribution, expected) in [
            (Distribution::Normal { standard_deviation: 0.0 }, "not above 0"),
            (Distribution::Normal { standard_deviation: f64::NAN }, "not above 0"),
            (Distribution::LogNormal { factor: 1.0 }, "above 1"),
            (Distribution::Uniform { low: 3.0, high: 3.0 }, "the smaller one first"),
            (Distribution::Uniform { low: -1.0, high: 3.0 }, "out of range"),
            (Distribution::Triangular { low: 6.0, high: 2e9 }, "out of range"),
        ] {
            let found = problem(distribution).expect("a problem");
            assert!(found.contains(expected), "{found}");
        }
        let whole = Quantity { whole: true, ..positive };
        let between = Spread::alone(Distribution::Uniform { low: 1.2, high: 1.8 });
        assert_eq!(between.problem(&whole).as_deref(), Some("there is no whole number from 1.2 to 1.8"));
        assert_eq!(between.problem(&positive), None);
        let group = Some(Group { name: "network".to_owned(), loading: 1.5 });
        let spread = Spread { distribution: Distribution::Normal { standard_deviation: 1.0 }, group };
        assert!(spread.problem(&positive).is_some_and(|problem| problem.contains("between -1 and 1")));
    }
}
