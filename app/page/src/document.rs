//! One open scenario: its file, its saved state and its history of edits.

mod history;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crossover_quantity::invalid::Invalid;
use crossover_quantity::text::shortened;
use crossover_scenario::views::OtherScenario;
use crossover_scenario::{Scenario, Views};

use crate::page::{MakePage, View};
use crate::revised::{Revised, Revision};
use crate::storage::on_disk::OnDisk;
use history::History;

/// Maximum number of characters of a label: a name from a file has any length.
pub(crate) const LONGEST_LABEL: usize = 120;

/// One open scenario.
pub struct Document {
    /// Identifies the document, also after a restart if it is recovered.
    pub id: String,
    /// The file that it was opened from or saved to.
    pub path: Option<PathBuf>,
    /// The state of that file then; none until it is read.
    pub on_disk: Option<OnDisk>,
    /// The current scenario. What is found of it, such as whether it has edits, is found once for each of its revisions.
    pub scenario: Revised<Scenario>,
    /// Status text while it has no file and no edits.
    pub without_file: &'static str,
    /// Its page.
    pub view: View,
    saved: Option<Scenario>,
    /// Whether there were edits at that revision.
    edited: RefCell<Option<(Revision, bool)>>,
    /// Settings of tool pages as they are in the file, or were when the document was made.
    saved_views: Views,
    history: History,
    /// The revision of the state that is the last of the history; none: it is not known.
    settled: Option<Revision>,
    label: String,
}

/// A closed document, from which it is opened again: without its page and its edits' history.
pub struct ClosedDocument {
    path: Option<PathBuf>,
    on_disk: Option<OnDisk>,
    scenario: Scenario,
    without_file: &'static str,
    saved: Option<Scenario>,
    saved_views: Views,
}

impl ClosedDocument {
    /// Whether it had no unsaved edits and this document has the same file.
    #[must_use]
    pub fn is_same_as(&self, open: &Document) -> bool {
        let file = self.file();
        self.saved.as_ref() == Some(&self.scenario) && file.is_some() && open.file_identity() == file
    }

    /// Its file, if it had one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.on_disk.as_ref().map(|file| file.identity.as_path()).or(self.path.as_deref())
    }
}

impl Document {
    /// A document without unsaved edits.
    #[must_use]
    pub fn new(make_page: MakePage, id: String, path: Option<PathBuf>, scenario: Scenario) -> Self {
        Self { saved: Some(scenario.clone()), ..Self::recovered(make_page, id, path, scenario) }
    }

    /// A document that was read from this file.
    #[must_use]
    pub fn opened(make_page: MakePage, id: String, file: OnDisk, scenario: Scenario) -> Self {
        Self { path: Some(file.path.clone()), on_disk: Some(file), ..Self::new(make_page, id, None, scenario) }
    }

    /// A document whose edits are not in any file.
    #[must_use]
    pub fn recovered(make_page: MakePage, id: String, path: Option<PathBuf>, scenario: Scenario) -> Self {
        let view = View::new(make_page(&scenario.study));
        let scenario = Revised::new(scenario);
        let mut document = Self {
            id,
            path,
            on_disk: None,
            without_file: "not in a file yet",
            view,
            saved: None,
            edited: RefCell::new(None),
            saved_views: scenario.views.clone(),
            history: History::new(scenario.clone()),
            settled: Some(scenario.revision().clone()),
            label: String::new(),
            scenario,
        };
        document.label = shortened(&document.title(), LONGEST_LABEL);
        document
    }

    /// What it is opened from again after it was closed.
    #[must_use]
    pub fn to_closed(&self) -> ClosedDocument {
        ClosedDocument {
            path: self.path.clone(),
            on_disk: self.on_disk.clone(),
            scenario: self.scenario.clone(),
            without_file: self.without_file,
            saved: self.saved.clone(),
            saved_views: self.saved_views.clone(),
        }
    }

    /// A closed document as it was, with the edits that were discarded.
    #[must_use]
    pub fn reopened(make_page: MakePage, id: String, closed: ClosedDocument) -> Self {
        let ClosedDocument { path, on_disk, scenario, without_file, saved, saved_views } = closed;
        let document = Self { on_disk, saved, saved_views, ..Self::recovered(make_page, id, path, scenario) };
        document.without_file(without_file)
    }

    /// The same document, with this status text while it has no file and no edits.
    #[must_use]
    pub fn without_file(self, text: &'static str) -> Self {
        Self { without_file: text, ..self }
    }

