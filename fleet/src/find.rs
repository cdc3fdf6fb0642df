//! Finds the logs below some folders: single files, rolling logs, folders of Databricks. Everything else is left out
//! with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf, is_separator};

use crossover_plan::spark::Source;
use crossover_plan::store::{Entry, Sort, Store};
use flate2::CrcWriter;

/// Most entries of folders that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// Most folders below each other.
const DEEPEST: usize = 64;
/// Beginnings of names that are no logs: hidden files, markers, and what Spark writes beside a rolling log.
const NO_LOGS: [&str; 3] = [".", "_", "appstatus_"];

/// One log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Its path as text, which no other log has.
    pub key: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its files.
    pub source: Source,
    /// What tells whether it was written since.
    pub stamp: Stamp,
}

/// What tells cheaply whether a log was written since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Size of all its files, bytes; 0 where nobody knows.
    pub bytes: u64,
    /// When the last of them was written, nanoseconds since 1970.
    pub modified_ns: u64,
    /// Check sum of names, sizes, times and tags of its files.
    pub files: u32,
}

/// Something that is not read, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    /// Its path.
    pub path: String,
    /// Why, as it follows the path.
    pub why: String,
}

/// What lies below some paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The logs, by key.
    pub logs: Vec<Log>,
    /// Everything else, by path.
    pub left_out: Vec<LeftOut>,
    /// Paths of `left_out` at or below which nobody knows what is there now, in any order.
    pub unlisted: Vec<LeftOut>,
}

/// Finds the logs at or below these paths. The same log named twice is there once.
///
/// Links are not followed below a path: what lies below it is found there, and nothing else is read.
#[must_use]
pub fn find(store: &dyn Store, roots: &[PathBuf]) -> Found {
    let mut walk = Walk { store, found: Found::default(), entries: 0 };
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for root in roots {
        // Another spelling of a path that was walked.
        if seen.insert(store.real(root).unwrap_or_else(|_| root.clone())) {
            walk.root(root);
        }
    }
    let Found { mut logs, mut left_out, unlisted } = walk.found;
    logs.sort_by(|a, b| a.key.cmp(&b.key));
    logs.dedup_by(|a, b| a.key == b.key);
    left_out.sort();
    left_out.dedup();
    Found { logs, left_out, unlisted }
}

/// What was found so far.
struct Walk<'a> {
    store: &'a dyn Store,
    found: Found,
    entries: usize,
}

