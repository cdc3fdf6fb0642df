//! Keeps a snapshot of every unsaved document on disk, on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use crossover_scenario::Scenario;

use crate::storage::recovery::{Orphan, RecoveryError, RecoveryStore, Snapshot};

/// A task of the thread.
enum Task {
    Write(Box<Write>),
    Remove(String),
    Discard(PathBuf),
    SetAside {
        orphan: PathBuf,
        what: String,
        why: String,
    },
    /// `keep`: the snapshots stay for the next start.
    End {
        keep: bool,
    },
}

/// A document to be kept. Its text is made on the thread: that of a large plan takes longer than a frame.
pub(crate) struct Write {
    /// Returned with the report.
    pub(crate) number: u64,
    /// Names the document.
    pub(crate) document: String,
    /// Its title.
    pub(crate) name: String,
    /// The file that it was opened from or saved to last.
    pub(crate) path: Option<PathBuf>,
    /// Its state.
    pub(crate) scenario: Scenario,
    /// Whether nothing but settings of tools is unsaved.
    pub(crate) only_settings: bool,
    /// File of the work of an earlier run that this snapshot continues; it is deleted once the snapshot is on disk.
    pub(crate) continues: Option<PathBuf>,
}

impl Write {
    fn snapshot(&self) -> Snapshot {
        Snapshot {
            document_id: self.document.clone(),
            name: self.name.clone(),
            path: self.path.clone(),
            only_settings: self.only_settings,
            saved_at_unix_seconds: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs()),
            process_id: std::process::id(),
            text: self.scenario.to_ron(),
        }
    }
}

/// The outcome of a task.
pub(crate) enum Report {
    /// The snapshot of this number is on disk, or why it is not.
    Written {
        /// See [`Write::number`].
        number: u64,
        /// Why the snapshot is not on disk.
        result: Result<(), String>,
    },
    /// What the user should know of a file in the folder.
    Problem(String),
}

/// Writes snapshots on a thread of its own; unsaved work of a crashed run is found at the start.
pub(crate) struct Autosave {
    tasks: Sender<Task>,
    reports: Receiver<Report>,
    thread: JoinHandle<()>,
}

impl Autosave {
    /// Starts autosaving into a folder; gives what earlier runs left there. Reports wake this window.
    ///
    /// # Errors
    /// If the folder cannot be used; the message says why.
    pub(crate) fn start(folder: PathBuf, ctx: egui::Context) -> anyhow::Result<(Self, Vec<Orphan>)> {
        let mut store = RecoveryStore::open(folder)?;
        let orphans = store.orphans();
        let (tasks, inbox) = channel();
        let (outbox, reports) = channel();
        let thread = std::thread::Builder::new().name("autosave".into()).spawn(move || {
            let report = |report| {
                // The window may have closed in the meantime; then the report is not needed.
                drop(outbox.send(report));
                ctx.request_repaint();
            };
            let deleted = |result: Result<(), RecoveryError>| {
                if let Err(error) = result {
                    log::warn!("autosave: {error}");
                    report(Report::Problem(error.to_string()));
                }
            };
            for task in inbox {
                match task {
                    Task::Write(write) => {
                        let result = store.write(&write.snapshot());
                        // The new snapshot is written before the old one is deleted: the work is on disk at every moment.
                        if let (Ok(()), Some(orphan)) = (&result, &write.continues) {
                            deleted(store.discard(orphan));
                        }
                        let result = result.map_err(|error| error.to_string());
                        report(Report::Written { number: write.number, result });
                    }
                    Task::Remove(document) => deleted(store.remove(&document)),
                    Task::Discard(orphan) => deleted(store.discard(&orphan)),
                    Task::SetAside { orphan, what, why } => match store.set_aside(&orphan) {
                        Ok(file) => report(Report::Problem(format!("{what}, kept in {}: {why}", file.display()))),
                        Err(error) => {
                            report(Report::Problem(format!("{what}: {why}")));
                            report(Report::Problem(error.to_string()));
                        }
                    },
                    Task::End { keep } => {
                        if !keep {
                            deleted(store.close());
                        }
                        return;
                    }
                }
            }
        })?;
        Ok((Self { tasks, reports, thread }, orphans))
    }

    /// Keeps this state of a document.
    pub(crate) fn write(&self, write: Write) {
        self.send(Task::Write(Box::new(write)));
    }

    /// The document has no unsaved edits any more.
    pub(crate) fn remove(&self, document: &str) {
        self.send(Task::Remove(document.to_owned()));
    }

    /// The user has decided about work that an earlier run left in this file.
    pub(crate) fn discard(&self, orphan: PathBuf) {
        self.send(Task::Discard(orphan));
    }

    /// What an earlier run left in this file cannot be read: it stays under another name, and later starts do not read it. A report says what
    /// cannot be read, where it is kept, and why.
    pub(crate) fn set_aside(&self, orphan: PathBuf, what: String, why: String) {
        self.send(Task::SetAside { orphan, what, why });
    }

    /// Reports that have arrived.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.reports.try_iter().collect()
    }

    /// Whether the thread has ended, which is a defect while the window is open.
    pub(crate) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Completes the queued tasks and ends. `keep`: the snapshots of this run stay for the next start; else they are deleted.
    pub(crate) fn end(self, keep: bool) {
        self.send(Task::End { keep });
        if self.thread.join().is_err() {
            log::warn!("the autosave thread ended early");
        }
        for report in self.reports.try_iter() {
            if let Report::Written { result: Err(problem), .. } = report {
                log::error!("{problem}");
            }
        }
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            log::warn!("the autosave thread has ended; unsaved work is not kept");
        }
    }
}
