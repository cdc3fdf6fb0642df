//! Which window has which file open, so that two windows do not save over each other unasked.
//!
//! A folder has one `window-XXXXXX.lock` for each running window, locked as long as its process lives, and one
//! `DIGEST.claim` for each open file: the digest is that of its path, the content is the name of the lock. A claim of a window
//! that has ended does not count.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crossover_files::digest::DigestWriter;
use crossover_files::{atomic, read};

const PREFIX: &str = "window-";
const LOCK: &str = ".lock";
const CLAIM: &str = "claim";
/// Longer than the name of a lock.
const LONGEST_NAME: u64 = 100;

/// The files that this window has open, and those of others.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    folder: PathBuf,
    /// Name of the lock of this window.
    window: String,
    /// Never read: holding it open holds the lock.
    _lock: File,
}

impl OpenFiles {
    /// A window that has no file open yet. What windows that have ended left in the folder is deleted.
    ///
    /// # Errors
    /// The folder cannot be written to, or its file system has no locks.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        remove_ended(folder)?;
        let (lock, path) = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(LOCK)
            .make_in(folder, |name| {
                // Locked before it gets its name: no other window takes it for one that has ended.
                let hidden = atomic::temporary_in(folder)?;
                hidden.as_file().try_lock()?;
                hidden.persist_noclobber(name).map_err(|refused| refused.error)
            })
            .and_then(|named| named.keep().map_err(|refused| refused.error))?;
        let window = path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
        Ok(Self { folder: folder.to_owned(), window, _lock: lock })
    }

    /// Claims a file, unless another window has it; whether none has.
    #[must_use]
    pub(crate) fn claim(&self, file: &Path) -> bool {
        let is_free = !self.is_elsewhere(file);
        if is_free {
            self.take_over(file);
        }
        is_free
    }

    /// Claims a file, also from another window. Where that cannot be noted, as on a full disk, other windows do not know it.
    pub(crate) fn take_over(&self, file: &Path) {
        if let Err(problem) = atomic::write(&self.claim_file(file), self.window.as_bytes()) {
            log::warn!("other windows do not see that {} is open here: {problem}", file.display());
        }
    }

    /// Whether another window that is open has claimed a file.
    #[must_use]
    pub(crate) fn is_elsewhere(&self, file: &Path) -> bool {
        owner(&self.claim_file(file)).is_some_and(|owner| owner != self.window && is_open(&self.folder.join(owner)))
    }

    /// Whether no other window is open.
    #[must_use]
    pub(crate) fn is_only_window(&self) -> bool {
        let is_other = |path: &Path| {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            is_lock(name) && name != self.window && is_open(path)
        };
        fs::read_dir(&self.folder).map_or(true, |entries| !entries.flatten().any(|entry| is_other(&entry.path())))
    }

    /// Gives a file back.
    pub(crate) fn release(&self, file: &Path) {
        let claim = self.claim_file(file);
        if owner(&claim).is_some_and(|owner| owner == self.window) {
            // What stays does not count after the end of this window.
            drop(fs::remove_file(claim));
        }
    }

    fn claim_file(&self, file: &Path) -> PathBuf {
        let mut digest = DigestWriter::default();
        // Writing to a digest cannot fail.
        _ = digest.write_all(file.as_os_str().as_encoded_bytes());
        self.folder.join(digest.finish()).with_extension(CLAIM)
    }
}

impl Drop for OpenFiles {
    fn drop(&mut self) {
        // Else the next window deletes it.
        drop(fs::remove_file(self.folder.join(&self.window)));
    }
}

/// The lock that a claim names.
fn owner(claim: &Path) -> Option<String> {
    read::text(claim, LONGEST_NAME).ok().filter(|name| is_lock(name))
}

fn is_lock(name: &str) -> bool {
    let id = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(LOCK));
    id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether the window of a lock is open.
fn is_open(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Deletes locks and claims of windows that have ended.
fn remove_ended(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_claim = path.extension().is_some_and(|extension| extension == CLAIM);
        let lock = if is_claim { owner(&path).map(|owner| folder.join(owner)) } else { Some(path.clone()) };
        if (is_claim || is_lock(name)) && lock.is_none_or(|lock| !is_open(&lock)) {
            // Another window may have deleted it meanwhile.
            drop(fs::remove_file(&path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_window_that_opened_it_first_or_took_it_over() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = [(), ()].map(|()| OpenFiles::start(folder.path()).unwrap());
        let file = Path::new("/nowhere/study.ron");
        assert!(one.claim(file) && one.claim(file));
        assert!(!other.claim(file) && other.is_elsewhere(file) && !one.is_elsewhere(file));
        assert!(!one.is_only_window() && !other.is_only_window());
        assert!(other.claim(Path::new("/nowhere/else.ron")), "another file");
        other.take_over(file);
        assert!(one.is_elsewhere(file) && !other.is_elsewhere(file));
        one.release(file);
        assert!(one.is_elsewhere(file), "only its window gives it back");
        other.release(file);
        assert!(one.claim(file));
    }

    #[test]
    fn a_claim_ends_with_its_window_and_is_deleted_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let file = Path::new("/nowhere/study.ron");
        let one = OpenFiles::start(folder.path()).unwrap();
        assert!(one.claim(file) && one.is_only_window());
        drop(one);
        // Of a window that was killed.
        fs::write(folder.path().join("window-killed.lock"), "").unwrap();
        fs::write(folder.path().join("foreign.txt"), "").unwrap();
        let next = OpenFiles::start(folder.path()).unwrap();
        assert!(!next.is_elsewhere(file));
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["foreign.txt".into(), std::ffi::OsString::from(&next.window)]);
        assert!(next.claim(file));
    }

    #[test]
    fn a_damaged_claim_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let window = OpenFiles::start(folder.path()).unwrap();
        let file = Path::new("/nowhere/study.ron");
        for text in ["", "../../etc/passwd", "window-/x.lock", "window-gone.lock", "\0"] {
            fs::write(window.claim_file(file), text).unwrap();
            assert!(!window.is_elsewhere(file), "{text:?}");
            assert!(window.claim(file));
        }
    }
}
