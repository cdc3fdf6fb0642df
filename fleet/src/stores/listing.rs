//! Names, sizes and dates of all objects below a prefix, as folders.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crossover_plan::store::{Entry, Sort};

/// One object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    /// Its name in the bucket.
    pub(super) key: String,
    pub(super) bytes: u64,
    /// Nanoseconds since 1970.
    pub(super) modified_ns: u64,
    /// Its entity tag.
    pub(super) tag: Option<String>,
}

/// All objects below a prefix.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// By key.
    objects: Vec<Object>,
    /// Invalid names: with an empty part, `.` or `..`, or control characters.
    invalid: Vec<String>,
}

impl Listing {
    /// Of objects in any order.
    pub(super) fn new(mut objects: Vec<Object>, invalid: Vec<String>) -> Self {
        objects.sort();
        objects.dedup_by(|a, b| a.key == b.key);
        Self { objects, invalid }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.invalid.is_empty()
    }

    /// Entries of the invalid names, below the bucket.
    pub(super) fn invalid(&self, bucket: &str) -> Vec<Entry> {
        let entry = |key: &String| Entry {
            path: PathBuf::from(format!("{bucket}/{key}")),
            sort: Sort::Other,
            is_link: false,
            bytes: None,
            modified_ns: 0,
            tag: None,
        };
        self.invalid.iter().map(entry).collect()
    }

    /// The entries in the folder of this key: objects, and one folder for each common prefix. `folder` is its path.
    pub(super) fn entries(&self, folder: &str, key: &str) -> Vec<Entry> {
        let prefix = if key.is_empty() { String::new() } else { format!("{key}/") };
        let mut entries: Vec<Entry> = Vec::new();
        let mut at = self.objects.partition_point(|object| object.key.as_str() < prefix.as_str());
        while let Some(object) = self.objects.get(at)
            && let Some(rest) = object.key.strip_prefix(&prefix)
        {
            let name = rest.split('/').next().unwrap_or_default();
            let is_folder = name.len() < rest.len();
            let path = PathBuf::from(format!("{folder}/{name}"));
            entries.push(Entry {
                path,
                sort: if is_folder { Sort::Folder } else { Sort::File },
                is_link: false,
                bytes: (!is_folder).then_some(object.bytes),
                modified_ns: if is_folder { 0 } else { object.modified_ns },
                tag: if is_folder { None } else { object.tag.clone() },
            });
            at += if is_folder {
                let inside = format!("{prefix}{name}/");
                self.objects[at..].partition_point(|object| object.key.starts_with(&inside))
            } else {
                1
            };
        }
        // The marker of a folder is an object of no bytes with its name.
        let folders: BTreeSet<PathBuf> =
            entries.iter().filter(|entry| entry.sort == Sort::Folder).map(|entry| entry.path.clone()).collect();
        entries.retain(|entry| entry.bytes != Some(0) || !folders.contains(&entry.path));
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(keys: &[&str]) -> Listing {
        let object = |key: &&str| Object {
            key: (*key).to_owned(),
            bytes: if key.ends_with('0') { 0 } else { 7 },
            modified_ns: 5,
            tag: None,
        };
        Listing::new(keys.iter().map(object).collect(), Vec::new())
    }

    fn names(entries: &[Entry]) -> Vec<String> {
        let name =
            |entry: &Entry| format!("{}{}", entry.path.display(), if entry.sort == Sort::Folder { "/" } else { "" });
        entries.iter().map(name).collect()
    }

    #[test]
    fn folders_are_what_names_have_in_common() {
        let listing = listing(&["logs/b/2", "logs/a", "logs/b/1", "logs/b-1", "logsx", "logs/c/d/e"]);
        assert_eq!(
            names(&listing.entries("s3://x/logs", "logs")),
            ["s3://x/logs/a", "s3://x/logs/b-1", "s3://x/logs/b/", "s3://x/logs/c/"]
        );
        assert_eq!(names(&listing.entries("s3://x", "")), ["s3://x/logs/", "s3://x/logsx"]);
        assert_eq!(names(&listing.entries("s3://x/logs/b", "logs/b")), ["s3://x/logs/b/1", "s3://x/logs/b/2"]);
        assert!(listing.entries("s3://x/no", "no").is_empty());
    }

    #[test]
    fn the_marker_of_a_folder_is_no_file_of_its_own() {
        let listing = listing(&["logs/day0", "logs/day0-1", "logs/day0/a"]);
        assert_eq!(names(&listing.entries("s3://x/logs", "logs")), ["s3://x/logs/day0-1", "s3://x/logs/day0/"]);
    }
}
