//! An assumed price in the sentences of a decision: whose it is, and the likelihood and the saving at half and at twice that price.

use crossover_quantity::text::between;

use crate::choice::NAMES;
use crate::decision::{Decision, DecisionOption};
use crate::price::{Price, PriceBasis};
use crate::price_change::PricedMachines;
use crate::verdict::Verdict;
use crate::words::{dollars, joined, likely, monthly_dollars, one_or_other, price_dollars};

/// What depends on an assumed price, at half to twice that price.
struct OverPrice {
    /// "$0.72 to $2.88 per hour".
    prices: String,
    /// "is <1 % … >99 %", "stays 93 %"; `None` where the likelihood does not depend on it.
    likelihood: Option<String>,
    /// "−$0.002 … $0.008".
    saving: String,
}

/// The lowest and the highest likelihood of the option at a place of two decisions.
fn lowest_and_highest(decisions: &[Decision; 2], place: usize) -> Option<[f64; 2]> {
    let [one, other] = decisions.each_ref().map(|decision| decision.options[place].better);
    let (one, other) = one.zip(other)?;
    Some([one.min(other), one.max(other)])
}

impl Decision {
    /// ", at an assumed price of today’s machines"; empty if the prices that an option is compared by are known.
    pub(crate) fn at_assumed_price(&self, option: &DecisionOption) -> &'static str {
        match self.assumed_price(option) {
            Some((PricedMachines::Today, _)) => ", at an assumed price of today’s machines",
            Some((PricedMachines::OfOption(_), _)) => ", at an assumed price of its machines",
            None => "",
        }
    }

    /// " At half to twice the assumed price, $0.72 to $2.88 per hour, the likelihood is <1 % … >99 % and the expected saving is −$0.002 …
    /// $0.008 per run."; of several options in their order " … the expected saving is $0.001 … $0.004 or $0.0009 … $0.0036 per run.".
    /// Empty without an assumed price, or where time decides.
    pub(crate) fn over_assumed_price(&self, options: &[&DecisionOption]) -> String {
        let names = NAMES.iter().map(|name| if options.len() > 1 { format!(" of {name}") } else { String::new() });
        let ranges = names.zip(options).filter_map(|(of, option)| Some((of, self.over_price(option)?)));
        let ranges: Vec<(String, OverPrice)> = ranges.collect();
        let is_one_price = ranges.windows(2).all(|pair| pair[0].1.prices == pair[1].1.prices);
        if is_one_price && ranges.len() == options.len() {
            self.over_one_price(&ranges)
        } else {
            ranges.chunks(1).map(|range| self.over_one_price(range)).collect()
        }
    }

    /// The sentence of options whose assumed price is the same, each with its name: " of the first".
    fn over_one_price(&self, ranges: &[(String, OverPrice)]) -> String {
        let Some(((name, first), others)) = ranges.split_first() else { return String::new() };
        let is_one_likelihood = others.iter().all(|(_, range)| range.likelihood == first.likelihood);
        let is_written_once = is_one_likelihood && !others.is_empty();
        let named = if is_written_once { &ranges[..1] } else { ranges };
        let likelihoods = named.iter().filter_map(|(of, range)| {
            let of = if is_written_once { "" } else { of.as_str() };
            Some(format!("the likelihood{of} {}", range.likelihood.as_ref()?))
        });
        let mut parts: Vec<String> = likelihoods.collect();
        let of = if others.is_empty() { name.as_str() } else { "" };
        let savings: Vec<String> = ranges.iter().map(|(_, range)| range.saving.clone()).collect();
        let of_what = if self.objective.runs().is_some() { "a month" } else { "per run" };
        parts.push(format!("the expected saving{of} is {} {of_what}", one_or_other(&savings)));
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        format!(" At half to twice the assumed price, {}, {}.", first.prices, joined(&parts, " and "))
    }

    /// "the price is assumed. At half that price, $0.50 per hour, the recommendation would be to stay; at twice, $2.00, it would not change.": how
    /// the recommendation depends on an assumed price of today's machines. `None` if it is the same at both ends.
    #[must_use]
    pub fn recommendation_over_price_today(&self) -> Option<String> {
        let price = self.baseline.price.as_ref()?;
        let ends = self.other_at_ends_of_price_today();
        let [half, twice] = price.basis.range().map(|factor| price_dollars(price.usd_per_hour * factor));
        let said = match ends.each_ref().map(|then| then.as_ref().map(Self::advice)) {
            [None, None] => return None,
            [Some(low), Some(high)] => {
                format!(
                    "At half that price, {half} per hour, the recommendation would be {low}; at twice, {twice}, it would be {high}"
                )
            }
            [Some(low), None] => {
                format!(
                    "At half that price, {half} per hour, the recommendation would be {low}; at twice, {twice}, it would not change"
                )
            }
            [None, Some(high)] => {
                format!(
                    "At twice that price, {twice} per hour, the recommendation would be {high}; at half, {half}, it would not change"
                )
            }
        };
        Some(format!("the price is assumed. {said}."))
    }

    /// "to stay", "to move to RAPIDS, 2 × g6.2xlarge", "to try Gluten 1.4 or Comet 0.17.0".
    fn advice(&self) -> String {
        let titles = self.recommended_title(" or ").unwrap_or_default();
        match self.verdict {
            Verdict::Move => format!("to move to {titles}"),
            Verdict::Try => format!("to try {titles}"),
            Verdict::Stay | Verdict::CannotJudge => "to stay".to_owned(),
        }
    }

    fn over_price(&self, option: &DecisionOption) -> Option<OverPrice> {
        let (price, place, at_ends) = self.at_ends_of_assumed_price(option)?;
        let [from, to] = price.basis.range().map(|factor| price_dollars(price.usd_per_hour * factor));
        let likelihood = match lowest_and_highest(&at_ends, place)?.map(likely) {
            // A price of both changes the saving alone.
            _ if option.candidate.is_on_same_machines => None,
            [low, high] if low == high => Some(format!("stays {low}")),
            [low, high] => Some(format!("is {low} … {high}")),
        };
        let amount: fn(f64) -> String = if self.objective.runs().is_some() { monthly_dollars } else { dollars };
        let savings = at_ends.iter().filter_map(|at| {
            let option = &at.options[place];
            at.monthly_saving(option).map(|month| month.expected).or(option.saving.map(|usd| [usd; 2]))
        });
        let range = savings
            .flatten()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], usd| [low.min(usd), high.max(usd)]);
        Some(OverPrice { prices: format!("{from} to {to} per hour"), likelihood, saving: between(range.map(amount)) })
    }

    /// The lowest and the highest likelihood of an option at half and at twice an assumed price: "<1 % … >99 %"; `None` if it does not
    /// depend on an assumed price, or is the same at both.
    pub(crate) fn likely_over_assumed_price(&self, option: &DecisionOption) -> Option<String> {
        // A price of both changes the saving alone.
        if self.is_by_time() || option.candidate.is_on_same_machines {
            return None;
        }
        let (_, place, at_ends) = self.at_ends_of_assumed_price(option)?;
        let [low, high] = lowest_and_highest(&at_ends, place)?.map(likely);
        (low != high).then(|| format!("{low} … {high}"))
    }

    /// The assumed price that an option is compared by, the place of the option, and the decisions at half and at twice that price;
    /// `None` where time decides.
    fn at_ends_of_assumed_price(&self, option: &DecisionOption) -> Option<(&Price, usize, [Self; 2])> {
        if self.is_by_time() {
            return None;
        }
        let (priced, place) = (self.assumed_price(option)?.0, self.place_of(option)?);
        let price = match priced {
            PricedMachines::Today => self.baseline.price.as_ref(),
            PricedMachines::OfOption(of) => self.options[of].candidate.price.as_ref(),
        };
        let price = price?;
        Some((price, place, price.basis.range().map(|factor| self.with_price(priced, factor))))
    }

    /// The price that a comparison with an option depends on and that is taken from other machines, and whose price it is.
    pub(crate) fn assumed_price<'a>(&'a self, option: &'a DecisionOption) -> Option<(PricedMachines, &'a Price)> {
        let is_assumed = |price: &&Price| price.basis == PriceBasis::Assumed;
        let of_today = self.baseline.price.as_ref().filter(is_assumed).map(|price| (PricedMachines::Today, price));
        of_today.or_else(|| {
            let price = option.candidate.price.as_ref().filter(is_assumed)?;
            Some((PricedMachines::OfOption(self.place_of(option)?), price))
        })
    }

    /// Where an option of this decision stands among its options.
    fn place_of(&self, option: &DecisionOption) -> Option<usize> {
        self.options.iter().position(|other| std::ptr::eq(other, option))
    }

    /// Whether the price of today's machines is taken from other ones.
    pub(crate) fn is_price_assumed(&self) -> bool {
        self.baseline.price.as_ref().is_some_and(|price| price.basis == PriceBasis::Assumed)
    }
}
