//! Probe tasks and reports as files.

use std::path::{Path, PathBuf};

use crossover_files::read::{self, ReadTextError};
use crossover_harness::file::{FileError, replace};
use crossover_measured::probe::{ProbeReport, ProbeTask};
use thiserror::Error;

/// Larger than any probe task.
const LARGEST_BYTES: u64 = 1 << 20;

/// Why a file is not a valid probe task.
#[derive(Debug, Error)]
pub enum TaskFileError {
    /// It cannot be read as text.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        cause: ReadTextError,
    },
    /// It is not RON, or has an unexpected form.
    #[error("{}, line {line}, column {column}: {problem}", path.display())]
    NotRon {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What was expected.
        problem: String,
    },
    /// A field has an invalid value.
    #[error("{}, {field}: {problem}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Path of the field.
        field: String,
        /// The problem, and the allowed values.
        problem: String,
    },
}

/// Reads and validates a probe task.
///
/// # Errors
/// The file cannot be read, or is not a valid probe task.
pub fn task(path: &Path) -> Result<ProbeTask, TaskFileError> {
    let text =
        read::text(path, LARGEST_BYTES).map_err(|cause| TaskFileError::Unreadable { path: path.to_owned(), cause })?;
    let task: ProbeTask = ron::from_str(&text).map_err(|error| TaskFileError::NotRon {
        path: path.to_owned(),
        line: error.span.start.line,
        column: error.span.start.col,
        problem: error.code.to_string(),
    })?;
    match task.validate() {
        Ok(()) => Ok(task),
        Err(invalid) => {
            Err(TaskFileError::Invalid { path: path.to_owned(), field: invalid.path, problem: invalid.problem })
        }
    }
}

/// A report as JSON, with a final line break.
///
/// # Errors
/// None that is known: all numbers of a report are finite or left out.
pub fn json(report: &ProbeReport) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// Writes the JSON of a report, whole or not at all; what is no ordinary file, e.g. a device, is written in place.
///
/// # Errors
/// The file cannot be written; the old content is then still there.
pub fn write(path: &Path, json: &str) -> Result<(), FileError> {
    replace(path, json.as_bytes())
}
