//! "Prediction accuracy": predictions of whole queries compared with measurements.

use std::sync::Arc;

use crossover_chart::Chart;
use crossover_engine::Profile;
use crossover_page::command::Tool;
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_plan::cases::Compared;
use crossover_quantity::text::counted;
use crossover_study::Watch;
use egui::Ui;

use super::page::{Finding, Page};
use super::shipped::Shipped;
use super::{Cases, choose};
use crate::truth::{Checked, check};

/// Compares predicted times of whole queries with measured ones.
pub const TOOL: Tool = Tool {
    title: "Prediction accuracy",
    tooltip: "Compare predicted times of whole queries with measured ones",
    help: "DECIDE-SPARK.md#accuracy",
};
/// How its page is opened.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(AccuracyPage::new()) };

/// Cases of a file, if one was opened, or the measurements that come with the program.
#[derive(Debug)]
struct AccuracyPage {
    own: Page<Checked>,
    shipped: Shipped,
    shows_own: bool,
}

impl AccuracyPage {
    /// The page in its initial state.
    fn new() -> Self {
        Self { own: Page::new(), shipped: Shipped::new(), shows_own: false }
    }
}

impl ToolPage for AccuracyPage {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        if self.shows_own { self.own.status() } else { self.shipped.status() }
    }

    fn waits_for(&self) -> Option<&'static str> {
        if self.shows_own { self.own.waits_for() } else { self.shipped.waits_for() }
    }

    fn charts(&self) -> Vec<Chart> {
        if self.shows_own { self.own.charts() } else { self.shipped.charts() }
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let has_own = choose::cases(context).is_some();
        self.shows_own = has_own && !choose::wants_shipped(context);
        if self.shows_own {
            self.own.ui(ui, context);
        } else {
            self.shipped.ui(ui, Checked::FIRST_VISIT, has_own, context);
        }
    }
}

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
    const HAS_SHIPPED: bool = true;

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
