//! Recovery after a crash: snapshots of unsaved documents, and the sessions that own them.
//!
//! A folder holds one `session-XXXXXX.lock` per running Crossover, locked as long as the process lives, and one
//! `session-XXXXXX.<document>.ron` per document with unsaved work. The operating system gives the lock back however
//! the process ends, so a snapshot is an orphan exactly when its session's lock can be taken; unlike a process number,
//! a lock is never reused, and also separates machines that share a home folder. The process that takes the lock owns the
//! orphans, so that two processes never offer the same one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crossover_files::atomic::{self, SaveError};

mod snapshot;

pub use snapshot::{Orphan, Snapshot};

use snapshot::{
    Entry, EntryKind, LOCK_SUFFIX, SESSION_PREFIX, SET_ASIDE_SUFFIX, SNAPSHOT_SUFFIX, file_name_of, is_set_aside,
    read_snapshot,
};

/// Why the recovery folder could not be used.
#[derive(Debug, Error)]
pub enum RecoveryError {
    /// The folder cannot be created, listed or locked in.
    #[error("{step} failed in {folder} ({cause}). \
        Allow writing to the folder, or move it to a local disk, and start again.",
        folder = folder.display())]
    Folder {
        /// The recovery folder.
        folder: PathBuf,
        /// The step that failed, as a noun.
        step: &'static str,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The snapshot cannot be written as RON.
    #[error("unsaved work in {name} cannot be protected against a crash ({cause}). Save it to a file.")]
    Encode {
        /// The document's title.
        name: String,
        /// The error of the serialiser.
        cause: ron::Error,
    },
    /// The snapshot did not reach the disk.
    #[error("unsaved work in {name} is not protected against a crash: {cause}")]
    Save {
        /// The document's title.
        name: String,
        /// Why.
        cause: SaveError,
    },
    /// A snapshot that is not needed any more cannot be deleted.
    #[error("cannot delete {file} ({cause}). Delete it by hand, or it will be offered again.", file = file.display())]
    Remove {
        /// The snapshot.
        file: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A snapshot that cannot be read cannot be renamed.
    #[error("cannot rename {file} ({cause}). Move it to another folder, or the next start will read it again.",
        file = file.display())]
    SetAside {
        /// The snapshot.
        file: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The file was not offered by this store, so it may be in use elsewhere.
    #[error("{file} stays unchanged: it may belong to another program. Delete it by hand if it does not.",
        file = file.display())]
    NotOurs {
        /// The file.
        file: PathBuf,
    },
}

/// The snapshots of this process, and the orphans it offers.
///
/// Dropping the store keeps its snapshots: after a panic or a kill they hold the user's work. Only
/// [`RecoveryStore::close`] deletes them.
#[derive(Debug)]
pub struct RecoveryStore {
    folder: PathBuf,
    /// This process's session, `session-XXXXXX`.
    session: String,
    /// Never read: holding it open holds the lock.
    _lock: File,
    /// Sessions of dead processes whose orphans this store offers, with their held locks.
    claimed: BTreeMap<String, File>,
}

impl RecoveryStore {
    /// Starts a session in the folder `dir`, which is created if it is missing, readable for its owner only.
    ///
    /// # Errors
    /// [`RecoveryError::Folder`] if the folder cannot be written to, or its file system has no locks.
    pub fn open(dir: PathBuf) -> Result<Self, RecoveryError> {
        let folder = match std::path::absolute(&dir) {
            Ok(folder) => folder,
            Err(cause) => {
                return Err(RecoveryError::Folder { folder: dir, step: "finding the folder", cause });
            }
        };
        let failed = |step, cause| RecoveryError::Folder { folder: folder.clone(), step, cause };
        create_private(&folder).map_err(|cause| failed("creating the folder", cause))?;
        let (lock, lock_file) = tempfile::Builder::new()
            .prefix(SESSION_PREFIX)
            .suffix(LOCK_SUFFIX)
            .make_in(&folder, |name| {
                // Locked before it gets its name: no other process ever sees this session without its lock held.
                let hidden = atomic::temporary_in(&folder)?;
                hidden.as_file().try_lock()?;
                hidden.persist_noclobber(name).map_err(|refused| refused.error)
            })
            .and_then(|named| named.keep().map_err(|refused| refused.error))
            .map_err(|cause| failed("locking a file", cause))?;
        let Some(EntryKind::Lock { session }) = EntryKind::of(&lock_file) else {
            return Err(failed("naming the session", io::Error::other("the lock file has an unexpected name")));
        };
        Ok(Self { folder, session, _lock: lock, claimed: BTreeMap::new() })
    }

