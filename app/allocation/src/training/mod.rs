//! "Train a predictor": what do measured runs say of what a task takes of a GPU?

mod page;
mod request;

use std::path::PathBuf;

use crossover_page::command::Tool;
use crossover_page::tool::ToolKind;

pub use request::Request;

/// Trains a network on measured runs.
pub const TOOL: Tool = Tool {
    title: "Train a predictor",
    tooltip: "Train a network on measured runs: what does a deep-learning task take of a GPU?",
};
/// How its page is opened.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(page::Page::default()) };

/// What is kept while the window is open: the file of measured runs, and how often it was opened.
#[derive(Debug, Clone, Default)]
struct Kept {
    runs: Option<(PathBuf, u64)>,
}
