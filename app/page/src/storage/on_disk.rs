//! The file that a path leads to, and its version on the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The state of a file. Reading it can be slow on a network drive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnDisk {
    /// The absolute path that the user used.
    pub path: PathBuf,
    /// Where the path leads, so that two names of one file compare equal.
    pub identity: PathBuf,
    /// None if there was no file, or if its content is unknown.
    pub version: Option<Version>,
}

/// Changes with each write to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl OnDisk {
    /// Reads the state of the file that a path leads to.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let path = absolute(path);
        let version =
            fs::metadata(&path).ok().map(|found| Version { modified: found.modified().ok(), bytes: found.len() });
        Self { identity: identity(&path), version, path }
    }
}

/// The absolute path: another window or program may be started in another folder.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    // Fails only for an empty path or a deleted working folder; then the given path is used.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Where a path leads. A file that does not exist yet is identified by its folder and name.
fn identity(path: &Path) -> PathBuf {
    let in_folder = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_of_one_file_have_one_identity() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        let (plain, roundabout) = (folder.path().join("a.ron"), folder.path().join("inner/../a.ron"));
        for exists in [false, true] {
            if exists {
                fs::write(&plain, "").unwrap();
            }
            let (one, other) = (OnDisk::at(&plain), OnDisk::at(&roundabout));
            assert_eq!(one.identity, other.identity, "exists: {exists}");
            assert_eq!((one.version.is_some(), other.path), (exists, roundabout.clone()));
        }
    }

    #[test]
    fn a_written_file_has_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ron");
        fs::write(&file, "old").unwrap();
        let before = OnDisk::at(&file);
        assert_eq!(OnDisk::at(&file), before);
        fs::write(&file, "longer").unwrap();
        assert_ne!(OnDisk::at(&file).version, before.version);
    }
}
