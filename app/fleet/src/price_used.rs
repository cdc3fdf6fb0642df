//! The price of one of today's machines that the results of a fleet were decided with, and its source.

use std::collections::BTreeMap;

use crossover_decision::{Price, words};
use crossover_fleet::Outcomes;
use crossover_quantity::text::counted_of;

/// The price of one of today's machines for an hour. Applications on other machines may have another one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct UsedPrice {
    /// The price that most of the applications' time is at.
    price: Price,
    /// Applications at this price, and those with any price.
    applications: [usize; 2],
}

impl UsedPrice {
    /// That of results, before another one is entered; `None` if no application has a price.
    pub(super) fn of(outcomes: &Outcomes) -> Option<Self> {
        let summaries = outcomes.logs().filter_map(|log| log.outcome.as_ref().ok());
        Self::most(summaries.filter_map(|summary| {
            let today = summary.baseline.as_ref().filter(|today| today.machines > 0.0)?;
            Some((today.price.as_ref()?.times(1.0 / today.machines), summary.seconds.unwrap_or(0.0)))
        }))
    }

    /// The one with the most seconds among prices of a machine, each with the seconds that are at it.
    fn most(prices: impl Iterator<Item = (Price, f64)>) -> Option<Self> {
        let mut by: BTreeMap<String, (Price, usize, f64)> = BTreeMap::new();
        let mut priced = 0;
        for (price, seconds) in prices {
            let usd_per_hour = rounded(price.usd_per_hour);
            let price = Price { usd_per_hour, ..price };
            let key = format!("{usd_per_hour} {}", price.origin());
            let (_, applications, at_it) = by.entry(key).or_insert((price, 0, 0.0));
            *applications += 1;
            *at_it += seconds;
            priced += 1;
        }
        let most = by.into_values().reduce(|most, next| if next.2 > most.2 { next } else { most });
        most.map(|(price, applications, _)| Self { price, applications: [applications, priced] })
    }

    /// US dollars for an hour.
    pub(super) fn usd_per_hour(&self) -> f64 {
        self.price.usd_per_hour
    }

    /// What it is based on: "on-demand price".
    pub(super) fn basis(&self) -> String {
        format!("{} price", self.price.basis.label())
    }

    /// Whether it is the price of all applications with a price.
    pub(super) fn is_of_all(&self) -> bool {
        self.applications[0] == self.applications[1]
    }

    /// "$2.25, on-demand price", or "$2.25, on-demand price, in 2 of 3 applications".
    pub(super) fn in_words(&self) -> String {
        let [at_it, priced] = self.applications.map(|count| count as f64);
        let whose =
            if self.is_of_all() { String::new() } else { format!(", in {}", counted_of(at_it, priced, "application")) };
        format!("{}, {}{whose}", words::price_dollars(self.price.usd_per_hour), self.basis())
    }

    /// Where it comes from, in sentences.
    pub(super) fn source(&self) -> String {
        let [at_it, priced] = self.applications;
        let usd = words::price_dollars(self.price.usd_per_hour);
        let whose = if self.is_of_all() {
            String::new()
        } else {
            let of = counted_of(at_it as f64, priced as f64, "application");
            format!(" It is the price of {of}; the others have other prices. An entered price applies to all.")
        };
        format!("Used where none is entered: {usd} per machine and hour ({}).{whose}", self.price.origin())
    }
}

/// Without the rounding errors of the division by a number of machines.
fn rounded(usd: f64) -> f64 {
    format!("{usd:.11e}").parse().unwrap_or(usd)
}

#[cfg(test)]
mod tests {
    use crossover_decision::PriceBasis;

    use super::*;

    fn listed(usd_per_hour: f64) -> Price {
        Price { basis: PriceBasis::OnDemand, source: "a price list".to_owned(), ..Price::entered(usd_per_hour) }
    }

    #[test]
    fn of_several_prices_the_one_of_most_time_is_used_and_the_others_are_named() {
        // Three machines at $0.1 cost $0.30000000000000004, a third of which is not $0.1.
        let of_three = listed(0.1).times(3.0).times(1.0 / 3.0);
        let prices = [(listed(0.1), 40.0), (listed(0.4), 70.0), (of_three, 40.0)];
        let used = UsedPrice::most(prices.into_iter()).expect("a price");
        assert_eq!((used.usd_per_hour(), used.applications), (0.1, [2, 3]));
        assert_eq!(used.in_words(), "$0.10, on-demand price, in 2 of 3 applications");
        assert_eq!(
            used.source(),
            "Used where none is entered: $0.10 per machine and hour (on-demand: a price list). It is the price of 2 of 3 \
             applications; the others have other prices. An entered price applies to all."
        );
        assert_eq!(UsedPrice::most(std::iter::empty()), None);
    }

    #[test]
    fn a_price_of_all_applications_names_its_source_alone() {
        let used = UsedPrice::most([(listed(2.25), 40.0)].into_iter()).expect("a price");
        let source = "Used where none is entered: $2.25 per machine and hour (on-demand: a price list).";
        assert_eq!(used.source(), source);
    }
}
