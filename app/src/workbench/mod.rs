//! The window: tabs of open documents, and around them menu, palette, prompts and status bar.
//!
//! # How the window works
//!
//! - Every action is a `Command`; menus, palette, shortcuts, pages and tests send it, and `workbench/handle.rs` carries it out.
//!   Pages do not call each other and touch no file. A command that only one page understands is sent as `Command::Ask`.
//! - A page computes through `compute/` of crossover-page: inputs of at most 3 ms within the frame, all others on a thread, where
//!   the newest input wins and an older result is shown dimmed. A refinable `Work` shows a first outcome, within the frame if that
//!   is fast enough, and refines it on the thread. Tools that draw samples reuse those of the previous round
//!   (`model/tools/src/rounds.rs`).
//! - Files, dialogs and exports are jobs on other threads. An event names its document by id and carries the scenario that was
//!   saved, so edits made meanwhile stay unsaved.
//! - A tool page is about one document. Its settings are `views` of the scenario, which each save and snapshot contains. Changing
//!   them is not an edit: the document stays unmodified, and Undo skips them.
//! - A tab's title is `Document::label`, which `Titles::distinguish` sets. A closed tab keeps its scenario, not its page; a closed
//!   tool keeps what `tabs.ron` would have about it.
//! - The scenario of a document has a revision (`Revised`): what each frame needs to know of every document (whether it has edits,
//!   its title, whether its snapshot is on disk) is computed again only after the document may have changed. A frame takes as long
//!   with many tabs as with one.
//! - What egui keeps of the widgets of a page (scrolling, zoom, open sections) is in the `View` of its document or in its
//!   `ToolView`, and is dropped with it (`page_memory.rs` of crossover-page).
//! - For undo and redo, a document keeps up to 200 whole scenarios; copies share their plan and recorded series (`Shared`).
//! - Each process has a session with a locked file in the folder `unsaved`. The system frees the lock however the process ends, so
//!   a snapshot whose lock can be taken is offered for recovery. A snapshot without edits also stays at a normal end, and is opened
//!   again without a question: of a document of which only settings of tools are unsaved, or of one without a file that a tool is
//!   about or compares. The file of a snapshot has a line of
//!   RON about the document, followed by the text of the scenario, unchanged (`storage/recovery/snapshot.rs`). Scenarios are read
//!   from it on another thread, and it is deleted once this window's own snapshot is on disk.
//! - `tabs.ron` has the open tabs (`storage/tabs.rs`): scenarios by file or id, and tools with their scenarios, what they show of
//!   them (`ShownTool`) and what their pages keep beside scenarios (`ToolPage::kept`): for a fleet, its source and what was
//!   entered; for jobs, runs and cases, their files. For scenarios and for tools, it has the sizes that the user gave to panels
//!   (`widgets/panel.rs` of crossover-page). A window that starts while no other is open opens them again
//!   (`workbench/reopening.rs`). Ids of documents are unique across runs, and a recovered document keeps its id, so references to
//!   it stay valid.
//! - Calibrate runs gpu-bench in a child process, which prints one event per line. If either process ends, the other one ends, too.

mod answer;
mod asking;
mod bars;
mod closing;
mod documents;
mod events;
mod frame;
mod handle;
mod help;
mod links;
mod listed;
mod menu;
mod notices;
mod offer;
mod palette;
mod prompts;
mod purpose;
mod reading;
mod recovery;
mod reopening;
mod saving;
mod services;
mod shared;
mod snapshots;
mod start;
mod tab_order;
mod tabs;
mod tools;
mod tour;
mod typed_path;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use crossover_page::cache::Cache;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::document_ids::DocumentIds;
use crossover_page::services::Question;
use crossover_page::titles::Titles;
use crossover_page::tool::{ToolPage, ToolView};
use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::Scenario;

use crate::autosave::Autosave;
use crate::jobs::Jobs;
use crate::kinds;
use crate::settings::Settings;
use crate::storage::leftovers;
use crate::storage::open_files::OpenFiles;
use crate::storage::recent::RecentFile;
pub use crossover_page::start::{PlanReader, Start};
#[cfg(test)]
pub(crate) use documents::documents;
pub use listed::listed;
use notices::{Notice, shown};

/// Most bytes that the file of the window's state has for one type of widget: beyond them it leaves out what was not
/// read for the most runs.
const MOST_BYTES_OF_A_TYPE: usize = 16 * 1024;

