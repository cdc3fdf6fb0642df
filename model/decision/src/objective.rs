//! What the user wants.

use crossover_quantity::unit::Unit;
use serde::{Deserialize, Serialize};

use crate::money::known_dollars;

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
    /// Longest time of a run ÷ today's, for the least cost; 1 for other goals.
    pub time_limit: f64,
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

    /// What an option has to be, where all prices are known: "cheaper and not slower", "faster within the budget of $0.01 per run", "done within
    /// 0.5× today’s time".
    #[must_use]
    pub fn wanted(&self) -> String {
        let limit = self.time_limit;
        match self.goal {
            Goal::Time => match self.budget_usd {
                Some(usd) => format!("faster within the budget of {} per run", known_dollars(usd)),
                None => "faster at no more than today’s cost".to_owned(),
            },
            Goal::ParetoFront => "cheaper and not slower".to_owned(),
            // Today's run takes longer.
            Goal::Cost if limit < 1.0 => format!("done within {} today’s time", Unit::Factor.format(limit)),
            Goal::Cost if (limit - 1.0).abs() < f64::EPSILON => "cheaper and not slower".to_owned(),
            Goal::Cost => format!("cheaper within {} today’s time", Unit::Factor.format(limit)),
        }
    }
}

impl Default for Objective {
    /// The least cost of runs that are not slower than today's.
    fn default() -> Self {
        Self {
            goal: Goal::Cost,
            time_limit: 1.0,
            budget_usd: None,
            runs_per_month: None,
            runs_range: None,
            effort_usd: None,
        }
    }
}
