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
        let identity = self.on_disk.as_ref().map(|file| file.identity.as_path()).or(self.path.as_deref());
        self.saved.as_ref() == Some(&self.scenario) && identity.is_some() && open.file_identity() == identity
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
mod tests {
    use crossover_chart::Chart;
    use crossover_placement::Side;
    use crossover_query::Plan;
    use crossover_scenario::Study;
    use crossover_scenario::views::UncertaintyView;
    use egui::Ui;

    use super::history::MOST_UNDOS;
    use super::*;
    use crate::lazy_text::LazyText;
    use crate::page::{Env, Page};
    use crate::storage::scenario::BUILT_IN;
    use crate::tour::Step;

    /// A page that shows nothing.
    struct Blank;

    impl Page for Blank {
        fn ui(&mut self, _: &mut Ui, _: &mut Study, _: &mut Env<'_>) {}

        fn help(&self) -> &'static str {
            ""
        }

        fn tour(&self) -> &'static [Step] {
            &[]
        }

        fn status(&self, _: &str) -> String {
            String::new()
        }

        fn is_busy(&self) -> bool {
            false
        }

        fn charts(&self) -> Vec<Chart> {
            Vec::new()
        }

        fn data_csv(&self, _: &Study) -> Result<LazyText, String> {
            Err("a blank page has no data".to_owned())
        }

