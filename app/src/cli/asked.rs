//! What tools were asked for whose points are divided among machines, as files of shards keep it.

use crossover_tools::{Map, Sampling, Search};
use serde::{Deserialize, Serialize};

/// What a tool was asked for, besides the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Asked {
    /// How sure figures are.
    Uncertainty(Sampling),
    /// What they hang on.
    Sensitivity(Sampling),
    /// A figure over two numbers, and the level of its contour as it was typed.
    Map(Map, Option<String>),
    /// What is best.
    Search(Search),
    /// A report.
    Report(OfReport),
    /// Scenarios side by side.
    Compare(OfComparison),
}

impl Asked {
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

/// What a report is asked for, besides the scenario and the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfReport {
    pub(super) sampling: Sampling,
    /// The scenario file, and what is typed behind it.
    pub(super) file: String,
    pub(super) typed: Vec<String>,
}

/// What a comparison is asked for, besides the first scenario and the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfComparison {
    /// What the scenarios are called.
    pub(super) names: Vec<String>,
    /// All but the first, as the texts of files.
    pub(super) others: Vec<String>,
    pub(super) sampling: Sampling,
}
