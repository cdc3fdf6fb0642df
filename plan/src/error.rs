//! Why a file could not be imported.

use std::path::PathBuf;

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The system could not read it.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error; no `source`, which a chain of errors would repeat behind this text.
        cause: std::io::Error,
    },
    /// It is of another format, or damaged.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, where (line, column, field), and what was expected.
        problem: String,
    },
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl ImportError {
    /// An error of an unusable file.
    pub fn unusable(path: impl Into<PathBuf>, problem: impl Into<String>) -> Self {
        Self::Unusable { path: path.into(), problem: problem.into() }
    }
}
