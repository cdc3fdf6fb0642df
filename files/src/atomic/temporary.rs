//! The temporary files of saving: how they are named, created and locked, and deleted after a kill.

use std::ffi::OsStr;
use std::fs::{self, Metadata, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

/// A temporary file is `.crossover-save-XXXXXX.tmp`: hidden, and recognisable after a kill.
const TEMPORARY_PREFIX: &str = ".crossover-save-";
const TEMPORARY_SUFFIX: &str = ".tmp";
const TEMPORARY_RANDOM_CHARACTERS: usize = 6;

/// A temporary file is locked as long as its process lives, but for a moment after it was made. An older one without a lock
/// has no owner any more.
const LEFTOVER_AGE: Duration = Duration::from_secs(5);
/// The same where the file system has no locks: no save takes this long.
const UNLOCKED_LEFTOVER_AGE: Duration = Duration::from_hours(1);

/// Whether `path` is named like a temporary file of [`write()`](super::write()), that is, no document of the user's.
#[must_use]
pub fn is_temporary(path: &Path) -> bool {
    path.file_name()
        .and_then(OsStr::to_str)
        .and_then(|name| name.strip_prefix(TEMPORARY_PREFIX))
        .and_then(|name| name.strip_suffix(TEMPORARY_SUFFIX))
        .is_some_and(|random| {
            random.len() == TEMPORARY_RANDOM_CHARACTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// Creates a hidden file that is deleted again unless it is given its final name. On Unix it is locked while this process has it
/// open.
///
/// # Errors
/// The error of the operating system.
pub fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    // Opened here and not by tempfile, which would hide the file from other users whatever the umask is.
    let file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .suffix(TEMPORARY_SUFFIX)
        .rand_bytes(TEMPORARY_RANDOM_CHARACTERS)
        .make_in(folder, |name| OpenOptions::new().read(true).write(true).create_new(true).open(name))?;
    // Windows has no second lock of the same file for callers that take one themselves.
    if cfg!(unix)
        && let Err(cause) = file.as_file().try_lock()
    {
        // Other processes then wait an hour before they take it for a leftover.
        log::debug!("{} cannot be locked: {cause}", file.path().display());
    }
    Ok(file)
}

/// Deletes the temporary files that killed processes of this user left in a folder. Failing costs only tidiness: it is logged,
/// not reported.
pub fn remove_leftovers(folder: &Path) {
    let now = SystemTime::now();
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.path())) {
        let age = entry.metadata().ok().filter(Metadata::is_file).and_then(|metadata| {
            let modified = metadata.modified().ok()?;
            now.duration_since(modified).ok()
        });
        if age.is_some_and(|age| is_leftover(&entry.path(), age))
            && let Err(cause) = fs::remove_file(entry.path())
        {
            log::debug!("the leftover {} stays: {cause}", entry.path().display());
        }
    }
}

/// Whether no process has a temporary file of this age any more.
fn is_leftover(path: &Path, age: Duration) -> bool {
    if age <= LEFTOVER_AGE {
        return false;
    }
    if cfg!(not(unix)) {
        return age > UNLOCKED_LEFTOVER_AGE;
    }
    // Writing is allowed for its owner only; some file systems have exclusive locks only of files that are open for it.
    let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => age > UNLOCKED_LEFTOVER_AGE,
    }
}
