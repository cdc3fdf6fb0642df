//! Opens the tabs of the last window again: files, scenarios without a file and without edits that tools need, and tools.

use std::path::{Path, PathBuf};

use crossover_page::command::Tool;
use crossover_page::compute::guarded::guarded;
use crossover_page::document::Document;
use crossover_page::storage::on_disk::OnDisk;
use crossover_page::storage::scenario::{self, BUILT_IN, Loaded};
use crossover_page::tool::ShownTool;
use crossover_scenario::views::{OtherScenario, PageView};

use super::Workbench;
use super::answer::{Answer, ReadFile};
use super::offer::{Offer, ReadOffer};
use super::tab_order::{ClosedTab, go_on};
use crate::kinds;
use crate::storage::open_files::OpenFiles;
use crate::storage::tabs::{OpenTabs, OpenTool, ShownTab, SizesByPanel};

/// What of the last window is to be opened again.
#[derive(Default)]
pub(super) struct Reopening {
    /// Where the tabs of this window are kept.
    file: Option<PathBuf>,
    /// Documents of which only settings of tools were unsaved, until they are read.
    unread: Vec<Offer>,
    /// Those that were read, the newest first; those that are not opened stay on disk.
    settings: Vec<ReadOffer>,
    /// Tabs whose files are being read, and whether the start panel is offered if there are none.
    pending: Option<(OpenTabs, bool)>,
    /// Tools about scenarios that are not open, such as those that the user may recover.
    waiting: Vec<WaitingTool>,
    /// The sizes that the last window's user gave to panels of scenarios, also of those that the user may recover.
    panel_sizes: Vec<(OtherScenario, SizesByPanel)>,
    /// The scenarios whose pages were about the query in the last window.
    of_query: Vec<OtherScenario>,
}

/// A tool about a scenario that is not open.
struct WaitingTool {
    tool: Tool,
    target: OtherScenario,
    shown: Option<ShownTool>,
}

impl Reopening {
    /// With the unsaved settings of the last window; `file` has its tabs.
    pub(super) fn new(file: Option<PathBuf>, unread: Vec<Offer>) -> Self {
        Self { file, unread, ..Self::default() }
    }
}

impl Workbench {
    /// Opens the tabs of the last window; without any, the published scenario.
    pub(super) fn reopen(&mut self, offers_start: bool) {
        let tabs = self.last_tabs();
        let mut files: Vec<PathBuf> = tabs.files().collect();
        for path in self.reopening.unread.iter().filter_map(|settings| settings.snapshot.path.as_ref()) {
            if !files.contains(path) {
                files.push(path.clone());
            }
        }
        self.reopening.pending = Some((tabs, offers_start));
        if files.is_empty() && self.reopening.unread.is_empty() {
            self.reopened(Vec::new(), Vec::new());
        } else {
            self.read_settings(files);
        }
    }

    /// Reads files of tabs, and the settings that the last window did not save: for those of documents that are open already.
    pub(super) fn read_settings(&mut self, files: Vec<PathBuf>) {
        let unread = std::mem::take(&mut self.reopening.unread);
        if files.is_empty() && unread.is_empty() {
            return;
        }
        self.jobs.work("tabs of the last window", || {
            let settings = unread.into_iter().map(Offer::read).collect();
            Answer::Reopened(files.into_iter().map(read).collect(), settings)
        });
    }

    /// Whether no other window is open.
    fn is_only_window(&self) -> bool {
        self.open_files.as_deref().is_none_or(OpenFiles::is_only_window)
    }

    /// The tabs of the last window, unless that is still open beside this one.
    fn last_tabs(&mut self) -> OpenTabs {
        let Some(file) = self.reopening.file.as_deref().filter(|_| self.is_only_window()) else {
            return OpenTabs::default();
        };
        OpenTabs::read(file).unwrap_or_else(|problem| {
            self.notify_error(format!("Cannot open the tabs of the last window: {problem}"));
            OpenTabs::default()
        })
    }

