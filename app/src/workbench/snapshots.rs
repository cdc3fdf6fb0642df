//! Which unsaved documents have a snapshot on disk, and which are still to be written.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossover_page::document::Document;
use crossover_page::revised::Revision;
use crossover_page::tool::ToolView;
use crossover_scenario::Scenario;

use super::Workbench;
use crate::autosave::{Autosave, Report, Write};

/// Time from an edit to its snapshot. On a slow computer a frame and the writing take as long again, and an edit is on disk
/// within two seconds.
const AUTOSAVE_DELAY: Duration = Duration::from_secs(1);
/// After a failure the same state is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(30);

/// The last snapshot of each document.
#[derive(Default)]
pub(super) struct Snapshots {
    last: Vec<Last>,
    next_number: u64,
    /// When the next ones are written.
    due: Option<Instant>,
    /// The message about a failure, until a snapshot succeeds.
    failure: Option<String>,
}

struct Last {
    number: u64,
    document: String,
    scenario: Scenario,
    /// See [`Unsaved::revision`].
    revision: Option<Revision>,
    only_settings: bool,
    state: State,
    /// File of the work of an earlier run, which is not deleted before this is on disk.
    continues: Option<PathBuf>,
}

/// What of a document a restart would lose.
#[derive(Debug, Clone, Copy)]
struct Unsaved<'a> {
    scenario: &'a Scenario,
    /// At which revision the document is like this scenario; none: it has edits that the user discards.
    revision: Option<&'a Revision>,
    /// Whether only settings of tools are unsaved, if anything is.
    only_settings: bool,
}

/// The open tabs, which determine the documents that the next start opens again.
#[derive(Clone, Copy, Default)]
struct OpenTabs<'o> {
    documents: &'o [Document],
    tools: &'o [ToolView],
}

impl OpenTabs<'_> {
    /// Whether this document has no file, and a tool is about it or compares another document with it.
    fn needs(self, document: &Document) -> bool {
        let is_target = || self.tools.iter().any(|tool| tool.target() == Some(document.id.as_str()));
        let is_compared = || {
            let mut compared = self.documents.iter().filter_map(|other| other.scenario.views.compare.as_ref());
            compared.any(|view| view.with.iter().any(|other| document.is_named(other)))
        };
        document.file_identity().is_none() && (is_target() || is_compared())
    }
}

impl<'a> Unsaved<'a> {
    /// `None` if the document has neither edits nor unsaved settings, and no tool needs it. If the user discards the edits of a document, its
    /// settings of tools are kept: the window does not ask about them.
    fn of(document: &'a Document, discards_edits: bool, open: OpenTabs<'_>) -> Option<Self> {
        let (is_dirty, revision) = (document.is_dirty(), Some(document.scenario.revision()));
        if is_dirty && !discards_edits {
            return Some(Self { scenario: &document.scenario, revision, only_settings: false });
        }
        let scenario = document.saved().filter(|_| document.has_unsaved_views() || open.needs(document))?;
        Some(Self { scenario, revision: revision.filter(|_| !is_dirty), only_settings: true })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Writing,
    OnDisk,
    Failed { retry: Instant },
}

impl Snapshots {
    /// Whether this state of the document is on disk, or on its way.
    fn has(&self, document: &Document, unsaved: Unsaved<'_>) -> bool {
        self.find(document, unsaved).is_some_and(|last| !matches!(last.state, State::Failed { .. }))
    }

    fn find(&self, document: &Document, unsaved: Unsaved<'_>) -> Option<&Last> {
        self.last.iter().find(|last| last.document == document.id && last.is_of(unsaved))
    }

    /// Whether the document is to be written now: not while it is being written, nor if this state has just failed.
    fn is_wanted(&self, document: &Document, open: OpenTabs<'_>, now: Instant) -> bool {
        let is_writing = |last: &Last| last.document == document.id && last.state == State::Writing;
        let Some(unsaved) = Unsaved::of(document, false, open) else { return false };
        !self.last.iter().any(is_writing)
            && match self.find(document, unsaved).map(|last| last.state) {
                Some(State::Failed { retry }) => retry <= now,
                Some(State::Writing | State::OnDisk) => false,
                None => true,
            }
    }

    fn write(&mut self, autosave: &Autosave, document: &Document, unsaved: Unsaved<'_>, continues: Option<PathBuf>) {
        let Unsaved { scenario, revision, only_settings } = unsaved;
        let (former, others) =
            std::mem::take(&mut self.last).into_iter().partition(|last: &Last| last.document == document.id);
        self.last = others;
        let former: Vec<Last> = former;
        let continues = continues.or_else(|| former.into_iter().find_map(|last| last.continues));
        self.next_number += 1;
        let number = self.next_number;
        autosave.write(Write {
            number,
            document: document.id.clone(),
            name: document.title(),
            path: document.path.clone(),
            scenario: scenario.clone(),
            only_settings,
            continues: continues.clone(),
        });
        self.last.push(Last {
            number,
            document: document.id.clone(),
            scenario: scenario.clone(),
            revision: revision.cloned(),
            only_settings,
            state: State::Writing,
            continues,
        });
    }

