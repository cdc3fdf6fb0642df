//! Why a recorded cluster could not be read.

use std::path::{Path, PathBuf};

use crossover_files::read::{self, ReadTextError};

/// Why a recorded cluster could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read as text.
    // Not a source: printing the causes of an error would repeat it.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: ReadTextError,
    },
    /// It does not have the expected content.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what was expected.
        problem: String,
    },
}

impl TraceError {
    pub(crate) fn unreadable(path: &Path, problem: impl Into<ReadTextError>) -> Self {
        Self::Unreadable { path: path.to_owned(), problem: problem.into() }
    }

    pub(crate) fn unusable(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), problem: problem.into() }
    }
}

/// The bytes of a file of at most so many.
pub(crate) fn bytes(path: &Path, most_bytes: u64) -> Result<Vec<u8>, TraceError> {
    read::bytes(path, most_bytes).map_err(|problem| TraceError::unreadable(path, problem))
}

/// The text of the bytes of a file.
pub(crate) fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, TraceError> {
    let text = String::from_utf8(bytes).map_err(|_| TraceError::unreadable(path, ReadTextError::NotText))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The text of a file of at most so many bytes.
pub(crate) fn text(path: &Path, most_bytes: u64) -> Result<String, TraceError> {
    read::text(path, most_bytes).map_err(|problem| TraceError::unreadable(path, problem))
}
