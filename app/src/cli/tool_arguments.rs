//! The arguments of a tool that --shard divides among machines, as shard files store them.

use crossover_tools::{Map, Sampling, Search};
use serde::{Deserialize, Serialize};

/// The arguments of a tool, besides the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum ToolArguments {
    /// `crossover uncertainty`.
    Uncertainty(Sampling),
    /// `crossover sensitivity`.
    Sensitivity(Sampling),
    /// `crossover map`, with the level of the contour as typed.
    Map(Map, Option<String>),
    /// `crossover search`.
    Search(Search),
    /// `crossover report`.
    Report(ReportArguments),
    /// `crossover compare`.
    Compare(ComparisonArguments),
}

impl ToolArguments {
    /// The name of the command.
    pub(super) fn tool(&self) -> &'static str {
        match self {
            Self::Uncertainty(_) => "uncertainty",
            Self::Sensitivity(_) => "sensitivity",
            Self::Map(..) => "map",
            Self::Search(_) => "search",
            Self::Report(_) => "report",
            Self::Compare(_) => "compare",
        }
    }
}

/// The arguments of a report, besides the scenario and the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportArguments {
    pub(super) sampling: Sampling,
    /// The scenario file, and the options typed after it.
    pub(super) file: String,
    pub(super) typed: Vec<String>,
    /// Whether it is about the query alone, although the query's application has an answer.
    pub(super) is_of_query: bool,
}

/// The arguments of a comparison, besides the first scenario and the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ComparisonArguments {
    /// Names of the scenarios.
    pub(super) names: Vec<String>,
    /// Texts of all scenarios but the first.
    pub(super) others: Vec<String>,
    pub(super) sampling: Sampling,
}
