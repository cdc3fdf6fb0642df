//! Recorded tasks that a study names by their files: read again whenever the study is opened.

use std::path::{Path, PathBuf};

use crossover_allocation::{Form, Found, NamedFile, NamedTrace, Trace};
use crossover_files::digest::sha256;

use crate::error::TraceError;
use crate::philly::Machines;
use crate::table::LARGEST_BYTES;
use crate::{decisions, openb, philly};

/// Names these files as they are now, with the trace that was read from them.
///
/// # Errors
/// [`TraceError`]: one is not a regular file, cannot be read any more, or its path is not UTF-8.
pub fn name(form: Form, paths: &[PathBuf], trace: Trace) -> Result<NamedTrace, TraceError> {
    let named = |path: &PathBuf| {
        // Absolute, as the study may be opened elsewhere.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let whole = path.file_name().map_or_else(|| path.clone(), |name| folder.join(name));
        let Some(text) = whole.to_str() else {
            return Err(TraceError::unusable(path, "the path is not UTF-8; a scenario names files by UTF-8 paths"));
        };
        Ok(NamedFile { path: text.to_owned(), sha256: digest(path)? })
    };
    let files = paths.iter().map(named).collect::<Result<_, _>>()?;
    let notes = sentences(&trace);
    Ok(NamedTrace { form, files, found: Found::new(trace, notes) })
}

/// Reads the named files, and notes what is missing or has changed since they were named. Files that are not regular are not
/// read: a pipe would block.
pub fn fetch(named: &mut NamedTrace) {
    let paths: Vec<PathBuf> = named.files.iter().map(|file| PathBuf::from(&file.path)).collect();
    named.found = match read(named.form, &paths) {
        Ok(trace) => {
            let mut notes: Vec<String> = named.files.iter().filter_map(changed).collect();
            notes.extend(sentences(&trace));
            Found::new(trace, notes)
        }
        Err(error) => Found { notes: vec![format!("{error}.")], ..Found::default() },
    };
}

/// Reads files of a form, in its order.
///
/// # Errors
/// [`TraceError`] of the file that is not regular or cannot be read.
pub fn read(form: Form, paths: &[PathBuf]) -> Result<Trace, TraceError> {
    for path in paths {
        check_plain(path)?;
    }
    match (form, paths) {
        (Form::Openb, [nodes, pods]) => openb::read(nodes, pods),
        // Its machines are those of the study.
        (Form::Philly, [jobs]) => philly::read(jobs, Machines::default()),
        (Form::Decisions, [log]) => decisions::read(log),
        (form, paths) => {
            let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
            let expected = form.files().join(", ");
            Err(TraceError::unusable(path, format!("{} files were named; expected {expected}", paths.len())))
        }
    }
}

/// What the trace left out, as sentences.
fn sentences(trace: &Trace) -> Vec<String> {
    trace.messages().iter().map(|note| format!("{note}.")).collect()
}

/// Whether a file is another one than was named.
fn changed(file: &NamedFile) -> Option<String> {
    /// Digits that are shown.
    const SHOWN: usize = 12;
    let now = digest(Path::new(&file.path)).ok()?;
    let was = file.sha256.to_ascii_lowercase();
    if now == was {
        return None;
    }
    let differ = now[..SHOWN] != was[..SHOWN.min(was.len())];
    let shown = |digest: &str| if differ { format!("{}…", &digest[..SHOWN]) } else { digest.to_owned() };
    Some(format!(
        "{}: changed since the scenario named it: SHA-256 was {}, is {}; the present file is used.",
        file.path,
        shown(&was),
        shown(&now)
    ))
}

fn digest(path: &Path) -> Result<String, TraceError> {
    check_plain(path)?;
    sha256(path, LARGEST_BYTES).map_err(|problem| TraceError::unreadable(path, problem))
}

fn check_plain(path: &Path) -> Result<(), TraceError> {
    let is_plain = std::fs::metadata(path).map_err(|error| TraceError::unreadable(path, error))?.is_file();
    if is_plain {
        Ok(())
    } else {
        Err(TraceError::unusable(path, "not a regular file; a scenario can only name regular files"))
    }
}
