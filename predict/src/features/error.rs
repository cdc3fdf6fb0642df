//! Why a network could not be read.

use std::path::{Path, PathBuf};

use crossover_files::read::ReadTextError;

/// Why a network could not be read.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be opened or read, or is too large.
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: ReadTextError,
    },
    /// The content is not of the expected form.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what was expected.
        problem: String,
    },
}

impl NetworkError {
    pub(crate) fn unusable(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), problem: problem.into() }
    }
}
