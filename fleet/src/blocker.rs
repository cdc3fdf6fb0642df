//! Reasons that keep a query or an application from moving: their names, and what to do.

use std::sync::LazyLock;

use crossover_decision::saving::longest_payback;
use serde::{Deserialize, Serialize};

/// The explanation of [`Blocker::Effort`].
static EFFORT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "Its expected saving does not pay back the effort of the move within {}. More runs per month or a smaller effort may change \
         that.",
        longest_payback()
    )
});

/// A reason that keeps a query or an application from moving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blocker {
    /// It has no query.
    NoSql,
    /// Its end is not in the log, which Spark still writes.
    Running,
    /// Its end is not in the log, which Spark no longer writes.
    Truncated,
    /// The ends of queries are not in the log, but the end of the application is.
    NoEnd,
    /// Its queries failed.
    Failed,
    /// It runs on GPUs already.
    OnGpu,
    /// It ran in an engine other than the one that the options were measured against.
    OtherEngine,
    /// Too much of its time belongs to no operator.
    WithoutOperator,
    /// It is outside what was measured.
    OutsideMeasured,
    /// Its queries have no time or no plan.
    NoPlan,
    /// Half of its time or more is outside queries.
    OutsideSql,
    /// Operators without a GPU version take half of the time or more.
    Unsupported,
    /// Starting takes half of the time or more.
    TooShort,
    /// Reading takes half of the time or more.
    Storage,
    /// Exchanges take half of the time or more.
    Network,
    /// No option is likely to be cheaper within the time limit.
    NoSaving,
    /// The expected saving does not pay back the effort of the move in time.
    Effort,
    /// The gain is smaller than the errors of predictions.
    WithinError,
    /// Today's machines have a price, but those of the options have none.
    NoPrice,
    /// The base has no error factor.
    NoErrorFactor,
}

impl Blocker {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::NoSql,
        Self::Running,
        Self::Truncated,
        Self::NoEnd,
        Self::Failed,
        Self::OnGpu,
        Self::OtherEngine,
        Self::WithoutOperator,
        Self::OutsideMeasured,
        Self::NoPlan,
        Self::OutsideSql,
        Self::Unsupported,
        Self::TooShort,
        Self::Storage,
        Self::Network,
        Self::NoSaving,
        Self::Effort,
        Self::WithinError,
        Self::NoPrice,
        Self::NoErrorFactor,
    ];

    /// Whether it is wrong with the log, whatever the option.
    #[must_use]
    pub fn is_of_log(self) -> bool {
        matches!(self, Self::Running | Self::Truncated | Self::NoEnd | Self::Failed)
    }

    /// Name in tables.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NoSql => "no SQL",
            Self::Running => "running",
            Self::Truncated => "truncated log",
            Self::NoEnd => "no end in the log",
            Self::Failed => "failed",
            Self::OnGpu => "on GPUs already",
            Self::OtherEngine => "another engine",
            Self::WithoutOperator => "time without operators",
            Self::OutsideMeasured => "outside measurements",
            Self::NoPlan => "no plan",
            Self::OutsideSql => "time outside SQL",
            Self::Unsupported => "unsupported operators",
            Self::TooShort => "too short",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::NoSaving => "no likely saving",
            Self::Effort => "effort not paid back",
            Self::WithinError => "gain within the error",
            Self::NoPrice => "options without price",
            Self::NoErrorFactor => "base without error factor",
        }
    }

    /// What it means and what to do, in one or two sentences.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoSql => "It runs no SQL query, and only SQL queries are predicted.",
            Self::Running => "It is still running. Read its log again when it has ended.",
            Self::Truncated => {
                "Its end is not in the log: the log was cut off, or the application was killed. Copy the whole log and read it \
                 again, or read a run that ended."
            }
            Self::NoEnd => {
                "A query has no end in the log, although the application ended. Its time is not known, so it cannot be judged. Read \
                 the log of another run."
            }
            Self::Failed => "Failed queries take most of its time. Find the cause, then read a run that succeeded.",
            Self::OnGpu => "It already runs on GPUs, so there is no CPU time to compare with.",
            Self::OtherEngine => {
                "It ran in a native engine, but the options were measured against Spark. Read a log of a run in Spark, or name a \
                 base that was measured against its engine."
            }
            Self::WithoutOperator => {
                "More than a quarter of its CPU time belongs to no operator of its plan, so its time with another option is \
                 unknown. The warnings about its log name the stages."
            }
            Self::OutsideMeasured => {
                "It reads, exchanges or generates more data than any measured query, or the GPU cluster is far from the measured one. \
                 Run a trial; `crossover decide` names the largest measured value."
            }
            Self::NoPlan => {
                "Its queries have no time or no usable plan. The warnings about its log say what is missing."
            }
            Self::OutsideSql => {
                "Half of its time or more is outside SQL queries, and no engine changes that time. Look at its driver \
                 code, RDD jobs and waiting."
            }
            Self::Unsupported => {
                "Operators without a GPU version take half of the predicted time or more. Replace user-defined \
                 functions by SQL functions."
            }
            Self::TooShort => "Starting takes half of the predicted time or more. Combine small queries.",
            Self::Storage => {
                "Reading takes half of the predicted time or more. Use faster storage, or fewer and larger files."
            }
            Self::Network => {
                "Data exchanges take half of the predicted time or more. Use GPU machines with a faster network."
            }
            Self::NoSaving => {
                "No option is likely to meet the goal. Other prices or a longer time limit may change that."
            }
            Self::Effort => EFFORT.as_str(),
            Self::WithinError => "The gain is smaller than the error of the prediction. A trial run would decide.",
            Self::NoPrice => {
                "Today’s machines have a price, but those of the options have none, so costs cannot be compared. Name a base with \
                 prices of its GPU machines, or leave out today’s price, so that time decides."
            }
            Self::NoErrorFactor => {
                "The engines of the base have no measured error, so nothing is recommended. Name a base with error \
                 factors."
            }
        }
    }
}
