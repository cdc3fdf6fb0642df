//! Move, try, stay, cannot be judged.
//!
//! | an option's likelihood of being better | expected saving | verdict |
//! |---|---|---|
//! | any | does not pay back the effort within 36 months | stay |
//! | any | mean cost above the budget of the least time | stay |
//! | 90 % or more | any, if today's run breaks the limit | move |
//! | 50 % … 90 % | any, if today's run breaks the limit | try |
//! | 90 % or more | positive | move |
//! | 50 % … 90 % | more than the expected regret | try |
//! | otherwise | | stay |
//! | no option has a measured error | | cannot be judged |
//!
//! The decision takes the verdict of the best option: the one with the largest expected saving among those to move to and those worth a
//! trial. Better is cheaper within the time limit, or faster within the budget; where today's run breaks that limit, it is to keep the limit,
//! and neither the saving nor the effort changes the verdict. The regret is the mean extra cost of a move;
//! outcomes in which it costs less count as 0.

use serde::{Deserialize, Serialize};

/// From this likelihood on, a move needs no trial.
pub const MOVE_FROM: f64 = 0.9;
/// Below this likelihood, not even a trial pays.
pub const TRY_FROM: f64 = 0.5;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Move to the best option.
    Move,
    /// Run the best option once, and compare.
    Try,
    /// Stay with today's engine and machines.
    Stay,
    /// Nothing is known that would judge it.
    #[default]
    CannotJudge,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Move, Self::Try, Self::Stay, Self::CannotJudge];

    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Try => "try",
            Self::Stay => "stay",
            Self::CannotJudge => "cannot be judged",
        }
    }

    /// The verdict for an option with this likelihood of being better, expected saving and expected regret, if the move takes no effort.
    #[must_use]
    pub fn of(chance: f64, saving: f64, regret: f64) -> Self {
        if chance >= MOVE_FROM && saving > 0.0 {
            Self::Move
        } else if chance >= TRY_FROM && saving > regret {
            Self::Try
        } else {
            Self::Stay
        }
    }

    /// The same where today's run breaks the limit: an option only has to keep it, whatever it costs.
    pub(crate) fn within_limit(chance: f64) -> Self {
        if chance >= MOVE_FROM {
            Self::Move
        } else if chance >= TRY_FROM {
            Self::Try
        } else {
            Self::Stay
        }
    }
}