/// The window and everything in it.
pub struct Workbench {
    documents: Vec<Document>,
    /// Right of the documents.
    tools: Vec<ToolView>,
    tool_setting: tools::Setting,
    /// The tab on screen: documents first, then tools.
    active: usize,
    /// The document that was on screen last.
    last_document: Option<String>,
    ids: DocumentIds,
    /// The published scenario that the start panel stands beside.
    start_document: Option<String>,
    settings: Settings,
    catalogue: Catalogue,
    jobs: Jobs<answer::Answer>,
    has_file_dialog: bool,
    commands: Vec<Command>,
    autosave: Option<Autosave>,
    snapshots: snapshots::Snapshots,
    offers: recovery::Offers,
    reopening: reopening::Reopening,
    notices: Vec<Notice>,
    palette: Option<palette::Palette>,
    typed_path: Option<typed_path::TypedPath>,
    pasted_link: Option<links::PastedLink>,
    /// Questions of kinds of studies; the first is on screen.
    questions: VecDeque<Box<dyn Question>>,
    reads: reading::Reads,
    cache: Cache,
    page: Option<prompts::Page>,
    tour: Option<tour::Tour>,
    close: closing::Close,
    /// Closed tabs that can be opened again; the last was closed last.
    closed: VecDeque<tab_order::ClosedTab>,
    titles: Titles,
    /// The tab that was scrolled into view last.
    tab_in_sight: Option<tabs::TabInSight>,
    /// Whether egui may still know of menus, tooltips and animations of a page that is closed.
    has_closed_page: bool,
    /// Files of this window and of others; none: they are not known.
    open_files: Option<Arc<OpenFiles>>,
    /// Who may save to the files that are open here.
    claims: BTreeMap<PathBuf, shared::Claim>,
    /// Saves that need the user's decision; the first is on screen.
    replace: Vec<saving::Replace>,
    /// The text field that has been typed into since it got the focus.
    typed_in: Option<egui::Id>,
    /// Frames since a field last had the keyboard.
    frames_since_field: u8,
    /// Commands by keys that wait some frames until a field has applied its text.
    waiting: Vec<(u8, Command)>,
    adapter: String,
    /// The longest side that the device of the window can draw, in pixels; none: there is no limit.
    longest_side: Option<u32>,
    title: String,
    /// Files of the recent menu, looked up when the menu opens.
    recent_files: Vec<RecentFile>,
    recent_menu_pass: u64,
}

impl Workbench {
    /// The window with the published scenario, or with the file that it was started with.
    #[must_use]
    pub fn new(creation: &eframe::CreationContext<'_>, start: Start) -> Self {
        crossover_plan::set_sql_reader(crossover_sql::read_as);
        let settings: Settings =
            creation.storage.and_then(|storage| eframe::get_value(storage, Settings::KEY)).unwrap_or_default();
        leftovers::clear(&start, &settings.recent);
        let ctx = &creation.egui_ctx;
        crate::appearance::apply(ctx);
        crate::appearance::set_density(ctx, settings.density);
        ctx.set_theme(settings.theme.preference());
        ctx.data_mut(|data| data.set_max_bytes_per_type(MOST_BYTES_OF_A_TYPE));
        let tool_setting = tools::Setting::new(&start, creation);
        let mut cache = Cache::default();
        kinds::begin(&start, &mut cache);
        let mut notices = Vec::new();
        let catalogue = crossover_page::catalogue::shipped().unwrap_or_else(|error| {
            notices.push(Notice::error(format!("Cannot read the hardware catalogue: {error}")));
            Catalogue::default()
        });
        let (autosave, orphans) = match start.recovery_folder.map(|folder| Autosave::start(folder, ctx.clone())) {
            Some(Ok((autosave, orphans))) => (Some(autosave), orphans),
            Some(Err(error)) => {
                let text = format!("Unsaved work is not protected against a crash: {error:#}");
                notices.push(Notice::error(text));
                (None, Vec::new())
            }
            None => (None, Vec::new()),
        };
        let open_files = start.open_files_folder.and_then(|folder| match OpenFiles::start(&folder) {
            Ok(files) => Some(Arc::new(files)),
            Err(problem) => {
                log::warn!("cannot read which files other windows have open: {}: {problem}", folder.display());
                None
            }
        });
        let (offers, unsaved_settings, unreadable) = recovery::Offers::new(orphans);
        notices.extend(unreadable.into_iter().map(|text| Notice::error(shown(text))));
        let mut workbench = Self {
            documents: Vec::new(),
            tools: Vec::new(),
            tool_setting,
            active: 0,
            last_document: None,
            ids: DocumentIds::start(),
            start_document: None,
            settings,
            catalogue,
            jobs: Jobs::new(ctx.clone()),
            has_file_dialog: start.has_file_dialog,
            commands: Vec::new(),
            autosave,
            snapshots: snapshots::Snapshots::default(),
            offers,
            // A window for files, or for a link that was clicked, leaves the tabs of the last one to the next start.
            reopening: reopening::Reopening::new(start.tabs_file.filter(|_| start.loaded.is_empty()), unsaved_settings),
            notices,
            palette: None,
            typed_path: None,
            pasted_link: None,
            questions: VecDeque::new(),
            reads: reading::Reads::default(),
            cache,
            page: None,
            tour: None,
            close: closing::Close::default(),
            closed: VecDeque::new(),
            titles: Titles::default(),
            tab_in_sight: None,
            // Those of the pages of an earlier run.
            has_closed_page: true,
            open_files,
            claims: BTreeMap::new(),
            replace: Vec::new(),
            typed_in: None,
            frames_since_field: u8::MAX,
            waiting: Vec::new(),
            adapter: adapter(creation),
            longest_side: None,
            title: String::new(),
            recent_files: Vec::new(),
            recent_menu_pass: 0,
        };
        if start.loaded.is_empty() {
            workbench.reopen(start.offers_start);
        }
        for loaded in start.loaded {
            workbench.opened(loaded);
        }
        workbench.read_settings(Vec::new());
        for path in start.dropped {
            let command = workbench.dropped_file(path);
            workbench.commands.push(command);
        }
        for problem in start.problems {
            workbench.notify_error(problem);
        }
        workbench
    }