    /// Opens tabs whose files were read.
    pub(super) fn reopened(&mut self, mut files: Vec<ReadFile>, settings: Vec<ReadOffer>) {
        self.reopening.settings = settings;
        let Some((mut tabs, offers_start)) = self.reopening.pending.take() else {
            // A window for files has opened them meanwhile.
            for index in 0..self.documents.len() {
                if let Some(file) = self.documents[index].on_disk.clone() {
                    self.take_settings(index, &file);
                }
            }
            return;
        };
        let mut kept = Vec::new();
        for document in &tabs.documents {
            match document {
                OtherScenario::File(path) => {
                    if let Some(place) = files.iter().position(|(file, _)| file == Path::new(path)) {
                        self.reopen_file(files.remove(place));
                    }
                }
                OtherScenario::Unsaved(id) => {
                    kept.extend(self.reopen_unsaved(|settings| settings.snapshot.document_id == *id));
                }
            }
        }
        for file in files {
            self.reopen_file(file);
        }
        kept.extend(self.reopen_unsaved(|_| true));
        if self.documents.is_empty() {
            let document = self.open_example("The built-in scenario", BUILT_IN);
            self.start_document = document.filter(|_| offers_start);
        }
        self.reopening.panel_sizes = std::mem::take(&mut tabs.panel_sizes);
        self.reopening.of_query = std::mem::take(&mut tabs.of_query);
        for index in 0..self.documents.len() {
            self.give_page(index);
        }
        for file in std::mem::take(&mut tabs.closed) {
            self.push_closed(ClosedTab::File(file));
        }
        self.reopen_tools(&tabs.tools);
        // Only now it is known which scenarios tools need.
        for (id, file) in kept {
            self.keep_recovered(&id, file);
        }
        self.show_reopened(tabs.shown.as_ref());
    }

    fn reopen_file(&mut self, (path, read): ReadFile) {
        match read {
            Ok(loaded) => self.opened(*loaded),
            Err(problem) => {
                self.notify_error(problem);
                // Its last state is on disk only here.
                let is_of = |(settings, _): &mut ReadOffer| settings.snapshot.path.as_ref() == Some(&path);
                for (settings, _) in self.reopening.settings.extract_if(.., is_of) {
                    self.offers.add(settings);
                }
            }
        }
    }

    /// Opens scenarios without a file that had no edits; gives their ids, and the files of their snapshots.
    fn reopen_unsaved(&mut self, is_wanted: impl Fn(&Offer) -> bool) -> Vec<(String, PathBuf)> {
        let is_wanted = |(settings, _): &mut ReadOffer| settings.snapshot.path.is_none() && is_wanted(settings);
        let wanted: Vec<ReadOffer> = self.reopening.settings.extract_if(.., is_wanted).collect();
        let mut opened = Vec::new();
        for (offer, read) in wanted {
            match read {
                Ok(mut scenario) => {
                    let Offer { snapshot, file } = offer;
                    let views = std::mem::take(&mut scenario.views);
                    let id = self.id_of_earlier_run(snapshot.document_id);
                    self.add_as(id.clone(), |id| {
                        let mut document = Document::new(kinds::page, id, None, *scenario);
                        document.set_views(&views);
                        document
                    });
                    self.fetch_named(&id);
                    opened.push((id, file));
                }
                Err(why) => self.set_aside(offer, why),
            }
        }
        opened
    }

    /// Gives the document at this position, which was opened from this file, the settings of tools that the last window did not save;
    /// the user may have changed some of it meanwhile.
    pub(super) fn take_settings(&mut self, index: usize, file: &OnDisk) {
        let is_of = |(settings, _): &mut ReadOffer| {
            settings.snapshot.path.as_ref().is_some_and(|path| *path == file.path || *path == file.identity)
        };
        let of_file: Vec<ReadOffer> = self.reopening.settings.extract_if(.., is_of).collect();
        let mut of_file = of_file.into_iter();
        // The newest is first.
        for (offer, read) in of_file.by_ref() {
            match read {
                Ok(scenario) => {
                    let document = &mut self.documents[index];
                    let changed = document.has_unsaved_views().then(|| document.scenario.views.clone());
                    document.set_views(&changed.unwrap_or_default().or(scenario.views));
                    let id = document.id.clone();
                    self.keep_recovered(&id, offer.file);
                    break;
                }
                Err(why) => self.set_aside(offer, why),
            }
        }
        // Older ones, of other windows with this file, would replace it when the file is opened again.
        if let Some(autosave) = &self.autosave {
            of_file.for_each(|(older, _)| autosave.discard(older.file));
        }
    }

    /// Settings that cannot be read are reported once, and stay under a name that no later start reads.
    fn set_aside(&self, Offer { snapshot, file }: Offer, why: String) {
        if let Some(autosave) = &self.autosave {
            let what = format!("Cannot read the unsaved tool settings of “{}”", snapshot.name);
            autosave.set_aside(file, what, why);
        }
    }

    fn reopen_tools(&mut self, tools: &[OpenTool]) {
        let ctx = self.jobs.window().clone();
        for OpenTool { title, target, shown, kept, panel_sizes } in tools {
            // Another version may have other tools.
            let Some(kind) = kinds::tools().find(|kind| kind.tool.title == title) else { continue };
            let Some(index) = self.open_tool(&ctx, kind.tool) else { continue };
            self.tools[index].give_panel_sizes(panel_sizes.clone());
            if let Some(kept) = kept
                && let Err(problem) = self.tools[index].restore(kept, &mut self.cache)
            {
                self.notify_error(format!("Cannot open the tab “{title}” as it was: {problem}"));
            }
            let Some(target) = target else { continue };
            let shown = shown.as_deref().and_then(|text| ron::from_str(text).ok());
            match self.documents.iter().find(|document| document.is_named(target)) {
                Some(document) => go_on(&mut *self.tools[index], &document.id, shown),
                None => {
                    self.reopening.waiting.push(WaitingTool { tool: kind.tool, target: target.clone(), shown });
                }
            }
        }
    }