    /// Stores the snapshot, in place of the document's last one.
    ///
    /// # Errors
    /// [`RecoveryError::Encode`] or [`RecoveryError::Save`]; the last snapshot is then still there.
    pub fn write(&self, snapshot: &Snapshot) -> Result<(), RecoveryError> {
        let content =
            snapshot.encoded().map_err(|cause| RecoveryError::Encode { name: snapshot.name.clone(), cause })?;
        atomic::write(&self.snapshot_file(&snapshot.document_id), content.as_bytes())
            .map_err(|cause| RecoveryError::Save { name: snapshot.name.clone(), cause })
    }

    /// Deletes this process's snapshot of a document, after the document was saved or closed. None is fine too.
    ///
    /// # Errors
    /// [`RecoveryError::Remove`].
    pub fn remove(&self, document_id: &str) -> Result<(), RecoveryError> {
        remove_file(&self.snapshot_file(document_id))
    }

    /// Claims and lists the snapshots of dead processes: documents first, the newest at the top, then unreadable files.
    ///
    /// No other process offers a listed snapshot until this store is dropped. It stays in the folder until
    /// [`RecoveryStore::discard`], so that it is offered again if this process dies too.
    pub fn orphans(&mut self) -> Vec<Orphan> {
        let mut orphans = match self.claim_and_read() {
            Ok(orphans) => orphans,
            Err(cause) => vec![Orphan::Unreadable {
                file: self.folder.clone(),
                reason: format!("Cannot list the recovery folder ({cause}). Allow reading it, and start again."),
            }],
        };
        orphans.sort_by_key(|orphan| {
            let saved_at = match orphan {
                Orphan::Document { snapshot, .. } => Some(snapshot.saved_at_unix_seconds),
                Orphan::Unreadable { .. } => None,
            };
            (Reverse(saved_at), orphan.file().to_owned())
        });
        orphans
    }

    /// Deletes the file of an orphan that the user threw away, or whose text is now a snapshot or a file of this process.
    ///
    /// # Errors
    /// [`RecoveryError::NotOurs`] for a file this store did not claim, [`RecoveryError::Remove`].
    pub fn discard(&mut self, orphan: &Path) -> Result<(), RecoveryError> {
        remove_file(self.claimed(orphan)?)?;
        self.end_empty_claims()
    }

    /// Renames the file of an orphan whose text is no scenario of this version: it stays in the folder, and no store lists it again. Gives
    /// its new path.
    ///
    /// # Errors
    /// [`RecoveryError::NotOurs`] for a file this store did not claim, [`RecoveryError::SetAside`].
    pub fn set_aside(&mut self, orphan: &Path) -> Result<PathBuf, RecoveryError> {
        let file = self.claimed(orphan)?;
        // Names of sessions are random, so no earlier file has this name.
        let mut aside = file.as_os_str().to_owned();
        aside.push(SET_ASIDE_SUFFIX);
        let aside = PathBuf::from(aside);
        fs::rename(file, &aside).map_err(|cause| RecoveryError::SetAside { file: file.to_owned(), cause })?;
        self.end_empty_claims()?;
        Ok(aside)
    }

    /// Ends the session at a clean exit: deletes its snapshots and its lock. Orphans not yet discarded stay.
    ///
    /// # Errors
    /// [`RecoveryError::Folder`] or [`RecoveryError::Remove`]; what could not be deleted is offered at the next start.
    pub fn close(self) -> Result<(), RecoveryError> {
        let entries = self.entries().map_err(|cause| RecoveryError::Folder {
            folder: self.folder.clone(),
            step: "listing the folder",
            cause,
        })?;
        for entry in entries {
            if matches!(&entry.kind, Some(EntryKind::Snapshot { session }) if *session == self.session) {
                remove_file(&entry.file)?;
            }
        }
        remove_file(&self.lock_file(&self.session))
    }

