//! Kinds of operators, independent of the engine's names.

use serde::{Deserialize, Serialize};

/// Kind of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Reads a table or a file.
    Scan,
    /// Rows that are there already: constants, a range, a cached table.
    Values,
    /// Keeps some rows.
    Filter,
    /// Computes columns.
    Project,
    /// Joins two inputs.
    Join,
    /// Groups and aggregates.
    Aggregate,
    /// Sorts, wholly or for the first rows.
    Sort,
    /// Window functions.
    Window,
    /// Makes several rows of one: expand, explode.
    Expand,
    /// Puts inputs one after the other.
    Union,
    /// Keeps the first rows.
    Limit,
    /// Moves every row to the machine of its key.
    Shuffle,
    /// Sends a copy to every machine.
    Broadcast,
    /// Moves every row to one machine.
    Gather,
    /// Runs user code row by row: lambdas, Python.
    UserCode,
    /// Writes a table or a file.
    Write,
    /// Something that Crossover has no model for.
    Other,
    /// No work of its own: a stage, a code generation unit, a reused part of the plan.
    Wrapper,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 18] = [
        Self::Scan,
        Self::Values,
        Self::Filter,
        Self::Project,
        Self::Join,
        Self::Aggregate,
        Self::Sort,
        Self::Window,
        Self::Expand,
        Self::Union,
        Self::Limit,
        Self::Shuffle,
        Self::Broadcast,
        Self::Gather,
        Self::UserCode,
        Self::Write,
        Self::Other,
        Self::Wrapper,
    ];

    /// Name in reports, and of the operator of a study that has its costs.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Values => "values",
            Self::Filter => "filter",
            Self::Project => "project",
            Self::Join => "join",
            Self::Aggregate => "aggregate",
            Self::Sort => "sort",
            Self::Window => "window",
            Self::Expand => "expand",
            Self::Union => "union",
            Self::Limit => "limit",
            Self::Shuffle => "shuffle",
            Self::Broadcast => "broadcast",
            Self::Gather => "gather",
            Self::UserCode => "user code",
            Self::Write => "write",
            Self::Other => "other",
            Self::Wrapper => "wrapper",
        }
    }

    /// Default CPU seconds of one core for 100 MB of input: single-core times of current engines,
    /// see `docs/model/placement.md`.
    #[must_use]
    pub fn usual_seconds_per_100mb(self) -> f64 {
        match self {
            Self::Wrapper | Self::Union | Self::Limit | Self::Values => 1e-6,
            Self::Scan | Self::Project | Self::Expand => 0.0025,
            Self::Filter => 0.005,
            Self::Aggregate | Self::Shuffle | Self::Broadcast | Self::Gather | Self::Write | Self::Other => 0.1,
            Self::Join | Self::Sort | Self::Window => 1.2,
            Self::UserCode => 2.5,
        }
    }

    /// Whether an operator's output rows have the columns of its input rows.
    #[must_use]
    pub const fn keeps_rows(self) -> bool {
        matches!(
            self,
            Self::Filter
                | Self::Sort
                | Self::Limit
                | Self::Union
                | Self::Shuffle
                | Self::Broadcast
                | Self::Gather
                | Self::Wrapper
        )
    }

    /// Whether rows move between machines.
    #[must_use]
    pub fn is_exchange(self) -> bool {
        matches!(self, Self::Shuffle | Self::Broadcast | Self::Gather)
    }

    /// Whether its rows come from outside the plan. Its inputs in the plan, a subquery for instance, only filter its rows.
    #[must_use]
    pub fn is_source(self) -> bool {
        matches!(self, Self::Scan | Self::Values)
    }

    /// Why it can run on a CPU only, unless a support list has a GPU version.
    #[must_use]
    pub fn why_cpu_only(self) -> Option<&'static str> {
        match self {
            Self::UserCode => Some("it runs user code row by row"),
            Self::Other => Some("Crossover has no model for this operator"),
            _ => None,
        }
    }
}
