//! The tool “Replay recorded jobs”: what each scheduling policy would have done with the recorded jobs of a Slurm cluster.
//!
//! - `jobs`: recorded jobs, and their replay, also for the command line
//! - `chart`: waits under each policy
//! - `page`, `request`: the page, and its requests to the window
//! - `kept`: what the next window shows again
//! - `sample`: jobs that come with the program, for the page without jobs

mod chart;
pub(crate) mod jobs;
mod kept;
mod page;
mod request;
mod sample;

use std::path::PathBuf;

use crossover_page::command::Tool;
use crossover_page::tool::ToolKind;

pub use request::{Export, ExportForm, Request};

/// The tool in menus.
pub const TOOL: Tool = Tool {
    title: "Replay recorded jobs",
    tooltip: "Replay the recorded jobs of a Slurm cluster under every scheduling policy",
    help: "SHARE-GPUS.md#replay-the-last-month-of-a-slurm-cluster",
};
/// The kind of its page.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(page::Page::default()) };

/// Files of a history.
#[derive(Debug, Clone, PartialEq)]
struct HistoryFiles {
    jobs: PathBuf,
    /// `None`: nodes follow from the jobs.
    nodes: Option<PathBuf>,
    /// How often a file was opened.
    opened: u64,
}

/// Kept while the window is open: the files that were opened last.
#[derive(Debug, Clone, Default)]
struct OpenedHistory(Option<HistoryFiles>);