    fn show_reopened(&mut self, shown: Option<&ShownTab>) {
        let place = match shown {
            Some(ShownTab::Document(shown)) => self.documents.iter().position(|document| document.is_named(shown)),
            Some(ShownTab::Tool(title)) => {
                let place = self.tools.iter().position(|page| page.tool().title == title);
                place.map(|place| self.documents.len() + place)
            }
            None => None,
        };
        if let Some(place) = place {
            self.show_tab(place);
        }
    }

    /// Gives the page of the document at this position, which was not drawn yet, the sizes of its panels in the last window, and what it
    /// was about there.
    fn give_page(&mut self, index: usize) {
        let document = &mut self.documents[index];
        let of_document = self.reopening.panel_sizes.iter().find(|(scenario, _)| document.is_named(scenario));
        if let Some((_, sizes)) = of_document {
            document.view.give_panel_sizes(sizes.clone());
        }
        if self.reopening.of_query.iter().any(|scenario| document.is_named(scenario)) {
            document.view.show_again(&PageView { of_query: true, ..PageView::default() });
        }
    }

    /// Gives a document that the user has recovered its page of the last window, and the tools that were about it.
    pub(super) fn give_back(&mut self, id: &str) {
        let Some(index) = self.documents.iter().position(|document| document.id == id) else { return };
        self.give_page(index);
        let document = &self.documents[index];
        for waiting in self.reopening.waiting.extract_if(.., |waiting| document.is_named(&waiting.target)) {
            if let Some(page) = self.tools.iter_mut().find(|page| page.tool() == waiting.tool) {
                go_on(&mut **page, id, waiting.shown);
            }
        }
    }

    /// The open tabs, without scenarios that no file and no snapshot has.
    fn open_tabs(&self) -> OpenTabs {
        let stays = |document: &&Document| document.file_identity().is_some() || self.is_left(document);
        let documents = self.documents.iter().filter(stays).map(Document::reference).collect();
        let tools = self.tools.iter().map(|page| {
            let target = page.target().and_then(|id| self.document(id)).map(Document::reference);
            let shown = page.shown().and_then(|shown| ron::to_string(&shown).ok());
            let tool = OpenTool::new(page.tool().title, target, shown, page.kept(&self.cache));
            OpenTool { panel_sizes: page.panel_sizes(), ..tool }
        });
        let tools = tools.collect();
        let shown = self.active().map(|document| ShownTab::Document(document.reference()));
        let shown = shown.or_else(|| Some(ShownTab::Tool(self.active_tool()?.tool().title.to_owned())));
        let sizes = |document: &Document| {
            let sizes = document.view.panel_sizes();
            (!sizes.is_empty()).then(|| (document.reference(), sizes))
        };
        let panel_sizes = self.documents.iter().filter_map(sizes).collect();
        let of_query = self.documents.iter().filter(|document| document.view.shown().of_query).map(Document::reference);
        let of_query = of_query.collect();
        let closed = self.closed.iter().filter_map(ClosedTab::file);
        // A list of paths is written as text.
        let closed = closed.filter(|path| path.to_str().is_some()).map(Path::to_owned).collect();
        OpenTabs { documents, tools, shown, panel_sizes, of_query, closed }
    }

    /// Keeps the open tabs for the next start. Beside other windows only at the end, when this may be the last one: until then the
    /// file has the tabs of a window that was alone, which another one does not replace while it is open.
    pub(super) fn keep_tabs(&self, is_end: bool) {
        // Until they are open again, those of the last window stay.
        let Some(file) = self.reopening.file.as_deref().filter(|_| self.reopening.pending.is_none()) else { return };
        let tabs = self.open_tabs();
        // A window that has ended may have kept its own.
        let is_kept = || OpenTabs::read(file).is_ok_and(|kept| kept == tabs);
        if (!is_end && !self.is_only_window()) || is_kept() {
            return;
        }
        if let Err(problem) = tabs.write(file) {
            log::warn!("the open tabs are not kept: {problem}");
        }
    }
}

/// Reads the file of a tab.
fn read(path: PathBuf) -> ReadFile {
    let load = || -> Result<Box<Loaded>, String> {
        scenario::check_ends(&path)?;
        scenario::load(&path).map(Box::new).map_err(|error| format!("{error:#}"))
    };
    let read = guarded("open", load).unwrap_or_else(Err);
    (path, read)
}
