//! Errors of training, saving and loading.

use std::path::{Path, PathBuf};

use crossover_files::atomic::SaveError;
use crossover_files::read::ReadTextError;

/// An error of training, saving or loading; a sentence for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The file cannot be read as text.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why; not an error source, which would be printed twice.
        problem: ReadTextError,
    },
    /// The content is not of the expected form.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what was expected.
        problem: String,
    },
    /// Measured runs or options that cannot be trained with.
    #[error("{0}")]
    Untrainable(String),
    /// Features for which a network has no prediction.
    #[error("{0}")]
    InvalidFeatures(String),
    /// The trained network could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// Training was cancelled.
    #[error("training was cancelled; no network was kept")]
    Cancelled,
}

impl TrainError {
    pub(super) fn unusable(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), problem: problem.into() }
    }
}
