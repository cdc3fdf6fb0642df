//! Why a file could not be imported.

use std::path::PathBuf;

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system could not read it.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not what it was taken for, or it is damaged.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, where (line, column, field), and what was expected.
        problem: String,
    },
    /// The user changed their mind.
    #[error("cancelled")]
    Cancelled,
}

impl ImportError {
    /// A file that is not what it was taken for.
    pub fn unusable(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.into(), problem: problem.into() }
    }
}
