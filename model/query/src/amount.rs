//! A number of a plan, with its origin.

use serde::{Deserialize, Serialize};

/// Largest number of a plan: an exabyte, a quintillion rows, 30 billion years.
pub(super) const LARGEST: f64 = 1e18;

/// A number of a plan, with its origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    /// The number, in the unit of its field.
    pub value: f64,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a number of a plan comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// The engine measured and reported it.
    Reported,
    /// It follows exactly from what the engine reported.
    Derived(Rule),
    /// The engine did not report it; the rule estimates it.
    Estimated(Rule),
}

/// How a number was derived or estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rule {
    /// Sum of the inputs' output.
    SumOfInputs,
    /// The same as the input's output: the operator neither drops nor adds any.
    SameAsInput,
    /// The other end of a source: it reads at least its output.
    SameAsOther,
    /// Rows × row width.
    RowsTimesWidth,
    /// Bytes ÷ rows.
    BytesPerRow,
    /// Row width of the nearest operator that has one.
    NearestWidth,
    /// Sum of the widths of the inputs.
    SumOfWidths,
    /// Widths of the column types.
    ColumnTypes,
    /// No row width is known nearby: 64 bytes.
    UsualWidth,
    /// The size of a source is not known: a million rows.
    UsualRows,
    /// A command that reads nothing has no rows.
    ReadsNothing,
    /// A fifth of the rows pass a filter.
    UsualFilter,
    /// A tenth of the rows are groups.
    UsualGroups,
    /// A join outputs as many rows as its larger input.
    UsualJoin,
    /// A join without a condition outputs every pair of rows.
    EveryPair,
    /// An aggregate without groups outputs one row.
    OneRow,
    /// One copy of every row for each grouping set.
    GroupingSets,
    /// At most as many rows as the limit.
    Limit,
    /// The table's size as the user stated it.
    StatedSize,
    /// The planner's estimate.
    Planner,
    /// Inclusive time minus that of the inputs.
    WithoutInputs,
    /// Wall-clock time without waiting.
    WithoutWaiting,
    /// Share of its stage's CPU time, by the model's weights.
    ShareOfStage,
    /// Wall-clock time × CPU time of its stage ÷ run time of its stage.
    ShareOfTime,
    /// Share of its stage's input, by the sizes of files or by rows.
    ShareOfInput,
    /// CPU time per 100 MB of the operator × bytes.
    CostPerByte,
    /// The engine's number, scaled to other table sizes.
    Grown,
    /// Sized to the predicted time of many queries together.
    OfTime,
    /// The file's total minus that of all operators.
    Remainder,
    /// Time of processes outside the engine: Python, R, scripts.
    WorkerProcesses,
}

impl Rule {
    /// The rule in words.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::SumOfInputs => "sum of the inputs' output",
            Self::SameAsInput => "the same as its input",
            Self::SameAsOther => "a source reads at least its output",
            Self::RowsTimesWidth => "rows × row width",
            Self::BytesPerRow => "bytes ÷ rows",
            Self::NearestWidth => "row width of the nearest operator that has one",
            Self::SumOfWidths => "sum of the row widths of the inputs",
            Self::ColumnTypes => "widths of the column types",
            Self::UsualWidth => "no row width is known: 64 bytes",
            Self::UsualRows => "size of the source not known: a million rows",
            Self::ReadsNothing => "it reads nothing",
            Self::UsualFilter => "a fifth of the rows pass",
            Self::UsualGroups => "a tenth of the rows are groups",
            Self::UsualJoin => "as many rows as the larger input",
            Self::EveryPair => "every pair of rows",
            Self::OneRow => "one row, because there are no groups",
            Self::GroupingSets => "one copy of every row for each grouping set",
            Self::Limit => "no more rows than the limit",
            Self::StatedSize => "table size as stated",
            Self::Planner => "the planner's estimate",
            Self::WithoutInputs => "inclusive time without that of its inputs",
            Self::WithoutWaiting => "wall-clock time without waiting",
            Self::ShareOfStage => "share of its stage's CPU time, by the model's weights",
            Self::ShareOfTime => "its wall-clock time × CPU time ÷ run time of its stage",
            Self::ShareOfInput => "share of its stage's input, by the sizes of files or by rows",
            Self::CostPerByte => "CPU time per 100 MB × bytes",
            Self::Grown => "the engine's number, scaled to other table sizes",
            Self::OfTime => "sized to the predicted time of many queries together",
            Self::Remainder => "the file's total minus that of all operators",
            Self::WorkerProcesses => "share of its stage's CPU time, and the time of its worker processes",
        }
    }
}

impl Amount {
    /// A number that the engine reported.
    #[must_use]
    pub fn reported(value: f64) -> Self {
        Self { value, origin: Origin::Reported }
    }

    /// A number that follows from reported ones.
    #[must_use]
    pub fn derived(value: f64, rule: Rule) -> Self {
        Self { value, origin: Origin::Derived(rule) }
    }

    /// A guess.
    #[must_use]
    pub fn estimated(value: f64, rule: Rule) -> Self {
        Self { value, origin: Origin::Estimated(rule) }
    }

    /// A number computed from this one: derived, or estimated if this one is.
    #[must_use]
    pub fn follow(self, value: f64, rule: Rule) -> Self {
        if self.is_estimated() { Self::estimated(value, rule) } else { Self::derived(value, rule) }
    }

    /// Whether it is a guess.
    #[must_use]
    pub fn is_estimated(self) -> bool {
        matches!(self.origin, Origin::Estimated(_))
    }
}

impl Origin {
    /// "reported", "derived" or "estimated".
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Derived(_) => "derived",
            Self::Estimated(_) => "estimated",
        }
    }

    /// One sentence without its full stop: "estimated: a fifth of the rows pass".
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Self::Reported => "reported by the engine".to_owned(),
            Self::Derived(rule) => format!("derived: {}", rule.describe()),
            Self::Estimated(rule) => format!("estimated: {}", rule.describe()),
        }
    }
}
