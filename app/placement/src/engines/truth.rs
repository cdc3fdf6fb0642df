//! "Prediction accuracy": predictions of whole queries compared with measurements.

use std::sync::Arc;

use crossover_engine::Profile;
use crossover_page::command::Tool;
use crossover_page::tool::ToolKind;
use crossover_plan::cases::Compared;
use crossover_plan::shipped::Scoreboard;
use crossover_quantity::text::counted;
use crossover_study::Watch;

use super::Cases;
use super::cases_page::CasesPage;
use super::page::Finding;
use crate::truth::{Checked, check};

/// Compares predicted times of whole queries with measured ones.
pub const TOOL: Tool = Tool {
    title: "Prediction accuracy",
    tooltip: "Compare predicted times of whole queries with measured ones",
    help: "DECIDE-SPARK.md#accuracy",
};
/// How its page is opened.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(CasesPage::<Checked, Scoreboard>::new()) };

impl Finding for Checked {
    const TOOL: Tool = TOOL;
    const NAME: &'static str = "comparison";
    const AGAIN: &'static str = "Compare";
    const FIRST_VISIT: [&'static str; 2] = [
        "How accurate are the predictions?",
        "A file of cases lists queries, where they ran, and their times. Each run is predicted and compared with its \
         measurement, and with the median of the other queries.",
    ];
    const WHICH_ENGINES: &'static str = "Which engines?";
    const TAKES_FITS: bool = true;

    fn find(cases: &Cases, engines: Option<&Profile>, watch: &Watch<'_>) -> Result<Option<Self>, String> {
        check(&cases.file, engines, watch).map_err(|error| error.to_string())
    }

    fn compared(&self) -> &[Compared] {
        &self.compared
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn status(&self) -> String {
        counted(self.compared.len() as f64, "case")
    }

    fn engines(&self, chosen: Option<Arc<Profile>>) -> Option<Arc<Profile>> {
        chosen
    }
}
