//! What the user wants.

use serde::{Deserialize, Serialize};

use crate::money::known_dollars;
use crate::time_limit::TimeLimit;

/// What is to be least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// The cost of a run, within the time limit.
    #[default]
    Cost,
    /// The time of a run, within the budget.
    Time,
    /// Time and cost of a run: all options that no other one dominates, without a choice between them.
    ParetoFront,
}

/// What the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// What is to be least.
    pub goal: Goal,
    /// Longest time of a run, for the least cost; today's time for other goals.
    #[serde(flatten)]
    pub time_limit: TimeLimit,
    /// Largest cost of a run, US dollars, for the least time; `None`: today's.
    pub budget_usd: Option<f64>,
    /// Runs in a month, if they are known.
    pub runs_per_month: Option<f64>,
    /// Ends of the range in which the runs of a month are; `None`: they are exact.
    #[serde(default)]
    pub runs_range: Option<[f64; 2]>,
    /// What the move costs once, US dollars: work, tests, training. With runs per month, an option that does not pay it back within three
    /// years is not recommended. `None`: not known, and not counted.
    #[serde(default)]
    pub effort_usd: Option<f64>,
}

impl Objective {
    /// The fewest and the most runs of a month; the same if they are exact, `None` if they are not known.
    #[must_use]
    pub fn runs(&self) -> Option<[f64; 2]> {
        let runs = self.runs_per_month?;
        Some(self.runs_range.unwrap_or([runs; 2]))
    }

    /// Whether the time limit is below today's time, whatever that is: a factor below 1.
    #[must_use]
    pub fn is_limit_below_today(&self) -> bool {
        self.time_limit.as_factor().is_some_and(|factor| factor < 1.0)
    }

    /// What an option of any workload has to be, where all prices are known: "cheaper and not slower", "faster within the budget of $0.01 per
    /// run", "done within 0.5× today’s time".
    #[must_use]
    pub fn wanted(&self) -> String {
        match self.goal {
            Goal::Time => match self.budget_usd {
                Some(usd) => format!("faster within the budget of {} per run", known_dollars(usd)),
                None => "faster at no more than today’s cost".to_owned(),
            },
            Goal::ParetoFront => "cheaper and not slower".to_owned(),
            // Today's run takes longer.
            Goal::Cost if self.is_limit_below_today() => format!("done within {}", self.time_limit.in_words()),
            Goal::Cost if self.time_limit == TimeLimit::TODAY => "cheaper and not slower".to_owned(),
            Goal::Cost => format!("cheaper within {}", self.time_limit.in_words()),
        }
    }
}

impl Default for Objective {
    /// The least cost of runs that are not slower than today's.
    fn default() -> Self {
        Self {
            goal: Goal::Cost,
            time_limit: TimeLimit::TODAY,
            budget_usd: None,
            runs_per_month: None,
            runs_range: None,
            effort_usd: None,
        }
    }
}
