//! The documents opened or saved last, for the menu "Open recent".

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use crossover_page::storage::on_disk::OnDisk;
use serde::{Deserialize, Serialize};

/// As many as a menu shows without scrolling.
const MAX_FILES: usize = 12;

/// At most twelve files, the newest first, none of them twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "VecDeque<PathBuf>", into = "Vec<String>")]
pub struct RecentFiles {
    files: VecDeque<Entry>,
}

/// A file of the list. After a restart its identity is its path until the disk is read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    path: PathBuf,
    identity: PathBuf,
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
    /// Puts a file first. Another name of the same file, for example a symbolic link, gives way to it.
    pub fn push(&mut self, file: &OnDisk) {
        self.put(Entry { path: file.path.clone(), identity: file.identity.clone() });
    }

    /// The files, newest first, each checked on the disk: call it in a job, not in a frame.
    #[must_use]
    pub fn entries(&self) -> Vec<RecentFile> {
        let mut seen = BTreeSet::new();
        let looked_at = self.files.iter().map(|known| OnDisk::at(&known.path));
        looked_at
            .filter(|file| seen.insert(file.identity.clone()))
            .map(|file| RecentFile { is_missing: !file.path.is_file(), path: file.path })
            .collect()
    }

    /// The folders of the files.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter_map(|known| known.path.parent())
    }

    fn put(&mut self, file: Entry) {
        self.files.retain(|known| known.identity != file.identity && known.path != file.path);
        self.files.push_front(file);
        self.files.truncate(MAX_FILES);
    }
}

/// The stored list may have been edited by hand, so duplicates and surplus entries are removed here.
impl From<VecDeque<PathBuf>> for RecentFiles {
    fn from(stored: VecDeque<PathBuf>) -> Self {
        let mut recent = Self::default();
        for path in stored.into_iter().take(MAX_FILES).rev() {
            recent.put(Entry { identity: path.clone(), path });
        }
        recent
    }
}

/// Serde refuses a list with a path that is not UTF-8; leaving that one out keeps the others.
impl From<RecentFiles> for Vec<String> {
    fn from(recent: RecentFiles) -> Self {
        recent.files.into_iter().filter_map(|known| known.path.into_os_string().into_string().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn paths(recent: &RecentFiles) -> Vec<PathBuf> {
        recent.entries().into_iter().map(|entry| entry.path).collect()
    }

    #[test]
    fn the_newest_of_at_most_twelve_files_comes_first() {
        let mut recent = RecentFiles::default();
        for number in 0..20 {
            recent.push(&OnDisk::at(Path::new(&format!("/nowhere/{number}.ron"))));
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
        recent.push(&OnDisk::at(&file));
        recent.push(&OnDisk::at(Path::new("/nowhere/other.ron")));
        recent.push(&OnDisk::at(&roundabout));
        assert_eq!(paths(&recent), [roundabout, "/nowhere/other.ron".into()]);

        recent.push(&OnDisk::at(Path::new("/nowhere/other.ron")));
        recent.push(&OnDisk::at(&file));
        assert_eq!(paths(&recent), [file, "/nowhere/other.ron".into()]);
    }

    #[test]
    fn a_missing_file_is_marked_but_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("study.ron");
        fs::write(&file, "").unwrap();
        let mut recent = RecentFiles::default();
        recent.push(&OnDisk::at(&file));
        assert!(!recent.entries()[0].is_missing);

        fs::remove_file(&file).unwrap();
        assert_eq!(recent.entries(), [RecentFile { path: file.clone(), is_missing: true }]);

        fs::write(&file, "").unwrap();
        assert!(!recent.entries()[0].is_missing);
    }

    #[test]
    fn a_relative_path_is_remembered_from_the_root() {
        let mut recent = RecentFiles::default();
        recent.push(&OnDisk::at(Path::new("study.ron")));
        assert_eq!(paths(&recent), [std::env::current_dir().unwrap().join("study.ron")]);
    }

    #[test]
    fn the_list_survives_a_restart() {
        let mut recent = RecentFiles::default();
        recent.push(&OnDisk::at(Path::new("/nowhere/a.ron")));
        recent.push(&OnDisk::at(Path::new("/nowhere/größe \"b\".ron")));
        let stored = ron::to_string(&recent).unwrap();
        assert_eq!(ron::from_str::<RecentFiles>(&stored).unwrap(), recent);
    }

    #[test]
    #[cfg(unix)]
    fn two_names_of_one_file_are_one_entry_after_a_restart_too() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("study.ron"), folder.path().join("link.ron"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let mut recent = RecentFiles::default();
        recent.push(&OnDisk::at(&file));
        let mut recent: RecentFiles = ron::from_str(&ron::to_string(&recent).unwrap()).unwrap();
        recent.push(&OnDisk::at(&link));
        assert_eq!(paths(&recent), [link]);
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
        recent.push(&OnDisk::at(Path::new("/nowhere/a.ron")));
        recent.push(&OnDisk::at(Path::new(std::ffi::OsStr::from_bytes(b"/nowhere/\xff.ron"))));
        let stored: RecentFiles = ron::from_str(&ron::to_string(&recent).unwrap()).unwrap();
        assert_eq!(paths(&stored), [PathBuf::from("/nowhere/a.ron")]);
    }
}