    /// Deletes the snapshots of documents whose edits are saved or discarded.
    fn remove_unwanted(&mut self, autosave: &Autosave, is_wanted: impl Fn(&str) -> bool) {
        self.last.retain_mut(|last| {
            let keep = is_wanted(&last.document);
            if !keep {
                autosave.remove(&last.document);
                // Still there if the snapshot failed; the user has decided about it with the document.
                if let Some(orphan) = last.continues.take()
                    && last.state != State::Writing
                {
                    autosave.discard(orphan);
                }
            }
            keep
        });
    }
}

impl Workbench {
    /// Keeps snapshots of unsaved documents, a little after each edit.
    pub(super) fn keep_snapshots(&mut self, ctx: &egui::Context) {
        self.take_reports();
        let Some(autosave) = &self.autosave else { return };
        let (documents, open) = (&self.documents, OpenTabs { documents: &self.documents, tools: &self.tools });
        let is_wanted = |id: &str| {
            documents.iter().any(|document| document.id == id && Unsaved::of(document, false, open).is_some())
        };
        self.snapshots.remove_unwanted(autosave, is_wanted);
        let now = Instant::now();
        if let Some(retry) = self.snapshots.last.iter().filter_map(Last::retry).min() {
            ctx.request_repaint_after(retry.saturating_duration_since(now));
        }
        if !documents.iter().any(|document| self.snapshots.is_wanted(document, open, now)) {
            self.snapshots.due = None;
            return;
        }
        let due = *self.snapshots.due.get_or_insert(now + AUTOSAVE_DELAY);
        if now < due {
            ctx.request_repaint_after(due - now);
            return;
        }
        self.snapshots.due = None;
        for document in documents {
            if self.snapshots.is_wanted(document, open, now)
                && let Some(unsaved) = Unsaved::of(document, false, open)
            {
                self.snapshots.write(autosave, document, unsaved, None);
            }
        }
    }

    /// Writes a snapshot of a document at once; the snapshot of the earlier run, in this file, is deleted after that.
    pub(super) fn keep_recovered(&mut self, id: &str, orphan: PathBuf) {
        let document = self.documents.iter().find(|document| document.id == id);
        let (Some(autosave), Some(document)) = (&self.autosave, document) else { return };
        match Unsaved::of(document, false, OpenTabs { documents: &self.documents, tools: &self.tools }) {
            Some(unsaved) => self.snapshots.write(autosave, document, unsaved, Some(orphan)),
            None => autosave.discard(orphan),
        }
    }

    /// Whether something of a document stays on disk for the next start.
    pub(super) fn is_left(&self, document: &Document) -> bool {
        let open = OpenTabs { documents: &self.documents, tools: &self.tools };
        Unsaved::of(document, self.close.is_discarded(&document.id), open).is_some()
    }

    /// Ends autosaving. What the user has not decided about stays on disk for the next start.
    pub(super) fn end_snapshots(&mut self) {
        self.take_reports();
        let Some(autosave) = self.autosave.take() else { return };
        let (close, open) = (&self.close, OpenTabs { documents: &self.documents, tools: &self.tools });
        let left = self.documents.iter().filter_map(|document| {
            let unsaved = Unsaved::of(document, close.is_discarded(&document.id), open)?;
            Some((document, unsaved))
        });
        let left: Vec<(&Document, Unsaved<'_>)> = left.collect();
        for (document, unsaved) in &left {
            if !self.snapshots.has(document, *unsaved) {
                self.snapshots.write(&autosave, document, *unsaved, None);
            }
        }
        self.snapshots.remove_unwanted(&autosave, |id| left.iter().any(|(document, _)| document.id == id));
        autosave.end(!left.is_empty());
    }

    fn take_reports(&mut self) {
        let Some(autosave) = &self.autosave else { return };
        let mut reports = autosave.reports();
        if autosave.has_ended() {
            // Later tasks will never be reported.
            let problem = "the autosave thread has ended; save your work and restart Crossover";
            let waiting = self.snapshots.last.iter().filter(|last| last.state == State::Writing);
            reports
                .extend(waiting.map(|last| Report::Written { number: last.number, result: Err(problem.to_owned()) }));
        }
        for report in reports {
            match report {
                Report::Written { number, result } => self.take_report(number, result),
                Report::Problem(problem) => self.notify_error(problem),
            }
        }
    }

    fn take_report(&mut self, number: u64, result: Result<(), String>) {
        if let Some(last) = self.snapshots.last.iter_mut().find(|last| last.number == number) {
            match &result {
                Ok(()) => {
                    last.state = State::OnDisk;
                    last.continues = None;
                }
                Err(_) => last.state = State::Failed { retry: Instant::now() + RETRY_DELAY },
            }
        }
        match result {
            Ok(()) => {
                if let Some(shown) = self.snapshots.failure.take() {
                    self.notices.retain(|notice| notice.text != shown);
                }
            }
            // Reported once, not at every retry.
            Err(problem) if self.snapshots.failure.is_none() => {
                self.notify_error(problem.clone());
                self.snapshots.failure = Some(problem);
            }
            Err(problem) => log::warn!("{problem}"),
        }
    }
}

impl Last {
    /// Whether it has this state. Scenarios are compared only after the document may have changed.
    fn is_of(&self, unsaved: Unsaved<'_>) -> bool {
        let is_same_revision = self.revision.as_ref().is_some_and(|revision| unsaved.revision == Some(revision));
        self.only_settings == unsaved.only_settings && (is_same_revision || self.scenario == *unsaved.scenario)
    }

