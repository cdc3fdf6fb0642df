//! Why a search is impossible.

use crossover_quantity::invalid::Invalid;
use crossover_quantity::text::counted;

use super::{MOST_BUDGET, MOST_OBJECTIVES};
use crate::range::RangeError;
use crate::selected::{EVERY, NoSuchFigure};

/// Why a search is impossible.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// There is no free parameter.
    #[error("no free parameters: give numbers with their ranges, or lists to choose from")]
    NothingFree,
    /// There is no objective.
    #[error("no objective: give a figure to minimise or maximise")]
    NoObjective,
    /// There are too many objectives.
    #[error("{0} objectives are too many, at most {MOST_OBJECTIVES}; make the others constraints")]
    Objectives(usize),
    /// A figure is an objective twice.
    #[error("{0} is an objective twice")]
    ObjectiveTwice(String),
    /// A list to choose from is empty.
    #[error("{0}: the list to choose from is empty")]
    Empty(String),
    /// A number is free twice, or free and set by an entry.
    #[error("{path} is set twice: {}", of_both(by))]
    Twice {
        /// Its path.
        path: String,
        /// What sets it.
        by: [String; 2],
    },
    /// A number cannot have these values.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// A number that an entry sets, or that is divided, is none of the study.
    #[error("{by}: {path} is not a number of this study")]
    NoSuchNumber {
        /// What sets it.
        by: String,
        /// The path.
        path: String,
    },
    /// No figure has this key.
    #[error(transparent)]
    Figure(#[from] NoSuchFigure),
    /// A constraint is no number.
    #[error("{key}: the constraint must be a finite number")]
    Constraint {
        /// The key of its figure.
        key: String,
    },
    /// No value meets two constraints.
    #[error("{key}: no value is both at least {} and at most {}", of[0], of[1])]
    Contrary {
        /// The key of their figure.
        key: String,
        /// The lower and the upper one.
        of: [f64; 2],
    },
    /// An objective or a constraint names all figures.
    #[error("“{EVERY}” means all figures; an objective or a constraint needs one figure")]
    Every,
    /// The budget is out of range.
    #[error("{requested} candidates requested; allowed: 1 … {MOST_BUDGET}")]
    Budget {
        /// How many are requested.
        requested: usize,
    },
    /// The search space exceeds the budget: annealing depends on earlier results, so it has no shards.
    #[error(
        "{} exceed the budget of {budget}; a sharded search evaluates all of them",
        counted(*candidates as f64, "candidate")
    )]
    TooMany {
        /// How many there are.
        candidates: u128,
        /// How many may be evaluated.
        budget: usize,
    },
    /// No candidate is valid.
    #[error("none of {} is valid; the first: {}: {}", counted(*count as f64, "candidate"), problem.path, problem.problem)]
    Nowhere {
        /// How many were evaluated.
        count: usize,
        /// What is wrong with the first.
        problem: Invalid,
    },
}

/// "by gpu and by network", "both times by its own range".
fn of_both(by: &[String; 2]) -> String {
    if by[0] == by[1] { format!("both times by {}", by[0]) } else { format!("by {} and by {}", by[0], by[1]) }
}
