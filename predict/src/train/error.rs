//! Why no network could be trained, saved or loaded.

use std::path::{Path, PathBuf};

use crossover_files::atomic::SaveError;
use crossover_files::read::NoText;

/// Why no network could be trained, saved or loaded. Each is a whole sentence for the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// There is nothing to read in the file.
    #[error("{}: {problem}", path.display())]
    NoText {
        /// The file.
        path: PathBuf,
        /// Why; no source of its own, or it would be told twice.
        problem: NoText,
    },
    /// It is not what it was taken for.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what was expected.
        problem: String,
    },
    /// Measured runs or options from which nothing can be learnt.
    #[error("{0}")]
    Untrainable(String),
    /// Features for which a network cannot answer.
    #[error("{0}")]
    Unanswerable(String),
    /// The trained network could not be saved.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The training was called off.
    #[error("the training was called off; nothing was kept")]
    Cancelled,
}

impl TrainError {
    pub(super) fn unusable(path: &Path, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), problem: problem.into() }
    }
}