    fn retry(&self) -> Option<Instant> {
        match self.state {
            State::Failed { retry } => Some(retry),
            State::Writing | State::OnDisk => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_page::storage::scenario::BUILT_IN;
    use crossover_scenario::Views;
    use crossover_scenario::views::{CompareView, OtherScenario, UncertaintyView};

    use super::*;
    use crate::kinds;

    /// What of a document is kept for the next start: whether it has edits, and whether it has settings of tools.
    fn kept(document: &Document, discards_edits: bool) -> Option<[bool; 2]> {
        let Unsaved { scenario, only_settings, .. } = Unsaved::of(document, discards_edits, OpenTabs::default())?;
        let has_edits = scenario.name == "edited";
        assert_eq!(only_settings, !has_edits);
        Some([has_edits, !scenario.views.is_empty()])
    }

    #[test]
    fn every_kind_of_unsaved_work_is_kept_and_nothing_else() {
        let cases = [
            // edits, settings, discarded; kept: edits, settings
            ([false, false, false], None),
            ([false, false, true], None),
            ([true, false, false], Some([true, false])),
            ([true, false, true], None),
            ([false, true, false], Some([false, true])),
            ([false, true, true], Some([false, true])),
            ([true, true, false], Some([true, true])),
            ([true, true, true], Some([false, true])),
        ];
        for path in [None, Some(PathBuf::from("/nowhere/plan.ron"))] {
            for ([edits, settings, discards], expected) in cases {
                let scenario = crossover_scenario::read(BUILT_IN).expect("a valid example");
                let mut document = Document::new(kinds::page, "1".into(), path.clone(), scenario);
                if edits {
                    document.scenario.name = "edited".into();
                }
                if settings {
                    let uncertainty = Some(UncertaintyView { spread_all: Some(0.2), figure: None });
                    document.set_views(&Views { uncertainty, ..Views::default() });
                }
                let found = kept(&document, discards);
                assert_eq!(found, expected, "{path:?}: edits {edits}, settings {settings}, discarded {discards}");
            }
        }
    }

    #[test]
    fn recovered_work_is_kept_until_it_is_saved_or_discarded() {
        let scenario = crossover_scenario::read(BUILT_IN).expect("a valid example");
        let document = Document::recovered(kinds::page, "1".into(), None, scenario);
        assert!(Unsaved::of(&document, false, OpenTabs::default()).is_some_and(|unsaved| !unsaved.only_settings));
        assert!(Unsaved::of(&document, true, OpenTabs::default()).is_none());
    }

    #[test]
    fn a_scenario_without_a_file_is_kept_while_another_one_is_compared_with_it() {
        let made = |id: &str, path: Option<&str>| {
            let scenario = crossover_scenario::read(BUILT_IN).expect("a valid example");
            Document::new(kinds::page, id.into(), path.map(PathBuf::from), scenario)
        };
        let file = "/nowhere/plan.ron";
        let mut baseline = made("1", None);
        let with = vec![OtherScenario::Unsaved("2".into()), OtherScenario::File(file.into())];
        baseline.set_views(&Views { compare: Some(CompareView { x: None, with }), ..Views::default() });
        let mut documents = vec![baseline];
        documents.extend([("2", None), ("3", None), ("4", Some(file))].map(|(id, path)| made(id, path)));
        let open = OpenTabs { documents: &documents, tools: &[] };
        let kept: Vec<bool> = documents.iter().map(|document| Unsaved::of(document, false, open).is_some()).collect();
        assert_eq!(kept, [true, true, false, false]);
    }
}
