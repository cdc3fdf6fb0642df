//! Which files make up a log, and in what order they are read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crossover_quantity::text::counted;

use crate::error::ImportError;
use crate::store::{Entry, Sort, Store};

/// The files of one log, in the order of their events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// At least one file.
    pub parts: Vec<Entry>,
    /// Notes on missing parts.
    pub(super) notes: Vec<String>,
}

/// Expected content of a file, for messages.
pub(super) const EXPECTED: &str =
    "expected a Spark event log: lines of JSON that begin with {\"Event\":\"SparkListener…";
/// Expected content of a folder, for messages.
const FOLDER: &str = "expected a folder of a rolling log with files events_1_…, events_2_…, or a folder of Databricks \
                        with eventlog and eventlog-….gz; otherwise choose a single file";

impl Source {
    /// The files of the log at `path`: itself, or the parts in a folder of a rolling log or of Databricks.
    ///
    /// # Errors
    /// It cannot be read, is a folder without a log, or a part is missing between two others.
    pub fn find(store: &dyn Store, path: &Path) -> Result<Self, ImportError> {
        let read = |cause| ImportError::Read { path: path.to_owned(), cause };
        let there = store.entry(path).map_err(read)?;
        if there.sort != Sort::Folder {
            return Ok(Self::of_file(there));
        }
        let entries = store.list(path).map_err(read)?;
        Self::of_folder(path, &entries)?.ok_or_else(|| ImportError::unusable(path, no_log(&files(&entries))))
    }

    /// Size of all its files, bytes; `None` if that of one is not known.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// A log that is one file.
    #[must_use]
    pub fn of_file(file: Entry) -> Self {
        let is_part =
            rolling_number(&file.path).is_some() || databricks_time(&file.path).is_some_and(|time| !time.is_empty());
        let note = "this is one part of a log; import its folder to read all parts".to_owned();
        Self { parts: vec![file], notes: is_part.then_some(note).into_iter().collect() }
    }

    /// The log of a folder with these entries: a rolling one or one of Databricks; `None` if it is no log.
    ///
    /// # Errors
    /// A part is missing between two others, or is there twice.
    pub fn of_folder(folder: &Path, entries: &[Entry]) -> Result<Option<Self>, ImportError> {
        let files = files(entries);
        if files.iter().any(|file| rolling_number(&file.path).is_some()) {
            return rolling(folder, files).map(Some);
        }
        let mut parts: Vec<(String, Entry)> =
            files.into_iter().filter_map(|file| Some((databricks_time(&file.path)?, file))).collect();
        // The plain file has the latest events.
        parts.sort_by(|(a, _), (b, _)| (a.is_empty(), a).cmp(&(b.is_empty(), b)));
        let parts: Vec<Entry> = parts.into_iter().map(|(_, file)| file).collect();
        Ok((!parts.is_empty()).then_some(Self { parts, notes: Vec::new() }))
    }
}

/// The readable entries of a folder, by name. Reading a pipe or a device could block forever.
fn files(entries: &[Entry]) -> Vec<Entry> {
    let mut files: Vec<Entry> = entries.iter().filter(|entry| entry.sort != Sort::Other).cloned().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Why a folder is no log, and what to do: a folder of many logs is read one log at a time.
fn no_log(files: &[Entry]) -> String {
    let logs: Vec<&PathBuf> = files.iter().map(|file| &file.path).filter(|file| is_log_of_application(file)).collect();
    let Some(first) = logs.first() else { return format!("no event log in this folder; {FOLDER}") };
    let count = match logs.len() {
        1 => "the log of 1 application".to_owned(),
        count => format!("logs of {}", counted(count as f64, "application")),
    };
    format!(
        "this folder has {count}, which are read one at a time: choose one, such as {}, or read them in a shell loop",
        name(first)
    )
}

/// Whether a file or folder has the name of a Spark log.
fn is_log_of_application(path: &Path) -> bool {
    let name = name(path);
    ["application_", "app-", "local-", "eventlog_v2_"].iter().any(|start| name.starts_with(start))
}

/// The parts of a rolling log. A compacted file replaces all parts up to its own number.
fn rolling(folder: &Path, files: Vec<Entry>) -> Result<Source, ImportError> {
    let mut parts: Vec<(u64, bool, Entry)> = files
        .into_iter()
        .filter_map(|file| {
            Some((rolling_number(&file.path)?, file.path.extension() == Some(OsStr::new("compact")), file))
        })
        .collect();
    parts.sort_by(|(a, a_compact, a_file), (b, b_compact, b_file)| {
        (a, a_compact, &a_file.path).cmp(&(b, b_compact, &b_file.path))
    });
    if let Some(last_compact) = parts.iter().rposition(|(_, compact, _)| *compact) {
        parts.drain(..last_compact);
    }
    for pair in parts.windows(2) {
        let ((before, ..), (after, ..)) = (&pair[0], &pair[1]);
        if before == after {
            let problem = format!("there are two files with number {after}; keep one of them");
            return Err(ImportError::unusable(folder, problem));
        }
        if before + 1 < *after {
            let problem = format!("events_{}_… is missing between parts {before} and {after}", before + 1);
            return Err(ImportError::unusable(folder, problem));
        }
    }
    let notes = match parts.first() {
        Some((first, false, _)) if *first > 1 => {
            vec![format!("the log begins with part {first}; earlier events are missing")]
        }
        _ => Vec::new(),
    };
    Ok(Source { parts: parts.into_iter().map(|(.., file)| file).collect(), notes })
}

/// N of `events_N_application[.codec][.compact]`.
fn rolling_number(file: &Path) -> Option<u64> {
    let (number, _) = file.file_name()?.to_str()?.strip_prefix("events_")?.split_once('_')?;
    number.parse().ok()
}

/// `YYYY-MM-DD--HH-MM` of `eventlog-YYYY-MM-DD--HH-MM.gz`; empty for `eventlog` itself.
fn databricks_time(file: &Path) -> Option<String> {
    let rest = file.file_name()?.to_str()?.strip_prefix("eventlog")?;
    let (stem, codec) = rest.split_once('.').unwrap_or((rest, ""));
    if !matches!(codec, "" | "gz" | "zst" | "zstd" | "lz4" | "snappy" | "lzf") {
        return None;
    }
    if stem.is_empty() {
        return Some(String::new());
    }
    let time = stem.strip_prefix('-')?;
    let is_time = time.starts_with(|first: char| first.is_ascii_digit())
        && time.chars().all(|char| char.is_ascii_digit() || char == '-');
    is_time.then(|| time.to_owned())
}

/// Name of a file, for messages.
pub(super) fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
