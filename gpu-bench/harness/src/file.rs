//! Reports as files: why one cannot be read or written, and how it is written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crossover_files::atomic::{self, SaveError};
use thiserror::Error;

/// A report that cannot be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// The file is not a report.
    #[error("{} is not a gpu-bench report: {reason}", path.display())]
    NotAReport {
        /// The file.
        path: PathBuf,
        /// What was expected, with line and column.
        reason: String,
    },
    /// The file is of another schema.
    #[error("{} has schema {found}; this version reads schema {readable}", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u64,
        /// The schema that this version reads.
        readable: u32,
    },
    /// The file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] SaveError),
    /// The file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
}

/// Writes a text, whole or not at all, as [`atomic::write`] does; a file that is not regular, e.g. a device, is written in
/// place.
///
/// # Errors
/// The file cannot be written; the old content is then still there.
pub fn replace(path: &Path, text: &[u8]) -> Result<(), FileError> {
    match fs::metadata(path) {
        // A device or a pipe has no content to replace.
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            fs::write(path, text).map_err(|cause| FileError::Write { path: path.to_owned(), cause })
        }
        _ => Ok(atomic::write(path, text)?),
    }
}
