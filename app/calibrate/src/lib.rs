//! The Calibrate page: measures this machine in a child process, shows and saves the results, and applies them to a
//! scenario.

mod apply;
mod board;
mod child;
mod compare;
mod device;
mod figures;
mod history;
mod page;
pub(crate) mod request;
mod results;
mod roof;
mod run;
mod setup;
mod speedups;
mod sweeps;
mod validation;

use std::path::{Path, PathBuf};

use crossover_page::command::{Command, Tool};
use crossover_page::document::Document;
use crossover_page::tool::ToolKind;
use crossover_placement::Placement;

pub use apply::take_over;
pub use history::Answer;
pub use page::Page;
pub use request::Request;
pub use run::{Run, State};

/// Measures this machine.
pub const TOOL: Tool = Tool {
    title: "Calibrate",
    tooltip: "Measure CPU, bus and GPU of this machine and apply the figures to a scenario",
    help: "CALIBRATE.md#measure-this-machine",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind {
    tool: TOOL,
    open: |begin| {
        let mut page = Page::new(begin.program.to_owned());
        page.look_for_devices(begin.ctx);
        begin.commands.push(Command::ask(Request::List));
        Box::new(page)
    },
};

/// An open placement study that figures can be applied to.
pub(crate) struct Target<'a> {
    /// The document.
    pub(crate) id: &'a str,
    /// Its title.
    pub(crate) title: String,
    /// Its study.
    pub(crate) study: &'a Placement,
    /// Whether it was the last one on screen.
    pub(crate) was_last: bool,
}

impl<'a> Target<'a> {
    /// The study of a document, if it is a placement study; `last`: the document that was on screen last.
    pub(crate) fn new(document: &'a Document, last: Option<&str>) -> Option<Self> {
        let study = document.scenario.placement()?;
        Some(Self { id: &document.id, title: document.label().to_owned(), study, was_last: last == Some(&document.id) })
    }
}

/// What the page may read besides its own state.
pub(crate) struct Env<'a> {
    /// Open placement studies.
    pub(crate) targets: &'a [Target<'a>],
    /// Name of the adapter that draws the window.
    pub(crate) drawn_by: Option<&'a str>,
    /// Commands for the workbench.
    pub(crate) commands: &'a mut Vec<Command>,
}

/// Reads the folder of runs.
#[must_use]
pub fn list(folder: &Path) -> Answer {
    history::list(folder)
}

/// Reads a run.
#[must_use]
pub fn open(path: PathBuf) -> Answer {
    history::open(path)
}

/// Reads two runs.
#[must_use]
pub fn compare(pair: [PathBuf; 2]) -> Answer {
    history::compare(pair)
}

/// Deletes a run.
#[must_use]
pub fn delete(folder: &Path, path: &Path) -> Answer {
    history::delete(folder, path)
}
