//! Uncertainty of a number of a study.

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};
use statrs::function::erf::{erfc, erfc_inv};

use crate::provenance::Provenance;
use crate::quantity::Quantity;

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
/// Error factor (95 %) of derived catalogue figures: measured memory bandwidth ÷ data sheet of the 14 GPUs of `gpus.ron` that have both, as a standard deviation of logarithms.
const DERIVED: f64 = 1.25;
/// The same for figures measured on another machine of the type: speeds of PCIe 3.0, 4.0 and 5.0 links with 16 lanes there.
const MEASURED_ELSEWHERE: f64 = 1.2;

/// By the confidence at the end of a catalogue source; figures of data sheets are exact.
fn of_catalogue(source: &str) -> Option<Spread> {
    let factor = if source.ends_with("(derived)") {
        DERIVED
    } else if source.ends_with("(measured)") {
        MEASURED_ELSEWHERE
    } else {
        return None;
    };
    Some(Spread::alone(Distribution::LogNormal { factor }))
}

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

    /// The spread by the source of a number: the interval of a measured or fitted one, and for a catalogue figure the variation
    /// between machines of the same type.
    #[must_use]
    pub fn of_source(source: &Provenance, value: f64) -> Option<Self> {
        let (ends, deviations) = match source {
            Provenance::Measured { interval, .. } => (interval, IN_95),
            Provenance::Fitted { interval, .. } => (interval, Z_90),
            Provenance::Preset { source, .. } => return of_catalogue(source).filter(|_| value > 0.0),
            Provenance::Entered
            | Provenance::Published(_)
            | Provenance::PriceList { .. }
            | Provenance::Assumed { .. }
            | Provenance::Imported { .. } => return None,
        };
        let (low, high) = *ends;
        if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
            return None;
        }
        // An interval that is symmetric by factors is log-normal, as in fits of times and rates.
        let is_by_factors = low > 0.0 && value > 0.0 && ((high / value) / (value / low) - 1.0).abs() < 0.02;
        Some(Self::alone(if is_by_factors && high / low > 1.2 {
            Distribution::LogNormal { factor: ((high / low).ln() / 2.0 / deviations * IN_95).exp() }
        } else {
            Distribution::Normal { standard_deviation: (high - low) / 2.0 / deviations }
        }))
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
}

impl Values {
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
fn deviate(share: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * share)
}

/// The standard normal distribution function.
fn share_below(deviate: f64) -> f64 {
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

    #[test]
    fn sources_say_how_far_a_number_may_be() {
        let measured = |low, high| Provenance::Measured {
            device: "a GPU".to_owned(),
            date: "2026-01-01".to_owned(),
            interval: (low, high),
        };
        let of = |source: &Provenance| Spread::of_source(source, 10.0).map(|spread| spread.distribution);
        let Some(Distribution::Normal { standard_deviation }) = of(&measured(10.0 - IN_95, 10.0 + IN_95)) else {
            panic!("alike on both sides")
        };
        assert!((standard_deviation - 1.0).abs() < 1e-12);
        let Some(Distribution::LogNormal { factor }) = of(&measured(5.0, 20.0)) else { panic!("by factors") };
        assert!((factor - 2.0).abs() < 1e-9);
        assert_eq!(of(&measured(10.0, 10.0)), None);
        assert_eq!(of(&Provenance::Entered), None);
    }

    /// Standard deviation of the logarithms within groups, as the factor of 95 of 100 cases.
    fn factor(groups: &[Vec<f64>]) -> f64 {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for group in groups {
            let mean = group.iter().map(|value| value.ln()).sum::<f64>() / group.len() as f64;
            squares += group.iter().map(|value| (value.ln() - mean).powi(2)).sum::<f64>();
            freedom += group.len() as f64 - 1.0;
        }
        (IN_95 * (squares / freedom).sqrt()).exp()
    }

    #[test]
    fn numbers_of_the_catalogue_spread_as_far_as_those_of_the_catalogue_do() {
        let [gpus, others] = [include_str!("../../../assets/gpus.ron"), "[]"];
        let gpus =
            crate::catalogue::Catalogue::parse([gpus, others, others, others, others]).expect("the catalogue").gpus;
        let achieved = |gpu: &crate::catalogue::Gpu| {
            let (_, measured) = gpu.parallelism.source.split_once("achievable = ")?;
            let (value, _) = measured.split_once(" GB/s measured")?;
            Some(value.parse::<f64>().expect("a speed") / gpu.memory_gb_per_s.value)
        };
        let shares: Vec<f64> = gpus.iter().filter_map(achieved).collect();
        assert!(shares.len() >= 14);
        assert!((factor(&[shares]) - DERIVED).abs() < 0.02);
        // Where several cards have one type of link, and it was measured; one stood in a slower slot: it got less than cards
        // with PCIe 4.0 did.
        let links = ["PCIe 3.0 ×16", "PCIe 4.0 ×16", "PCIe 5.0 ×16"].map(|link| {
            let measured = gpus.iter().filter(|gpu| gpu.host_link == link && gpu.name != "AMD Radeon RX 9060 XT 16 GB");
            let measured = measured.map(|gpu| &gpu.to_gpu_gb_per_s);
            let measured = measured.filter(|speed| speed.confidence == crate::catalogue::Confidence::Measured);
            measured.map(|speed| speed.value).collect::<Vec<_>>()
        });
        assert!(links.iter().all(|link| link.len() >= 3));
        assert!((factor(&links) - MEASURED_ELSEWHERE).abs() < 0.03, "{}", factor(&links));
        let of = |confidence: &str| {
            let source = Provenance::Preset { entry: "a card".to_owned(), source: format!("a page ({confidence})") };
            Spread::of_source(&source, 10.0).map(|spread| spread.distribution)
        };
        assert_eq!(of("derived"), Some(Distribution::LogNormal { factor: DERIVED }));
        assert_eq!(of("measured"), Some(Distribution::LogNormal { factor: MEASURED_ELSEWHERE }));
        assert_eq!(of("data sheet"), None);
    }

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
