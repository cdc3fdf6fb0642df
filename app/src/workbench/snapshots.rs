//! Which unsaved documents have a snapshot on disk, and which are still to be written.

use std::time::{Duration, Instant};

use crossover_page::document::Document;
use crossover_scenario::Scenario;

use super::Workbench;
use crate::autosave::{Autosave, Report, Write};
use crate::storage::recovery::Orphan;

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
    state: State,
    /// Work of an earlier run that is not deleted before this is on disk.
    continues: Option<Orphan>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Writing,
    OnDisk,
    Failed { retry: Instant },
}

impl Snapshots {
    /// Whether this state of the document is on disk, or on its way.
    fn has(&self, document: &Document) -> bool {
        self.find(document).is_some_and(|last| !matches!(last.state, State::Failed { .. }))
    }

    fn find(&self, document: &Document) -> Option<&Last> {
        self.last.iter().find(|last| last.document == document.id && last.scenario == document.scenario)
    }

    /// Whether the document is to be written now: not while it is being written, nor if this state has just failed.
    fn is_wanted(&self, document: &Document, now: Instant) -> bool {
        let is_writing = |last: &Last| last.document == document.id && last.state == State::Writing;
        is_unsaved(document)
            && !self.last.iter().any(is_writing)
            && match self.find(document).map(|last| last.state) {
                Some(State::Failed { retry }) => retry <= now,
                Some(State::Writing | State::OnDisk) => false,
                None => true,
            }
    }

    fn write(&mut self, autosave: &Autosave, document: &Document, continues: Option<Orphan>) {
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
            scenario: document.scenario.clone(),
            continues: continues.clone(),
        });
        self.last.push(Last {
            number,
            document: document.id.clone(),
            scenario: document.scenario.clone(),
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
        let documents = &self.documents;
        let is_wanted = |id: &str| documents.iter().any(|document| document.id == id && is_unsaved(document));
        self.snapshots.remove_unwanted(autosave, is_wanted);
        let now = Instant::now();
        if let Some(retry) = self.snapshots.last.iter().filter_map(Last::retry).min() {
            ctx.request_repaint_after(retry.saturating_duration_since(now));
        }
        if !documents.iter().any(|document| self.snapshots.is_wanted(document, now)) {
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
            if self.snapshots.is_wanted(document, now) {
                self.snapshots.write(autosave, document, None);
            }
        }
    }

    /// Writes a snapshot of the last added document at once; the snapshot of the earlier run is deleted after that.
    pub(super) fn keep_recovered(&mut self, orphan: Orphan) {
        if let (Some(autosave), Some(document)) = (&self.autosave, self.documents.last()) {
            self.snapshots.write(autosave, document, Some(orphan));
        }
    }

    /// Ends autosaving. What the user has not decided about stays on disk for the next start.
    pub(super) fn end_snapshots(&mut self) {
        self.take_reports();
        let Some(autosave) = self.autosave.take() else { return };
        let close = &self.close;
        let (undecided, _): (Vec<&Document>, Vec<&Document>) =
            self.documents.iter().partition(|document| document.is_dirty() && !close.is_discarded(&document.id));
        for document in &undecided {
            if !self.snapshots.has(document) {
                self.snapshots.write(&autosave, document, None);
            }
        }
        self.snapshots.remove_unwanted(&autosave, |id| undecided.iter().any(|document| document.id == id));
        autosave.end(!undecided.is_empty());
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
                Report::NotDeleted(problem) => self.notify_error(problem),
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

/// Whether a crash would lose something of it. A window that ends normally does not keep settings of tools alone: the user, who
/// was not asked about them, is not asked at the next start either.
fn is_unsaved(document: &Document) -> bool {
    document.is_dirty() || document.has_unsaved_views()
}

impl Last {
    fn retry(&self) -> Option<Instant> {
        match self.state {
            State::Failed { retry } => Some(retry),
            State::Writing | State::OnDisk => None,
        }
    }
}
