//! The tool “Train a predictor”: predicts GPU utilisation, memory or time of a task from measured runs.
//!
//! - `chart`: the learning curve
//! - `page`, `request`: the page, and its requests to the window
//! - `kept`: what the next window shows again
//! - `sample`: runs that come with the program, for the page without runs

mod chart;
mod kept;
mod page;
mod request;
mod sample;

use std::path::PathBuf;

use crossover_page::command::Tool;
use crossover_page::tool::ToolKind;

pub use request::Request;

/// The tool in menus.
pub const TOOL: Tool = Tool {
    title: "Train a predictor",
    tooltip: "Train a predictor of GPU utilisation, memory or time of a deep-learning task from measured runs",
    help: "SHARE-GPUS.md#predict-the-resources-of-a-task",
};
/// The kind of its page.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(page::Page::default()) };

/// Kept while the window is open: the file of measured runs, and how often it was opened.
#[derive(Debug, Clone, Default)]
struct MeasuredRuns {
    runs: Option<(PathBuf, u64)>,
}
