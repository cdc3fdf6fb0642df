//! "Fleet": all event logs of an organisation: which applications gain on a GPU cluster, how much, and what blocks the
//! others.

mod above;
mod arranging;
mod blocked;
mod buttons;
mod charts;
pub mod cli;
mod deciding;
mod detail;
mod exported;
mod inputs;
mod inside;
mod kept;
mod list;
mod measured;
mod money;
mod offering;
mod opening;
mod page;
mod plan;
mod portfolio;
mod price_used;
mod reading;
mod replacing;
mod report;
mod request;
mod sample;
mod saving;
mod searching;
pub mod shipped;
pub mod what;
mod whole;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_fleet::Base;
use crossover_page::application::AnswerApplication;
use crossover_page::ask;
use crossover_page::cache::Cache;
use crossover_page::command::Tool;
use crossover_page::services::{Services, name_of};
use crossover_page::start::Start;
use crossover_page::study_module::MenuPlace;
use crossover_page::tool::ToolKind;
use crossover_placement::EnteredInputs;
use crossover_placement_page::import::WholeApplication;

pub use plan::{LogApplication, LogQuery};
pub use request::Request;
pub use searching::SelectedApplications;
pub(crate) use searching::command_line;
pub use whole::answer_of_application;

/// The tool for all event logs of an organisation.
pub const TOOL: Tool = Tool {
    title: "Fleet",
    tooltip: "All event logs of an organisation: which applications gain with another engine, how much, and what blocks the others",
    help: "FLEET.md#in-the-window",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(page::Page::new()) };

/// Name of the file that a folder of results has.
const LEDGER: &str = crossover_fleet::ledger::NAME;

/// The requests of fleets, each with its place in the menus.
pub fn requests() -> impl Iterator<Item = (MenuPlace, ask::Request)> {
    Request::LISTED.into_iter().map(|request| (MenuPlace::Folder, ask::Request::new(request)))
}

/// Carries out a request of fleets; returns whether it is one.
pub fn carry_out(request: &ask::Request, services: &mut Services<'_>) -> bool {
    request.of::<Request>().map(|request| request.carry_out(services)).is_some()
}

/// Stores what the requests need when the window opens.
pub fn begin(start: &Start, cache: &mut Cache) {
    cache.put(FleetState::new(start.fleets_folder.clone()));
    cache.put(WholeApplication(reading::read_application));
    cache.put(whole::DECIDE);
    cache.put(AnswerApplication(answer_of_application));
}

/// The request for a dropped file that is of no kind of study. Its name does not tell a file from a folder: names of
/// folders have dots, too.
#[must_use]
pub fn dropped(file: PathBuf) -> ask::Request {
    ask::Request::new(Request::OpenDropped(file))
}

/// State of the fleets while the window is open.
#[derive(Debug, Clone, Default)]
struct FleetState {
    /// Default folder for the results of logs.
    home: Option<PathBuf>,
    /// What is on screen, and the number of requests so far.
    shown: Option<(FleetSource, u64)>,
    /// What was entered for the logs at this path, which are about to be read.
    pending: Option<(PathBuf, EnteredInputs)>,
    /// What was entered for the fleet on screen before it was opened, and the number of its request.
    entered: Option<(u64, EnteredInputs)>,
    /// Engines that the user named for results without engines.
    named: Vec<Arc<Base>>,
}

/// Where a fleet comes from.
#[derive(Debug, Clone, PartialEq)]
enum FleetSource {
    /// The results in this folder.
    Results(PathBuf),
    /// Logs, read into a folder of results.
    Logs {
        /// Files, folders and addresses.
        paths: Vec<PathBuf>,
        /// The folder.
        out: PathBuf,
        /// The engines to measure with; `None`: the shipped ones.
        base: Option<Arc<Base>>,
        /// Whether an earlier window had them open: without a request of the user they are not read.
        is_restored: bool,
    },
}

impl FleetSource {
    /// Where the results are.
    fn folder(&self) -> &Path {
        match self {
            Self::Results(folder) | Self::Logs { out: folder, .. } => folder,
        }
    }
}

impl FleetState {
    /// An empty screen; results of logs are kept below this folder.
    fn new(home: Option<PathBuf>) -> Self {
        Self { home, ..Self::default() }
    }

    fn want(&mut self, wanted: FleetSource) {
        let times = self.shown.as_ref().map_or(0, |(_, times)| times + 1);
        let is_pending =
            |logs: &Path| matches!(&wanted, FleetSource::Logs { paths, .. } if paths.iter().any(|path| path == logs));
        if let Some((_, inputs)) = self.pending.take().filter(|(path, _)| is_pending(path)) {
            self.entered = Some((times, inputs));
        }
        self.shown = Some((wanted, times));
    }

    /// The folder of results for logs at a path: the same for the same path, so that reading goes on there.
    fn results_of(&self, logs: &Path) -> Option<PathBuf> {
        let name: String = name_of(logs)
            .chars()
            .map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' })
            .take(40)
            .collect();
        let sum = logs.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            // FNV-1a, which is the same in all versions of the program.
            (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        self.home.as_ref().map(|home| home.join(format!("{name}-{sum:016x}")))
    }
}