    /// The file, if it is that of an orphan of this store.
    fn claimed<'a>(&self, file: &'a Path) -> Result<&'a Path, RecoveryError> {
        match EntryKind::of(file) {
            Some(EntryKind::Snapshot { session }) if self.claimed.contains_key(&session) => Ok(file),
            _ => Err(RecoveryError::NotOurs { file: file.to_owned() }),
        }
    }

    fn end_empty_claims(&mut self) -> Result<(), RecoveryError> {
        self.release_empty_claims().map_err(|cause| RecoveryError::Folder {
            folder: self.folder.clone(),
            step: "listing the folder",
            cause,
        })
    }

    fn claim_and_read(&mut self) -> io::Result<Vec<Orphan>> {
        let mut refused = BTreeMap::new();
        for session in self.entries()?.into_iter().filter_map(|entry| entry.kind).map(EntryKind::into_session) {
            if session == self.session || self.claimed.contains_key(&session) {
                continue;
            }
            match self.take_lock(&session) {
                Ok(lock) => {
                    self.claimed.insert(session, lock);
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(cause)) => {
                    refused.insert(session, cause.to_string());
                }
            }
        }
        // The folder is listed again under the locks: before, a session could still write or close.
        let mut orphans = Vec::new();
        for Entry { file, kind } in self.entries()? {
            match kind {
                None => orphans.push(Orphan::Unreadable {
                    file,
                    reason: "Crossover did not write this file. Move it to another folder.".into(),
                }),
                Some(EntryKind::Snapshot { session }) if self.claimed.contains_key(&session) => {
                    orphans.extend(read_snapshot(file));
                }
                Some(EntryKind::Snapshot { session }) => {
                    if let Some(cause) = refused.get(&session) {
                        orphans.push(Orphan::Unreadable {
                            file,
                            reason: format!(
                                "Cannot find out whether this document is open elsewhere ({cause}). \
                                Allow access to the files in this folder, and start again."
                            ),
                        });
                    }
                }
                Some(EntryKind::Lock { .. }) => {}
            }
        }
        self.release_empty_claims()?;
        Ok(orphans)
    }

    /// Takes the lock of another session; a deleted lock file is created again.
    fn take_lock(&self, session: &str) -> Result<File, TryLockError> {
        let lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.lock_file(session))
            .map_err(TryLockError::Error)?;
        lock.try_lock()?;
        Ok(lock)
    }

    /// Deletes the locks of claimed sessions without snapshots. Their processes are dead, so no snapshot can follow.
    fn release_empty_claims(&mut self) -> io::Result<()> {
        let with_snapshots: BTreeSet<String> = self
            .entries()?
            .into_iter()
            .filter_map(|entry| match entry.kind {
                Some(EntryKind::Snapshot { session }) => Some(session),
                _ => None,
            })
            .collect();
        let (kept, empty) =
            std::mem::take(&mut self.claimed).into_iter().partition(|(session, _)| with_snapshots.contains(session));
        self.claimed = kept;
        for (session, lock) in empty {
            // A lock file that cannot be deleted is empty litter; the next start tries again.
            if let Err(error) = remove_file(&self.lock_file(&session)) {
                log::debug!("{error}");
            }
            // Released only now: until the file is deleted no other process may take this lock.
            drop(lock);
        }
        Ok(())
    }

    /// Everything in the folder but the temporary files of saves, and snapshots that are set aside.
    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let file = entry.path();
            if atomic::is_temporary(&file) || is_set_aside(&file) {
                continue;
            }
            // Reading a pipe or a link to one would hang, so only plain files count as ours.
            let kind = if entry.file_type()?.is_file() { EntryKind::of(&file) } else { None };
            entries.push(Entry { file, kind });
        }
        Ok(entries)
    }

    fn snapshot_file(&self, document_id: &str) -> PathBuf {
        self.folder.join(format!("{}.{}{SNAPSHOT_SUFFIX}", self.session, file_name_of(document_id)))
    }

    fn lock_file(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}{LOCK_SUFFIX}"))
    }
}

fn remove_file(file: &Path) -> Result<(), RecoveryError> {
    match fs::remove_file(file) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(RecoveryError::Remove { file: file.to_owned(), cause })
        }
        _ => Ok(()),
    }
}

/// Documents of a user are readable for this user only.
fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests;
