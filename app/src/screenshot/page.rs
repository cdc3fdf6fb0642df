//! The pages that a picture can show, and how each is opened.

use clap::ValueEnum;
use crossover_allocation_page::{history, training};
use crossover_calibrate_page as calibrate;
use crossover_fleet_page as fleet;
use crossover_page::command::{Command, Tool};
use crossover_placement_page::request::Request as OfPlans;
use crossover_placement_page::{engines, steps};
use crossover_tool_pages::{compare, map, search, sweep, uncertainty};

/// A page beside that of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Page {
    /// The start panel beside the published setting.
    Start,
    /// Move queries, step 1: what.
    What,
    /// Move queries, step 2: where, for the query of FILE.
    Where,
    /// Move queries, step 3: the answer, for the query of FILE; for the application if FILE is a log.
    Answer,
    /// The plan of the query of FILE.
    Plan,
    /// Where the GPU is faster, for the query of FILE.
    Curves,
    /// The measured run of the query of FILE.
    Run,
    /// The gains of the controllers of FILE.
    Gains,
    /// For a regulation scenario: the section that monitors this machine.
    Monitor,
    /// Figures along a number.
    Sweep,
    /// A figure over two numbers.
    Map,
    /// Scenarios side by side.
    Compare,
    /// Distributions of figures.
    Uncertainty,
    /// The best configuration.
    Search,
    /// Measuring this machine.
    Calibrate,
    /// Predictions beside measured cases.
    Truth,
    /// Engines fitted to measured cases.
    Fit,
    /// All applications of an organisation.
    Fleet,
    /// Recorded jobs replayed.
    Replay,
    /// A predictor trained on measured runs.
    Train,
    /// The help about the page on screen.
    Help,
}

impl Page {
    /// The tool that it is.
    pub(super) fn tool(self) -> Option<Tool> {
        Some(match self {
            Self::What => steps::WHAT,
            Self::Sweep => sweep::TOOL,
            Self::Map => map::TOOL,
            Self::Compare => compare::TOOL,
            Self::Uncertainty => uncertainty::TOOL,
            Self::Search => search::TOOL,
            Self::Calibrate => calibrate::TOOL,
            Self::Truth => engines::TRUTH,
            Self::Fit => engines::FIT,
            Self::Fleet => fleet::TOOL,
            Self::Replay => history::TOOL,
            Self::Train => training::TOOL,
            Self::Start
            | Self::Where
            | Self::Answer
            | Self::Plan
            | Self::Curves
            | Self::Run
            | Self::Gains
            | Self::Monitor
            | Self::Help => return None,
        })
    }

    /// The command that shows it; `None` if a button of the page of FILE does, or if it is on the first screen.
    pub(super) fn command(self) -> Option<Command> {
        match self {
            Self::Where => Some(Command::ask(OfPlans::ShowMachines)),
            Self::Answer => Some(Command::ask(OfPlans::ShowAnswer)),
            Self::Help => Some(Command::HelpOnPage),
            other => other.tool().map(Command::ShowTool),
        }
    }

    /// The button of the page of FILE that shows it.
    pub(super) fn button(self) -> Option<&'static str> {
        match self {
            Self::Plan => Some("Plan"),
            Self::Curves => Some("Curves"),
            Self::Run => Some("Run"),
            Self::Gains => Some("Gains"),
            Self::Monitor => Some("This machine"),
            _ => None,
        }
    }

    /// Whether it is a step about the query of a file, which the file has to have.
    pub(super) fn is_of_query(self) -> bool {
        matches!(self, Self::Where | Self::Answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_of_the_menu_has_a_page() {
        for kind in crate::kinds::tools() {
            let has_page = |page: &Page| page.tool() == Some(kind.tool);
            assert!(Page::value_variants().iter().any(has_page), "{}", kind.tool.title);
        }
    }

    #[test]
    fn every_page_but_the_first_screen_is_shown_by_a_command_or_a_button() {
        for page in Page::value_variants() {
            let ways = [page.command().is_some(), page.button().is_some()];
            let expected = usize::from(*page != Page::Start);
            assert_eq!(ways.iter().filter(|way| **way).count(), expected, "{page:?}");
        }
    }
}
