//! Recorded tasks that a study names by their files: named once, fetched again whenever the study is opened.

use std::path::{Path, PathBuf};

use crossover_files::digest::sha256;
use crossover_model::allocation::{Form, Found, NamedFile, NamedTrace, Trace};
use crossover_model::shared::Shared;

use crate::error::TraceError;
use crate::philly::Machines;
use crate::table::LARGEST_BYTES;
use crate::{openb, philly};

/// Names these files as they are now, with the trace that was read from them.
///
/// # Errors
/// [`TraceError`]: one cannot be read any more, or its path is no UTF-8.
pub fn name(form: Form, paths: &[PathBuf], trace: Trace) -> Result<NamedTrace, TraceError> {
    let named = |path: &PathBuf| {
        // From wherever the study is opened later.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let Some(text) = whole.to_str() else {
            return Err(TraceError::unusable(path, "a scenario names files by paths in UTF-8, which this is not"));
        };
        Ok(NamedFile { path: text.to_owned(), sha256: digest(path)? })
    };
    let files = paths.iter().map(named).collect::<Result<_, _>>()?;
    let notes = trace.notes.iter().map(|note| format!("{note}.")).collect();
    Ok(NamedTrace { form, files, found: Found { notes, trace: Some(Shared::from(trace)) } })
}

/// Reads the named files, and notes what is missing or has changed since they were named.
pub fn fetch(named: &mut NamedTrace) {
    let paths: Vec<PathBuf> = named.files.iter().map(|file| PathBuf::from(&file.path)).collect();
    let mut notes = Vec::new();
    for (file, path) in named.files.iter().zip(&paths) {
        match digest(path) {
            Ok(now) if now.eq_ignore_ascii_case(&file.sha256) => {}
            Ok(now) => notes.push(format!(
                "{}: changed since the scenario named it: SHA-256 was {}…, is {}…; replayed as it is now.",
                file.path,
                beginning(&file.sha256),
                beginning(&now)
            )),
            // It is said when it is read.
            Err(_) => {}
        }
    }
    named.found = match read(named.form, &paths) {
        Ok(trace) => {
            notes.extend(trace.notes.iter().map(|note| format!("{note}.")));
            Found { trace: Some(Shared::from(trace)), notes }
        }
        Err(error) => Found { trace: None, notes: vec![format!("{error}.")] },
    };
}

/// Reads files of a form, in its order.
///
/// # Errors
/// [`TraceError`] of the file that cannot be read.
pub fn read(form: Form, paths: &[PathBuf]) -> Result<Trace, TraceError> {
    match (form, paths) {
        (Form::Openb, [nodes, pods]) => openb::read(nodes, pods),
        // Its machines are those of the study.
        (Form::Philly, [jobs]) => philly::read(jobs, Machines::default()),
        (form, paths) => {
            let path = paths.first().map_or(Path::new(""), PathBuf::as_path);
            let expected = form.files();
            Err(TraceError::unusable(
                path,
                format!("{} files were named; expected {}", paths.len(), expected.join(", ")),
            ))
        }
    }
}

fn digest(path: &Path) -> Result<String, TraceError> {
    sha256(path, LARGEST_BYTES).map_err(|problem| TraceError::NoText { path: path.to_owned(), problem })
}

/// As many digits as people compare.
fn beginning(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