impl Walk<'_> {
    /// What the user named is followed, even if it is a link.
    fn root(&mut self, root: &Path) {
        match self.store.entry(root) {
            Ok(there) if there.sort == Sort::Folder => self.folders(root),
            Ok(there) if there.sort == Sort::File => self.log(root, Source::of_file(there)),
            Ok(_) => self.leave_out(root, "neither a file nor a folder".to_owned()),
            // What is missing may be a share that is not there now.
            Err(error) => self.unlisted(root, error.to_string()),
        }
    }

    fn folders(&mut self, root: &Path) {
        let inside = self.store.real(root).unwrap_or_else(|_| root.to_owned());
        let mut waiting = vec![(root.to_owned(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let mut entries = match self.store.list(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.unlisted(&folder, error.to_string());
                    continue;
                }
            };
            self.entries += entries.len();
            if self.entries > MOST_ENTRIES {
                let why = format!("more than {MOST_ENTRIES} files and folders; name parts of it as paths of their own");
                return self.unlisted(root, why);
            }
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            entries.retain(|entry| self.is_inside(&folder, &inside, entry));
            let mut parts: BTreeSet<PathBuf> = BTreeSet::new();
            match Source::of_folder(&folder, &entries) {
                Ok(None) => {}
                Ok(Some(source)) => {
                    parts.extend(source.parts.iter().map(|part| part.path.clone()));
                    // A compacted file stands for others, which are no logs of their own.
                    parts.extend(entries.iter().filter(|entry| is_part(entry)).map(|entry| entry.path.clone()));
                    self.log(&folder, source);
                }
                Err(error) => {
                    let problem = error.to_string();
                    let why = problem.split_once(": ").map_or(problem.clone(), |(_, why)| why.to_owned());
                    self.leave_out(&folder, why);
                    parts.extend(entries.iter().filter(|entry| is_part(entry)).map(|entry| entry.path.clone()));
                }
            }
            for entry in entries.into_iter().filter(|entry| !parts.contains(&entry.path)) {
                match entry.sort {
                    Sort::Folder if depth == DEEPEST => {
                        self.unlisted(&entry.path, format!("more than {DEEPEST} folders below each other"));
                    }
                    Sort::Folder => waiting.push((entry.path, depth + 1)),
                    Sort::Other => self.leave_out(&entry.path, "neither a file nor a folder".to_owned()),
                    Sort::File => self.file(entry),
                }
            }
        }
    }

    fn file(&mut self, file: Entry) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NO_LOGS.iter().any(|start| name.starts_with(start)) {
            self.leave_out(&file.path, "its name is that of a hidden file or of a marker".to_owned());
        } else if file.bytes == Some(0) {
            self.leave_out(&file.path, "it is empty".to_owned());
        } else {
            let path = file.path.clone();
            self.log(&path, Source::of_file(file));
        }
    }

    /// Whether an entry lies in its folder; a link is named where it leads out of all that is read.
    fn is_inside(&mut self, folder: &Path, inside: &Path, entry: &Entry) -> bool {
        let mut below = entry.path.strip_prefix(folder).unwrap_or(Path::new("")).components();
        if !matches!((below.next(), below.next()), (Some(Component::Normal(_)), None)) {
            self.leave_out(&entry.path, "its name leads out of its folder, or has a part without a name".to_owned());
            return false;
        }
        if !entry.is_link {
            return true;
        }
        match self.store.real(&entry.path) {
            // It is found where it lies.
            Ok(real) if real.starts_with(inside) => {}
            Ok(real) => {
                let why = format!("a link out of the folder, to {}; name that path to read it", text(&real));
                self.leave_out(&entry.path, why);
            }
            Err(error) => self.leave_out(&entry.path, format!("a link that leads nowhere ({error})")),
        }
        false
    }

    fn log(&mut self, path: &Path, source: Source) {
        let stamp = Stamp::of(&source);
        self.found.logs.push(Log { key: text(path), path: path.to_owned(), source, stamp });
    }

    /// Leaves out a path of which nobody knows now what lies there.
    fn unlisted(&mut self, path: &Path, why: String) {
        self.found.unlisted.push(LeftOut { path: text(path), why: why.clone() });
        self.leave_out(path, why);
    }

    fn leave_out(&mut self, path: &Path, why: String) {
        self.found.left_out.push(LeftOut { path: text(path), why });
    }
}

impl Stamp {
    fn of(source: &Source) -> Self {
        let mut files = CrcWriter::new(std::io::sink());
        for part in &source.parts {
            let name = part.path.file_name().unwrap_or_default().as_encoded_bytes();
            let size = part.bytes.unwrap_or(0).to_le_bytes();
            let tag = part.tag.as_deref().unwrap_or_default().as_bytes();
            for bytes in [name, &[0], &size, &part.modified_ns.to_le_bytes(), tag] {
                // A sink takes everything.
                _ = files.write_all(bytes);
            }
        }
        Self {
            bytes: source.bytes().unwrap_or(0),
            modified_ns: source.parts.iter().map(|part| part.modified_ns).max().unwrap_or(0),
            files: files.crc().sum(),
        }
    }
}

/// Whether a file is called as a part of a rolling log is.
fn is_part(entry: &Entry) -> bool {
    entry.sort == Sort::File
        && entry.path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"events_"))
}

/// What of a map by path lies at or below a path.
pub(crate) fn below<'a, T>(map: &'a BTreeMap<String, T>, path: &'a str) -> impl Iterator<Item = (&'a String, &'a T)> {
    let path = path.trim_end_matches(is_separator);
    let begin_alike = map
        .range::<str, _>((Bound::Included(path), Bound::Unbounded))
        .take_while(move |(key, _)| key.starts_with(path));
    begin_alike.filter(move |(key, _)| key.len() == path.len() || key[path.len()..].starts_with(is_separator))
}

/// A path as text; bytes that are no text as `\xFF`, so that different paths stay different.
pub(crate) fn text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02X}"));
        }
    }
    text
}
