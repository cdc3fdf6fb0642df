//! What runs cost today and with an option: means, so that their difference is the expected saving.
//!
//! ```text
//! cost of a run = mean time × price per hour ÷ 3600          cost of a month = cost of a run × runs per month
//! ```

use serde::Serialize;

use crate::decision::{Decision, DecisionOption, HOUR};
use crate::price::{Price, PriceBasis};
use crate::time::PredictedTime;

/// What runs cost, US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spending {
    /// Mean cost of a run.
    pub usd_per_run: f64,
    /// Median cost of a run.
    pub median_usd_per_run: f64,
    /// Mean cost of a month with the fewest and with the most runs, the same if the runs are exact; `None` if they are not known.
    pub usd_per_month: Option<[f64; 2]>,
    /// What the price of the machines is based on.
    pub basis: PriceBasis,
}

impl Decision {
    /// What runs cost today; `None` without a price.
    #[must_use]
    pub fn spending_today(&self) -> Option<Spending> {
        Some(self.spending(&self.baseline.time, self.baseline.price.as_ref()?))
    }

    /// What runs cost with an option; `None` without a time or a price.
    #[must_use]
    pub fn spending_with(&self, option: &DecisionOption) -> Option<Spending> {
        let candidate = &option.candidate;
        Some(self.spending(candidate.time.as_ref()?, candidate.price.as_ref()?))
    }

    fn spending(&self, time: &PredictedTime, price: &Price) -> Spending {
        let usd = |seconds: f64| seconds * price.usd_per_hour / HOUR;
        let usd_per_run = usd(time.mean());
        Spending {
            usd_per_run,
            median_usd_per_run: usd(time.value()),
            usd_per_month: self.objective.runs().map(|runs| runs.map(|runs| runs * usd_per_run)),
            basis: price.basis,
        }
    }
}
