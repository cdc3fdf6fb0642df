//! The documents opened or saved last, for the menu "Open recent".

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// As many as a menu shows without scrolling.
const MAX_FILES: usize = 12;

/// At most twelve files, the newest first, none of them twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "VecDeque<PathBuf>", into = "Vec<String>")]
pub struct RecentFiles {
    files: VecDeque<PathBuf>,
}

/// One line of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFile {
    /// The absolute path under which the user opened or saved the file.
    pub path: PathBuf,
    /// Shown greyed out: the file may come back, for example with its network drive.
    pub is_missing: bool,
}

impl RecentFiles {
    /// Puts `path` first. Another name of the same file, for example a symbolic link, gives way to it.
    pub fn push(&mut self, path: &Path) {
        let path = absolute(path);
        let identity = identity(&path);
        self.files.retain(|known| self::identity(known) != identity);
        self.files.push_front(path);
        self.files.truncate(MAX_FILES);
    }

    /// The files, newest first, with a look at the disk for each: call it when the menu opens, not in every frame.
    #[must_use]
    pub fn entries(&self) -> Vec<RecentFile> {
        self.files.iter().map(|path| RecentFile { path: path.clone(), is_missing: !path.is_file() }).collect()
    }
}

/// The stored list may have been edited by hand, so the promises of the type are made good here.
impl From<VecDeque<PathBuf>> for RecentFiles {
    fn from(stored: VecDeque<PathBuf>) -> Self {
        let mut recent = Self::default();
        for path in stored.iter().take(MAX_FILES).rev() {
            recent.push(path);
        }
        recent
    }
}

/// Serde refuses a list with a path that is not UTF-8; leaving that one out keeps the others.
impl From<RecentFiles> for Vec<String> {
    fn from(recent: RecentFiles) -> Self {
        recent.files.into_iter().filter_map(|path| path.into_os_string().into_string().ok()).collect()
    }
}

fn absolute(path: &Path) -> PathBuf {
    // Fails only for an empty path or a deleted working folder; the path as given is then all that is known.
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// What makes two paths the same file: where they lead if the file exists, else their text.
fn identity(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(recent: &RecentFiles) -> Vec<PathBuf> {
        recent.entries().into_iter().map(|entry| entry.path).collect()
    }

    #[test]
    fn the_newest_of_at_most_twelve_files_comes_first() {
        let mut recent = RecentFiles::default();
        for number in 0..20 {
            recent.push(&PathBuf::from(format!("/nowhere/{number}.ron")));
        }
        let expected: Vec<PathBuf> = (8..20).rev().map(|number| format!("/nowhere/{number}.ron").into()).collect();
        assert_eq!(paths(&recent), expected);
    }

    #[test]
    fn the_same_file_is_listed_once_under_its_latest_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("study.ron");
        fs::create_dir(folder.path().join("inner")).unwrap();
        fs::write(&file, "").unwrap();
        let roundabout = folder.path().join("inner/../study.ron");

        let mut recent = RecentFiles::default();
        recent.push(&file);
        recent.push(Path::new("/nowhere/other.ron"));
        recent.push(&roundabout);
        assert_eq!(paths(&recent), [roundabout, "/nowhere/other.ron".into()]);

        recent.push(Path::new("/nowhere/other.ron"));
        recent.push(&file);
        assert_eq!(paths(&recent), [file, "/nowhere/other.ron".into()]);
    }

    #[test]
    fn a_missing_file_is_marked_but_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("study.ron");
        fs::write(&file, "").unwrap();
        let mut recent = RecentFiles::default();
        recent.push(&file);
        assert!(!recent.entries()[0].is_missing);

        fs::remove_file(&file).unwrap();
        assert_eq!(recent.entries(), [RecentFile { path: file.clone(), is_missing: true }]);

        fs::write(&file, "").unwrap();
        assert!(!recent.entries()[0].is_missing);
    }

    #[test]
    fn a_relative_path_is_remembered_from_the_root() {
        let mut recent = RecentFiles::default();
        recent.push(Path::new("study.ron"));
        assert_eq!(paths(&recent), [std::env::current_dir().unwrap().join("study.ron")]);
    }

    #[test]
    fn the_list_survives_a_restart() {
        let mut recent = RecentFiles::default();
        recent.push(Path::new("/nowhere/a.ron"));
        recent.push(Path::new("/nowhere/größe \"b\".ron"));
        let stored = ron::to_string(&recent).unwrap();
        assert_eq!(ron::from_str::<RecentFiles>(&stored).unwrap(), recent);
    }

    #[test]
    fn a_list_edited_by_hand_is_cut_and_freed_of_duplicates() {
        let stored = r#"["/nowhere/a", "/nowhere/b", "/nowhere/a"]"#;
        let recent: RecentFiles = ron::from_str(stored).unwrap();
        assert_eq!(paths(&recent), [PathBuf::from("/nowhere/a"), "/nowhere/b".into()]);

        let many: Vec<String> = (0..50).map(|number| format!("/nowhere/{number}")).collect();
        let recent: RecentFiles = ron::from_str(&ron::to_string(&many).unwrap()).unwrap();
        assert_eq!(paths(&recent), many[..12].iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf8_does_not_cost_the_others() {
        use std::os::unix::ffi::OsStrExt;
        let mut recent = RecentFiles::default();
        recent.push(Path::new("/nowhere/a.ron"));
        recent.push(Path::new(std::ffi::OsStr::from_bytes(b"/nowhere/\xff.ron")));
        let stored: RecentFiles = ron::from_str(&ron::to_string(&recent).unwrap()).unwrap();
        assert_eq!(paths(&stored), [PathBuf::from("/nowhere/a.ron")]);
    }
}
