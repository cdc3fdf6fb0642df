//! Why a fleet could not be read or its results not be written.

use std::io;
use std::path::PathBuf;

use crossover_files::atomic::SaveError;

/// Why a fleet could not be read or its results not be written.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The folder of results cannot be used.
    #[error("{}: {step} failed ({cause}). Logs already read are kept; free space or choose another folder, and run \
             the same command again.", path.display())]
    Out {
        /// The file or folder.
        path: PathBuf,
        /// What failed, as a noun.
        step: &'static str,
        /// The system's error; not a `source`, because the message includes it.
        cause: io::Error,
    },
    /// Another process writes there.
    #[error("{}: another process writes here; wait until it ends, or choose another folder", .0.display())]
    Busy(PathBuf),
    /// A table cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The folder has no ledger.
    #[error("{}: no results of `crossover fleet` here (no ledger.jsonl with a complete line)", .0.display())]
    NoLedger(PathBuf),
    /// Results that do not belong together.
    #[error("{}: {problem}", path.display())]
    Apart {
        /// The folder of the results.
        path: PathBuf,
        /// Why they cannot be merged, and what to do.
        problem: String,
    },
    /// Nothing to read.
    #[error("{0}")]
    Nothing(String),
    /// The user cancelled.
    #[error("cancelled: logs already read are kept; run the same command to continue")]
    Cancelled,
}