    /// Keeps the window within the longest side that its device can draw, in pixels.
    pub fn limit_size(&mut self, longest_side: u32) {
        self.longest_side = Some(longest_side);
    }

    /// The open documents.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The document on screen.
    #[must_use]
    pub fn active(&self) -> Option<&Document> {
        self.documents.get(self.active)
    }

    /// Sends a command, as the menu does.
    pub fn send(&mut self, command: Command) {
        self.commands.push(command);
    }

    /// Edits the active document, as its inspector does.
    pub fn edit_active(&mut self, edit: impl FnOnce(&mut Scenario)) {
        if let Some(document) = self.documents.get_mut(self.active) {
            edit(&mut document.scenario);
        }
    }

    /// Shows this scenario and nothing else.
    pub fn show_only(&mut self, path: PathBuf, scenario: Scenario) {
        self.documents.clear();
        self.add(|id| Document::new(kinds::page, id, Some(path), scenario));
    }

    /// Whether work is under way on another thread.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.busy_with().is_empty()
    }

    /// The work of other threads, in words.
    #[must_use]
    pub fn busy_with(&self) -> Vec<&'static str> {
        let work = [
            ("files", self.jobs.is_busy()),
            ("a question", self.questions.iter().any(|question| question.is_busy())),
            ("a file that is imported", self.reads.is_reading()),
            ("the figures of the page", self.active().is_some_and(|document| document.view.is_busy())),
        ];
        // A page that is not on screen takes its results when it is shown again.
        let of_tools = self.active_tool().and_then(ToolPage::waits_for);
        work.into_iter().filter(|(_, is_going_on)| *is_going_on).map(|(name, _)| name).chain(of_tools).collect()
    }

    /// Name of the adapter that draws the window.
    #[must_use]
    pub fn adapter(&self) -> &str {
        &self.adapter
    }

    fn document(&self, id: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.id == id)
    }

    /// Adds a document and shows it; gives its id.
    fn add(&mut self, make: impl FnOnce(String) -> Document) -> String {
        let id = self.ids.make();
        self.add_as(id.clone(), make);
        id
    }

    /// Adds a document with this id and shows it.
    fn add_as(&mut self, id: String, make: impl FnOnce(String) -> Document) {
        self.forget_unopened();
        self.documents.push(make(id));
        self.show_tab(self.documents.len() - 1);
    }

    /// Shows the tab at this position: documents first, then tools.
    fn show_tab(&mut self, index: usize) {
        self.active = index.min((self.documents.len() + self.tools.len()).saturating_sub(1));
    }

    /// Opens a copy of a scenario that comes with the program; gives the id of its document.
    fn open_example(&mut self, label: &str, text: &str) -> Option<String> {
        match crossover_scenario::read(text) {
            Ok(scenario) => {
                Some(self.add(|id| Document::new(kinds::page, id, None, scenario).without_file("example, not saved")))
            }
            Err(error) => {
                self.notify_error(format!("Cannot open {label}: {error}"));
                None
            }
        }
    }
}

/// Name of the adapter that draws the window.
fn adapter(creation: &eframe::CreationContext<'_>) -> String {
    match &creation.wgpu_render_state {
        Some(state) => {
            let info = state.adapter.get_info();
            format!("wgpu ({}, {})", info.name, info.backend)
        }
        None if creation.gl.is_some() => "OpenGL".to_owned(),
        None => "none".to_owned(),
    }
}
