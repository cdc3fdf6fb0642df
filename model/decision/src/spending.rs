//! What runs cost today and with an option: means, so that their difference is the expected saving.
//!
//! ```text
//! cost of a run = mean time × price per hour ÷ 3600          cost of a month = cost of a run × runs per month
//! ```

use serde::Serialize;

use crate::decision::{Decision, DecisionOption, HOUR};
use crate::difference::{CostsAndSavings, costs_and_savings};
use crate::objective::Goal;
use crate::price::{Price, PriceBasis};
use crate::time::PredictedTime;
use crate::words::{dollars, one_or_other};

/// What runs cost, US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spending {
    /// Mean cost of a run.
    pub usd_per_run: f64,
    /// Median cost of a run.
    pub median_usd_per_run: f64,
    /// The 90 % interval of the cost of a run; `None` for a measured time, or without a measured error.
    pub interval_usd_per_run: Option<[f64; 2]>,
    /// Mean cost of a month with the fewest and with the most runs, the same if the runs are exact; `None` if they are not known.
    pub usd_per_month: Option<[f64; 2]>,
    /// The lowest and the highest end of the 90 % interval of the cost of a month over the range of the runs. The error of a predicted
    /// time is the same in all runs, so it does not average out.
    pub interval_usd_per_month: Option<[f64; 2]>,
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

    /// What a run costs today and with the recommended options: "$0.00320" and "$0.00102 or $0.00110"; means, so that their difference is
    /// the expected saving. `None` without a recommendation, or where a price is missing.
    #[must_use]
    pub fn mean_costs(&self) -> Option<[String; 2]> {
        let CostsAndSavings { today, changes } = self.rounded_costs(&self.recommended_options())?;
        let then: Vec<String> = changes.into_iter().map(|[then, _]| then).collect();
        (!then.is_empty()).then(|| [today, one_or_other(&then)])
    }

    /// Mean saving of a run with an option, rounded as the costs, so that they add up: "$0.00218"; `None` where time decides.
    #[must_use]
    pub fn mean_saving(&self, option: &DecisionOption) -> Option<String> {
        let saving = option.saving.filter(|_| !self.is_by_time())?;
        // Recommended options are named together, beside one cost today.
        let recommended = self.recommended_options();
        let place = recommended.iter().position(|other| std::ptr::eq(*other, option));
        let together = place.and_then(|place| Some(self.rounded_costs(&recommended)?.changes.swap_remove(place)));
        let rounded = together.or_else(|| self.rounded_costs(&[option])?.changes.pop());
        Some(rounded.map_or_else(|| dollars(saving), |[_, saving]| saving))
    }

    /// Mean cost of a run with an option, if it is above the budget of the least time: entered, or what a run costs today on average. `None`
    /// if it is not, for other goals, and without a price.
    pub(crate) fn cost_above_budget(&self, option: &DecisionOption) -> Option<f64> {
        let cost = self.spending_with(option).filter(|_| self.objective.goal == Goal::Time)?.usd_per_run;
        let budget = self.objective.budget_usd.or_else(|| Some(self.spending_today()?.usd_per_run))?;
        (cost > budget).then_some(cost)
    }

    pub(crate) fn recommended_options(&self) -> Vec<&DecisionOption> {
        self.recommended().map(|place| &self.options[place]).collect()
    }

    /// What a run costs today and with options, and what it saves, rounded to the same place; `None` where a price or a time is missing.
    fn rounded_costs(&self, options: &[&DecisionOption]) -> Option<CostsAndSavings<String>> {
        let today = self.spending_today()?.usd_per_run;
        let then = options.iter().map(|option| Some(self.spending_with(option)?.usd_per_run));
        Some(costs_and_savings(today, &then.collect::<Option<Vec<f64>>>()?))
    }

    fn spending(&self, time: &PredictedTime, price: &Price) -> Spending {
        let usd = |seconds: f64| seconds * price.usd_per_hour / HOUR;
        let usd_per_run = usd(time.mean());
        let interval_usd_per_run = time.interval().map(|ends| ends.map(usd));
        let runs = self.objective.runs();
        Spending {
            usd_per_run,
            median_usd_per_run: usd(time.value()),
            interval_usd_per_run,
            usd_per_month: runs.map(|runs| runs.map(|runs| runs * usd_per_run)),
            interval_usd_per_month: runs
                .zip(interval_usd_per_run)
                .map(|([fewest, most], [low, high])| [fewest * low, most * high]),
            basis: price.basis,
        }
    }
}
