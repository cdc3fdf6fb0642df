//! Break-even prices: the expected saving of a recommended option is zero.
//!
//! ```text
//! of its machines = price today × mean time today ÷ mean time with the option
//! of today’s      = price of its machines × mean time with the option ÷ mean time today
//! ```

use serde::Serialize;

use crate::decision::{Decision, DecisionOption};

/// Break-even prices, US dollars per hour. At either one, with the other price as it is now, the expected saving of an option is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BreakEvenPrices {
    /// Index of the option.
    pub option: usize,
    /// Price of all its machines; at a higher price, the option costs more than today on average.
    pub option_usd_per_hour: f64,
    /// Price of all of today's machines; at a lower price, the option costs more than today on average.
    pub today_usd_per_hour: f64,
}

impl Decision {
    /// The break-even prices of each recommended option. Options on today's machines have none, because their price is today's.
    /// Decisions by time, machines that cost nothing, and options that cost more than today have none either: today's run may break the limit.
    #[must_use]
    pub fn break_even_prices(&self) -> Vec<BreakEvenPrices> {
        if self.is_by_time() || self.lists_front() {
            return Vec::new();
        }
        self.recommended().filter_map(|place| self.break_even_prices_of(place)).collect()
    }

    fn break_even_prices_of(&self, option: usize) -> Option<BreakEvenPrices> {
        let DecisionOption { candidate, saving, .. } = &self.options[option];
        if saving.is_some_and(|saving| saving < 0.0) {
            return None;
        }
        let (today, usd) = (self.baseline.usd_per_hour()?, candidate.usd_per_hour()?);
        let ratio = self.baseline.time.mean() / candidate.time?.mean();
        let found = BreakEvenPrices { option, option_usd_per_hour: today * ratio, today_usd_per_hour: usd / ratio };
        let is_price = |usd: f64| usd.is_finite() && usd > 0.0;
        let are_prices = is_price(found.option_usd_per_hour) && is_price(found.today_usd_per_hour);
        (!candidate.is_on_same_machines && are_prices).then_some(found)
    }
}
