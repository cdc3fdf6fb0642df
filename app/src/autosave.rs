//! Keeps a snapshot of every unsaved document on disk, on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use crate::storage::recovery::{Orphan, RecoveryStore, Snapshot};

/// What the thread is asked to do.
enum Task {
    Write(Snapshot),
    Remove(String),
    Discard(Orphan),
    Close,
}

/// Writes snapshots on a thread of its own; unsaved work of a crashed run is found at the start.
pub(crate) struct Autosave {
    tasks: Sender<Task>,
    thread: Option<JoinHandle<()>>,
}

impl Autosave {
    /// Starts autosaving into a folder; gives what earlier runs left there.
    ///
    /// # Errors
    /// If the folder cannot be used; the message says why.
    pub(crate) fn start(folder: PathBuf) -> anyhow::Result<(Self, Vec<Orphan>)> {
        let mut store = RecoveryStore::open(folder)?;
        let orphans = store.orphans();
        let (tasks, inbox) = channel();
        let thread = std::thread::Builder::new().name("autosave".into()).spawn(move || {
            for task in inbox {
                let result = match task {
                    Task::Write(snapshot) => store.write(&snapshot),
                    Task::Remove(document) => store.remove(&document),
                    Task::Discard(orphan) => store.discard(&orphan),
                    Task::Close => {
                        if let Err(error) = store.close() {
                            log::warn!("closing the recovery folder: {error}");
                        }
                        return;
                    }
                };
                if let Err(error) = result {
                    log::warn!("autosave: {error}");
                }
            }
        })?;
        Ok((Self { tasks, thread: Some(thread) }, orphans))
    }

    /// Keeps this state of a document.
    pub(crate) fn write(&self, snapshot: Snapshot) {
        self.send(Task::Write(snapshot));
    }

    /// The document has no unsaved edits any more.
    pub(crate) fn remove(&self, document: &str) {
        self.send(Task::Remove(document.to_owned()));
    }

    /// The user has decided about work that an earlier run left.
    pub(crate) fn discard(&self, orphan: Orphan) {
        self.send(Task::Discard(orphan));
    }

    /// Clean end: removes the snapshots of this run.
    pub(crate) fn close(mut self) {
        self.send(Task::Close);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::warn!("the autosave thread ended early");
        }
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            log::warn!("the autosave thread has ended; unsaved work is not kept");
        }
    }
}
