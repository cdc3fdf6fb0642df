//! What an operator does in particular, where its engine's text says so: which rows a join keeps and how it finds them, how an
//! exchange distributes rows, which step of an aggregation it is.

use serde::{Deserialize, Serialize};

/// What an operator does in particular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Operation {
    /// Joins two inputs.
    Join {
        /// Rows in its output.
        rows: JoinRows,
        /// How it finds matching rows.
        method: JoinMethod,
        /// The build side: of a hash join the side in the hash table, of a nested-loop join the broadcast side.
        build: Option<JoinSide>,
    },
    /// Moves rows between machines.
    Exchange {
        /// How rows are distributed.
        partitioning: Partitioning,
        /// Partitions in its output, if stated.
        partitions: Option<u64>,
    },
    /// Groups and aggregates.
    Aggregate {
        /// Its step of the aggregation.
        step: AggregateStep,
    },
    /// Computes window functions.
    Window {
        /// Window functions that it computes.
        functions: u32,
        /// Those of them whose frame is neither the whole partition nor begins with it: each row has a frame of its own.
        moving: u32,
    },
    /// Makes several rows of one, a row for each list of expressions.
    Expand {
        /// Rows that it makes of one.
        copies: u32,
    },
}

/// Rows in the output of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinRows {
    /// Pairs that match.
    Inner,
    /// All pairs.
    Cross,
    /// Pairs that match, and all rows of the left input.
    LeftOuter,
    /// Pairs that match, and all rows of the right input.
    RightOuter,
    /// Pairs that match, and all rows of both inputs.
    FullOuter,
    /// Rows of the left input with a match.
    LeftSemi,
    /// Rows of the left input without a match.
    LeftAnti,
    /// All rows of the left input, each with a column that says whether it has a match.
    Existence,
}

/// How a join finds matching rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinMethod {
    /// A hash table of a side that every machine has.
    BroadcastHash,
    /// A hash table for each partition of both sides.
    ShuffledHash,
    /// Both sides sorted by their keys.
    SortMerge,
    /// Every row with every row of a side that every machine has.
    BroadcastNestedLoop,
    /// Every partition with every partition of the other side.
    Cartesian,
}

/// An input of a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JoinSide {
    /// The first input.
    Left,
    /// The second input.
    Right,
}

/// How an exchange distributes rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Partitioning {
    /// By a hash of keys.
    Hash,
    /// By ranges of keys.
    Range,
    /// In turn, without keys.
    RoundRobin,
    /// All rows to one partition.
    Single,
    /// A copy of all rows to every machine.
    Broadcast,
}

/// A step of an aggregation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AggregateStep {
    /// Aggregates the rows of each task.
    Partial,
    /// Aggregates partial results further, and leaves them partial.
    Merge,
    /// Gives the result.
    Final,
}