    /// Whether there are edits that are not in the file.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        let now = self.scenario.revision();
        let mut edited = self.edited.borrow_mut();
        match &*edited {
            Some((at, is_dirty)) if at == now => *is_dirty,
            _ => {
                let is_dirty = self.saved.as_ref() != Some(&*self.scenario);
                *edited = Some((now.clone(), is_dirty));
                is_dirty
            }
        }
    }

    /// Whether it is in no file, and nothing of it was edited since it was made, as of a query that was imported.
    #[must_use]
    pub fn is_unedited_import(&self) -> bool {
        self.saved.is_none() && self.path.is_none() && self.history.undo.is_empty()
    }

    /// Whether tool pages have settings that are not in the file. Saving writes them; closing does not ask about them.
    #[must_use]
    pub fn has_unsaved_views(&self) -> bool {
        self.saved_views != self.scenario.views
    }

    /// Keeps settings of tool pages: neither an edit of the study nor a step of undo.
    pub fn set_views(&mut self, views: &Views) {
        self.amend(|scenario| scenario.views.clone_from(views));
    }

    /// The scenario as it is in the file, or was when the document was made.
    #[must_use]
    pub fn saved(&self) -> Option<&Scenario> {
        self.saved.as_ref()
    }

    /// This scenario is in that file now.
    pub fn mark_saved(&mut self, file: OnDisk, mut scenario: Scenario) {
        // Data of the files that it names may have arrived during the save.
        if let (Some(saved), Some(now)) = (scenario.study.named_trace_mut(), self.scenario.study.named_trace()) {
            saved.take(now);
        }
        // So may settings of tool pages.
        self.saved_views = std::mem::replace(&mut scenario.views, self.scenario.views.clone());
        self.path = Some(file.path.clone());
        self.on_disk = Some(file);
        self.saved = Some(scenario);
        self.edited = RefCell::new(None);
    }

    /// Identity of its file: the target of its path, or the path until it is read.
    #[must_use]
    pub fn file_identity(&self) -> Option<&Path> {
        self.on_disk.as_ref().map(|file| file.identity.as_path()).or(self.path.as_deref())
    }

    /// The reference by which settings name it.
    #[must_use]
    pub fn reference(&self) -> OtherScenario {
        match self.file_identity().and_then(Path::to_str) {
            Some(path) => OtherScenario::File(path.to_owned()),
            None => OtherScenario::Unsaved(self.id.clone()),
        }
    }

    /// Whether this reference names it.
    #[must_use]
    pub fn is_named(&self, reference: &OtherScenario) -> bool {
        match reference {
            OtherScenario::File(path) => {
                let path = Some(Path::new(path));
                self.file_identity() == path || self.path.as_deref() == path
            }
            OtherScenario::Unsaved(id) => self.id == *id,
        }
    }

    /// Whether this is its file.
    #[must_use]
    pub fn is_of(&self, file: &OnDisk) -> bool {
        self.file_identity() == Some(&file.identity) || self.path.as_ref() == Some(&file.path)
    }

    /// Title of the tab, which no other open document has: `Titles::distinguish` sets it.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    pub(crate) fn set_label(&mut self, label: String) {
        self.label = label;
    }

    /// The file's name, or the scenario's.
    #[must_use]
    pub fn title(&self) -> String {
        let stem = self.path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        stem.unwrap_or_else(
            || if self.scenario.name.is_empty() { "untitled".into() } else { self.scenario.name.clone() },
        )
    }

    /// Changes values that no file stores, in every undo state: not an edit, and nothing to save.
    pub fn amend(&mut self, amend: impl Fn(&mut Scenario)) {
        let is_settled = self.settled.as_ref() == Some(self.scenario.revision());
        let History { undo, settled, redo } = &mut self.history;
        let states = undo.iter_mut().chain([settled]).chain(redo);
        for state in states.chain(&mut self.saved).chain([&mut *self.scenario]) {
            amend(state);
        }
        self.settled = is_settled.then(|| self.scenario.revision().clone());
    }

    /// Records an edit when no drag is in progress. An edit that makes the study invalid is undone.
    ///
    /// # Errors
    /// The problem of the study that was undone.
    pub fn settle(&mut self) -> Result<(), Invalid> {
        if self.settled.as_ref() == Some(self.scenario.revision()) {
            return Ok(());
        }
        if self.history.settled == *self.scenario {
            // The page has access in every frame, and seldom changes anything.
            if let Some(settled) = &self.settled {
                self.scenario.restore_revision(settled);
            }
        } else if let Err(invalid) = self.scenario.study.validate() {
            self.history.settled.clone_into(&mut self.scenario);
            self.settled = Some(self.scenario.revision().clone());
            return Err(invalid);
        } else {
            self.history.add(&self.scenario);
        }
        self.settled = Some(self.scenario.revision().clone());
        Ok(())
    }

    /// Whether an edit can be undone.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.history.undo.is_empty() || self.history.settled != *self.scenario
    }

    /// Whether an edit can be redone.
    #[must_use]
    pub fn can_redo(&self) -> bool {
        !self.history.redo.is_empty() && self.history.settled == *self.scenario
    }

    /// Undoes the last edit.
    pub fn undo(&mut self) {
        _ = self.settle();
        self.history.undo(&mut self.scenario);
        self.settled = Some(self.scenario.revision().clone());
    }

    /// Redoes the last undone edit.
    pub fn redo(&mut self) {
        _ = self.settle();
        self.history.redo(&mut self.scenario);
        self.settled = Some(self.scenario.revision().clone());
    }
}

#[cfg(test)]
mod tests;
