//! Finds the logs below some folders: single files, rolling logs, folders of Databricks. Everything else is left
//! out with a reason.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crossover_plan::spark::Source;
use crossover_plan::store::{Entry, Sort, Store};

use crate::found::{Found, LeftOut, Log, Stamp, text};
use crate::{base, ledger, names, tables};

/// Most entries of folders that are read.
const MOST_ENTRIES: usize = 2_000_000;
/// Deepest nesting of folders.
const DEEPEST: usize = 64;
/// Prefixes of names that are not logs: hidden files, markers, and Spark's status file of a rolling log.
const NO_LOGS: [&str; 3] = [".", "_", STATUS];
/// Beginning of the name of the marker beside a rolling log.
const STATUS: &str = "appstatus_";
/// Suffix of a log, or of its status file, while Spark writes it.
const IN_PROGRESS: &str = ".inprogress";

/// Finds the logs at or below these paths. A log that is named twice is found once.
///
/// Links below a path are not followed. `out` is the folder of results: it is skipped below a path; if it is a path itself,
/// the files of runs in it are skipped.
#[must_use]
pub fn find(store: &dyn Store, roots: &[PathBuf], out: &Path) -> Found {
    // Before the first run it may be missing.
    let out = fs::canonicalize(out).ok();
    let mut walk = Walk { store, out, found: Found::default(), entries: 0 };
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    for root in roots {
        // The same path may be spelled in two ways.
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

/// A walk through folders, with its results so far.
struct Walk<'a> {
    store: &'a dyn Store,
    /// The folder of results, behind all links.
    out: Option<PathBuf>,
    found: Found,
    entries: usize,
}

impl Walk<'_> {
    /// Follows a path that the user named, even if it is a link.
    fn root(&mut self, root: &Path) {
        match self.store.entry(root) {
            Ok(there) if there.sort == Sort::Folder => self.folders(root),
            Ok(there) if there.sort == Sort::File => self.log(root, Source::of_file(there), is_in_progress(root)),
            Ok(_) => self.leave_out(root, "neither a file nor a folder".to_owned()),
            // A missing path may be a share that is not mounted now.
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
                let why = format!("more than {MOST_ENTRIES} files and folders; name its subfolders as separate paths");
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
                    // A compacted file replaces other parts, which are not logs of their own.
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
                        self.unlisted(&entry.path, format!("nested more than {DEEPEST} folders deep"));
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
            self.leave_out(&file.path, "a hidden file or a marker file".to_owned());
        } else if file.bytes == Some(0) {
            self.leave_out(&file.path, "an empty file".to_owned());
        } else {
            let path = file.path.clone();
            self.log(&path, Source::of_file(file), is_in_progress(&path));
        }
    }

    /// Whether an entry is in its folder; leaves out a link to a path outside.
    fn is_inside(&mut self, folder: &Path, inside: &Path, entry: &Entry) -> bool {
        let mut below = entry.path.strip_prefix(folder).unwrap_or(Path::new("")).components();
        if !matches!((below.next(), below.next()), (Some(Component::Normal(_)), None)) {
            self.leave_out(&entry.path, "its name leads out of its folder, or has an empty part".to_owned());
            return false;
        }
        if !entry.is_link {
            return true;
        }
        match self.store.real(&entry.path) {
            // It is found at its target.
            Ok(real) if real.starts_with(inside) => {}
            Ok(real) => {
                let why = format!("a link out of the folder, to {}; name that path to read it", text(&real));
                self.leave_out(&entry.path, why);
            }
            Err(error) => self.leave_out(&entry.path, format!("a broken link ({error})")),
        }
        false
    }

    /// The files that runs write into the folder of results.
    fn results(&self, out: &Path) -> BTreeSet<PathBuf> {
        let names = [ledger::NAME, base::NAME, names::RAPIDS].map(|name| out.join(name));
        let of_job = out.join(base::NAME_OF_JOB);
        // A folder of this name may also have logs.
        let job = of_job.parent().filter(|_| self.store.entry(&of_job).is_ok()).map(Path::to_owned);
        tables::files(out).chain(names).chain(job).collect()
    }

    fn log(&mut self, path: &Path, source: Source, is_in_progress: bool) {
        let stamp = Stamp::of(&source);
        self.found.logs.push(Log { key: text(path), path: path.to_owned(), source, stamp, is_in_progress });
    }

    /// Leaves out a path that cannot be listed now.
    fn unlisted(&mut self, path: &Path, why: String) {
        self.found.unlisted.push(LeftOut { path: text(path), reason: why.clone() });
        self.leave_out(path, why);
    }

    fn leave_out(&mut self, path: &Path, why: String) {
        self.found.left_out.push(LeftOut { path: text(path), reason: why });
    }
}

/// Whether a file has the name of a part of a rolling log.
fn is_part(entry: &Entry) -> bool {
    begins(entry, "events_")
}

/// Whether a file has the name of the status file of a rolling log.
fn is_status(entry: &Entry) -> bool {
    begins(entry, STATUS)
}

/// Whether the name of a file begins with `start`.
fn begins(entry: &Entry, start: &str) -> bool {
    let name = entry.path.file_name().map(OsStr::as_encoded_bytes);
    entry.sort == Sort::File && name.is_some_and(|name| name.starts_with(start.as_bytes()))
}

/// Whether Spark still writes the log of this name.
fn is_in_progress(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(IN_PROGRESS.as_bytes())
}