        fn reset_layout(&mut self, _: &Study) {}
    }

    fn blank(_: &Study) -> Box<dyn Page> {
        Box::new(Blank)
    }

    fn document() -> Document {
        let scenario = crossover_scenario::read(BUILT_IN).expect("a valid example");
        Document::new(blank, "1".into(), None, scenario)
    }

    #[test]
    fn undo_and_redo_walk_through_the_edits() {
        let mut document = document();
        let original = document.scenario.clone();
        for name in ["a", "b", "c"] {
            document.scenario.name = name.into();
            document.settle().expect("valid");
        }
        document.undo();
        document.undo();
        assert_eq!(document.scenario.name, "a");
        document.redo();
        assert_eq!(document.scenario.name, "b");
        document.scenario.name = "d".into();
        document.settle().expect("a changed study is still valid");
        assert!(!document.can_redo(), "a new edit drops what was taken back");
        for _ in 0..10 {
            document.undo();
        }
        assert_eq!(*document.scenario, original);
        assert!(!document.is_dirty() && !document.can_undo());
    }

    #[test]
    fn what_stands_in_no_file_changes_in_every_state_without_an_edit() {
        let mut document = document();
        for name in ["a", "b"] {
            document.scenario.name = name.into();
            document.settle().expect("valid");
        }
        document.undo();
        document.amend(|scenario| scenario.notes = "found".into());
        assert!(document.can_redo() && document.can_undo());
        document.redo();
        assert_eq!((document.scenario.name.as_str(), document.scenario.notes.as_str()), ("b", "found"));
        document.undo();
        document.undo();
        assert!(!document.is_dirty() && document.scenario.notes == "found");
    }

    fn drawn_by(figure: &str) -> Views {
        let uncertainty = Some(UncertaintyView { spread_all: None, figure: Some(figure.to_owned()) });
        Views { uncertainty, ..Views::default() }
    }

    #[test]
    fn settings_of_tools_are_kept_without_an_edit_and_stay_when_edits_are_undone() {
        let mut document = document();
        document.scenario.name = "edited".into();
        document.settle().expect("valid");
        document.set_views(&drawn_by("speedup"));
        document.settle().expect("valid");
        document.undo();
        assert!(!document.is_dirty() && !document.can_undo(), "the edit was the only step");
        assert!(document.has_unsaved_views() && document.scenario.views == drawn_by("speedup"));
        document.redo();
        assert_eq!((document.scenario.name.as_str(), &document.scenario.views), ("edited", &drawn_by("speedup")));
    }

    #[test]
    fn settings_of_tools_that_change_during_a_save_are_still_to_be_saved() {
        let mut document = document();
        document.set_views(&drawn_by("speedup"));
        let during = document.scenario.clone();
        document.set_views(&drawn_by("seconds"));
        let file = OnDisk::at(Path::new("plan.ron"));
        document.mark_saved(file.clone(), during);
        assert!(document.has_unsaved_views() && !document.is_dirty());
        document.mark_saved(file, document.scenario.clone());
        assert!(!document.has_unsaved_views());
    }

    /// 10,000 nodes with what Spark counts.
    fn large() -> Scenario {
        use crossover_query::{Kind, Metric, Node};
        let text = include_str!("../../../scenarios/placement-spark.ron");
        let mut scenario = crossover_scenario::read(text).expect("a valid example");
        let query = scenario.study.placement_mut().and_then(|study| study.query.as_mut()).expect("a query");
        let metric = |name: u8| Metric { name: format!("metric {name}"), unit: "sum".into(), total: Some(1e9) };
        query.plan.nodes = (0..10_000)
            .map(|id| Node {
                inputs: if id < 9_999 { vec![id + 1] } else { Vec::new() },
                metrics: (0..10).map(metric).collect(),
                ..Node::new(format!("Filter {id}"), Kind::Filter)
            })
            .collect();
        scenario
    }

    /// What a state of a document holds besides its plan is small: all undo steps together take less than 50 MB.
    #[test]
    fn all_undo_steps_hold_the_same_plan() {
        let mut document = Document::new(blank, "1".into(), None, large());
        for edit in 0..2 * MOST_UNDOS {
            document.scenario.study.placement_mut().expect("a study").cluster.machines = 2.0 + edit as f64;
            document.scenario.study.placement_mut().expect("a study").pin_node(edit, Some(Side::Gpu));
            document.settle().expect("valid");
        }
        for _ in 0..MOST_UNDOS / 4 {
            document.undo();
        }
        let History { undo, settled, redo } = &document.history;
        assert_eq!(undo.len() + redo.len(), MOST_UNDOS);
        let query = |scenario: &Scenario| {
            scenario.placement().and_then(|study| study.query.as_deref()).expect("a query").clone()
        };
        let plan = query(&document.scenario).plan;
        let all = undo.iter().chain(redo).chain([settled]).chain(document.saved());
        assert!(all.clone().all(|scenario| query(scenario).plan.is_same(&plan)));
        let bytes_beside_plans = all.map(|scenario| {
            let mut scenario = scenario.clone();
            let mut query = query(&scenario);
            query.plan = Plan::default().into();
            scenario.study.placement_mut().expect("a study").query = Some(Box::new(query));
            // Numbers and names take about as much room in memory as in a file.
            scenario.to_ron().len()
        });
        let (beside, of_plan) = (bytes_beside_plans.sum::<usize>(), large().to_ron().len());
        assert!(beside < 50_000_000 / 4, "{beside} bytes beside plans");
        assert!(of_plan > 50_000_000 / MOST_UNDOS, "{of_plan} bytes: a plan worth sharing");
    }

    #[test]
    fn settings_name_a_document_by_its_file_and_without_one_by_its_id() {
        let mut document = document();
        let by_id = OtherScenario::Unsaved("1".to_owned());
        assert_eq!(document.reference(), by_id);
        let file = OnDisk { path: "/link/plan.ron".into(), identity: "/real/plan.ron".into(), version: None };
        document.mark_saved(file, document.scenario.clone());
        let [by_path, by_identity] =
            ["/link/plan.ron", "/real/plan.ron"].map(|path| OtherScenario::File(path.to_owned()));
        assert_eq!(document.reference(), by_identity);
        assert!([by_path, by_identity, by_id].iter().all(|reference| document.is_named(reference)));
        let others = [OtherScenario::File("/link/other.ron".to_owned()), OtherScenario::Unsaved("2".to_owned())];
        assert!(!others.iter().any(|reference| document.is_named(reference)));
    }

    #[test]
    fn whether_there_are_edits_follows_every_change_of_the_scenario_and_of_what_is_saved() {
        let mut document = document();
        let original = document.scenario.name.clone();
        document.settle().expect("valid");
        let revision = document.scenario.revision().clone();
        // As a page that changes nothing: it has access to the scenario in each frame.
        _ = &mut document.scenario.study;
        assert_ne!(*document.scenario.revision(), revision);
        document.settle().expect("valid");
        assert_eq!(*document.scenario.revision(), revision);
        assert!(!document.is_dirty());
        for name in ["edited", "edited again"] {
            document.scenario.name = name.into();
            assert!(document.is_dirty());
            document.settle().expect("valid");
            assert!(document.is_dirty() && *document.scenario.revision() != revision);
        }
        document.undo();
        document.settle().expect("valid");
        assert!(document.is_dirty(), "one edit is left");
        document.undo();
        document.settle().expect("valid");
        assert!(!document.is_dirty());
        document.scenario.name = "edited".into();
        assert!(document.is_dirty());
        document.mark_saved(OnDisk::at(Path::new("plan.ron")), document.scenario.clone());
        assert!(!document.is_dirty());
        document.scenario.name = original;
        document.settle().expect("valid");
        assert!(document.is_dirty(), "the file has another name");
        document.amend(|scenario| scenario.name = "of all states".into());
        assert!(!document.is_dirty());
        document.settle().expect("valid");
        assert!(!document.is_dirty());
    }

    #[test]
    fn an_unsettled_edit_is_taken_back_too() {
        let mut document = document();
        document.scenario.notes = "half typed".into();
        assert!(document.can_undo() && document.is_dirty());
        document.undo();
        assert!(!document.is_dirty());
    }
}
