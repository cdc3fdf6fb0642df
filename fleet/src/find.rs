//! Finds the logs below some folders: single files, rolling logs, folders of Databricks. Everything else is left out
//! with a reason.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crossover_plan::spark::Source;
use crossover_plan::store::{Entry, Sort, Store};

use crate::found::{Found, LeftOut, Log, Stamp, text};
use crate::{base, ledger, names, tables};

/// Most entries of folders that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// Most folders below each other.
const DEEPEST: usize = 64;
/// Beginnings of names that are no logs: hidden files, markers, and what Spark writes beside a rolling log.
const NO_LOGS: [&str; 3] = [".", "_", STATUS];
/// Beginning of the name of the marker beside a rolling log.
const STATUS: &str = "appstatus_";
/// What names of logs, and of those markers, end in while Spark writes the log.
const IN_PROGRESS: &str = ".inprogress";

/// Finds the logs at or below these paths. The same log named twice is there once.
///
/// Links are not followed below a path: what lies below it is found there, and nothing else is read. `out` is the folder of
/// results: where it lies below a path it is passed over, and where it is one of the paths, what runs write there is.
#[must_use]
pub fn find(store: &dyn Store, roots: &[PathBuf], out: &Path) -> Found {
    // Before the first run there may be none.
    let out = fs::canonicalize(out).ok();
    let mut walk = Walk { store, out, found: Found::default(), entries: 0 };
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
    /// The folder of results, behind all links.
    out: Option<PathBuf>,
    found: Found,
    entries: usize,
}

impl Walk<'_> {
    /// What the user named is followed, even if it is a link.
    fn root(&mut self, root: &Path) {
        match self.store.entry(root) {
            Ok(there) if there.sort == Sort::Folder => self.folders(root),
            Ok(there) if there.sort == Sort::File => self.log(root, Source::of_file(there), is_in_progress(root)),
            Ok(_) => self.leave_out(root, "neither a file nor a folder".to_owned()),
            // What is missing may be a share that is not there now.
            Err(error) => self.unlisted(root, error.to_string()),
        }
    }

    fn folders(&mut self, root: &Path) {
        let inside = self.store.real(root).unwrap_or_else(|_| root.to_owned());
        let out = self.out.as_deref().and_then(|out| out.strip_prefix(&inside).ok()).map(|below| root.join(below));
        let results = out.as_deref().filter(|out| *out == root).map(|out| self.results(out)).unwrap_or_default();
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
            entries.retain(|entry| out.as_ref() != Some(&entry.path) && !results.contains(&entry.path));
            entries.retain(|entry| self.is_inside(&folder, &inside, entry));
            let is_in_progress = entries.iter().any(|entry| is_status(entry) && is_in_progress(&entry.path));
            let mut parts: BTreeSet<PathBuf> = BTreeSet::new();
            match Source::of_folder(&folder, &entries) {
                Ok(None) => {}
                Ok(Some(source)) => {
                    parts.extend(source.parts.iter().map(|part| part.path.clone()));
                    // A compacted file stands for others, which are no logs of their own.
                    parts.extend(entries.iter().filter(|entry| is_part(entry)).map(|entry| entry.path.clone()));
                    self.log(&folder, source, is_in_progress);
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
            self.log(&path, Source::of_file(file), is_in_progress(&path));
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

    /// What runs write into the folder of results.
    fn results(&self, out: &Path) -> BTreeSet<PathBuf> {
        let names = [ledger::NAME, base::NAME, names::RAPIDS].map(|name| out.join(name));
        let of_job = out.join(base::NAME_OF_JOB);
        // A folder of this name may be one of logs as well.
        let job = of_job.parent().filter(|_| self.store.entry(&of_job).is_ok()).map(Path::to_owned);
        tables::files(out).chain(names).chain(job).collect()
    }

    fn log(&mut self, path: &Path, source: Source, is_in_progress: bool) {
        let stamp = Stamp::of(&source);
        self.found.logs.push(Log { key: text(path), path: path.to_owned(), source, stamp, is_in_progress });
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

/// Whether a file is called as a part of a rolling log is.
fn is_part(entry: &Entry) -> bool {
    begins(entry, "events_")
}

/// Whether a file is called as the marker beside a rolling log is.
fn is_status(entry: &Entry) -> bool {
    begins(entry, STATUS)
}

/// Whether the name of a file begins so.
fn begins(entry: &Entry, start: &str) -> bool {
    let name = entry.path.file_name().map(OsStr::as_encoded_bytes);
    entry.sort == Sort::File && name.is_some_and(|name| name.starts_with(start.as_bytes()))
}

/// Whether Spark still writes what has this name.
fn is_in_progress(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(IN_PROGRESS.as_bytes())
}
