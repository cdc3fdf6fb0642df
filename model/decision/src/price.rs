//! Prices: what they are based on, and how far they may be from what is paid.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Source of a price that the user entered.
pub const ENTERED: &str = "entered";

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
    /// Those that a user can enter, in the order of lists.
    pub const ENTERED: [Self; 4] = [Self::OnDemand, Self::Spot, Self::Reserved, Self::Own];

    /// Name in lists and tables, and on the command line.
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

    /// What it means, in a sentence.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::OnDemand => "The list price of the provider",
            Self::Spot => "The price of machines that the provider may reclaim; restarts are not counted",
            Self::Reserved => "The price with a commitment; hours without work are not counted",
            Self::Own => "What an hour of your own machines costs, with power and space",
            Self::Assumed => "A price taken from other machines, because the price of these is unknown",
        }
    }

    /// Beside a cost: "at an assumed price".
    #[must_use]
    pub fn beside_a_cost(self) -> &'static str {
        match self {
            Self::OnDemand => "at the on-demand price",
            Self::Spot => "at the spot price",
            Self::Reserved => "at the reserved price",
            Self::Own => "at your own price",
            Self::Assumed => "at an assumed price",
        }
    }

    /// Whether it is the list price.
    #[must_use]
    pub fn is_on_demand(&self) -> bool {
        *self == Self::OnDemand
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

/// A price for an hour, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// US dollars.
    pub usd_per_hour: f64,
    /// What it is based on.
    pub basis: PriceBasis,
    /// Where it comes from: "entered", the name of a price list, or why it is assumed.
    pub source: String,
    /// Its day, if that is known.
    pub date: Option<Date>,
    /// Its region, if that is known.
    pub region: Option<String>,
}

impl Price {
    /// What the user pays.
    #[must_use]
    pub fn entered(usd_per_hour: f64) -> Self {
        Self { usd_per_hour, basis: PriceBasis::Own, source: ENTERED.to_owned(), date: None, region: None }
    }

    /// The price of so many times as much.
    #[must_use]
    pub fn times(&self, count: f64) -> Self {
        Self { usd_per_hour: self.usd_per_hour * count, ..self.clone() }
    }

    /// Where it comes from: "on-demand, us-east-1, 2026-07-20: a price list", "entered, spot, 2026-11-01".
    #[must_use]
    pub fn origin(&self) -> String {
        let basis = (self.basis != PriceBasis::Own).then(|| self.basis.label().to_owned());
        let parts = [basis, self.region.clone(), self.date.map(|date| date.to_string())];
        let parts = parts.into_iter().flatten().collect::<Vec<String>>().join(", ");
        match (self.source.as_str(), parts.as_str()) {
            (source, "") => source.to_owned(),
            (ENTERED, parts) => format!("{ENTERED}, {parts}"),
            (source, parts) => format!("{parts}: {source}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_origin_of_a_price_has_its_basis_region_and_day() {
        let entered = Price::entered(0.4);
        assert_eq!(entered.origin(), "entered");
        let spot = Price { basis: PriceBasis::Spot, date: Some(date(2026, 11, 1)), ..entered.clone() };
        assert_eq!(spot.origin(), "entered, spot, 2026-11-01");
        let listed = Price { source: "a price list".to_owned(), region: Some("us-east-1".to_owned()), ..spot };
        assert_eq!(listed.origin(), "spot, us-east-1, 2026-11-01: a price list");
        let undated = Price { source: "a price list".to_owned(), ..entered };
        assert_eq!(undated.origin(), "a price list");
    }

    #[test]
    fn a_price_is_within_its_range() {
        for basis in PriceBasis::ENTERED.into_iter().chain([PriceBasis::Assumed]) {
            let [low, high] = basis.range();
            assert!(low <= 1.0 && 1.0 <= high, "{basis:?}");
            assert_eq!(low == high, basis.range_source().is_empty(), "{basis:?}");
        }
    }
}
