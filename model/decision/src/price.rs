//! Prices: what they are based on, and how far they may be from what is paid.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// What a price is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceBasis {
    /// The list price, without a commitment.
    #[default]
    OnDemand,
    /// Spare capacity that the provider can take back.
    Spot,
    /// A commitment for a year or more.
    Reserved,
    /// What the user pays.
    Own,
    /// Taken from other machines, because that of these is not known.
    Assumed,
}

impl PriceBasis {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::OnDemand, Self::Spot, Self::Reserved, Self::Own, Self::Assumed];

    /// Name in tables and on the command line.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Spot => "spot",
            Self::Reserved => "reserved",
            Self::Own => "own",
            Self::Assumed => "assumed",
        }
    }

    /// Range in which the price that is paid may be, as factors of this one.
    #[must_use]
    pub fn range(self) -> [f64; 2] {
        match self {
            // AWS Savings Plans cost up to 72 % less than on demand.
            Self::OnDemand => [0.28, 1.0],
            Self::Spot | Self::Assumed => [0.5, 2.0],
            Self::Reserved | Self::Own => [1.0, 1.0],
        }
    }

    /// Where the range comes from; empty if the price has none.
    #[must_use]
    pub fn range_source(self) -> &'static str {
        match self {
            Self::OnDemand => {
                "on demand, down to the largest published discount for a commitment (72 %, AWS Savings Plans)"
            }
            Self::Spot => "half to twice the spot price (assumed)",
            Self::Assumed => "half to twice the assumed price (assumed)",
            Self::Reserved | Self::Own => "",
        }
    }
}

/// The date of a price in the text of its source: "on demand, Linux, us-east-1, 2026-07-20".
#[must_use]
pub fn date_of(source: &str) -> Option<Date> {
    let mut parts = source.split(|c: char| !c.is_ascii_digit() && c != '-');
    parts.find_map(|part| part.parse().ok())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_date_is_found_within_a_source() {
        let source = "on demand, Linux, us-east-1, 2026-07-20: zz_generated.pricing_aws.go";
        assert_eq!(date_of(source), Some(date(2026, 7, 20)));
        assert_eq!(date_of("entered, spot, 2026-11-01"), Some(date(2026, 11, 1)));
        assert_eq!((date_of("entered"), date_of("us-east-1"), date_of("")), (None, None, None));
    }

    #[test]
    fn a_price_is_within_its_range() {
        for basis in PriceBasis::ALL {
            let [low, high] = basis.range();
            assert!(low <= 1.0 && 1.0 <= high, "{basis:?}");
            assert_eq!(low == high, basis.range_source().is_empty(), "{basis:?}");
        }
    }
}
