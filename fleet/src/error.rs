//! Why a fleet could not be read or its results not be written.

use std::io;
use std::path::PathBuf;

use crossover_files::atomic::SaveError;

/// Why a fleet could not be read or its results not be written.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The folder of results cannot be used.
    #[error("{}: {step} failed ({cause}). What was read so far is kept; free space or choose another folder, and run \
             the same command again.", path.display())]
    Out {
        /// The file or folder.
        path: PathBuf,
        /// What failed, as a noun.
        step: &'static str,
        /// What the system said; it is in the sentence, and no source that would be said twice.
        cause: io::Error,
    },
    /// Another process writes there.
    #[error("{}: another process writes here; wait for it, or choose another folder", .0.display())]
    Busy(PathBuf),
    /// A table cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// There is no ledger to put together.
    #[error("{}: no results of `crossover fleet` here (no ledger.jsonl with a whole line)", .0.display())]
    NoLedger(PathBuf),
    /// Results that do not belong together.
    #[error("{}: {problem}", path.display())]
    Apart {
        /// Whose folder.
        path: PathBuf,
        /// Why they cannot be put together, and what to do.
        problem: String,
    },
    /// Nothing to read.
    #[error("{0}")]
    Nothing(String),
    /// The user changed their mind.
    #[error("cancelled: what was read is kept, and the same command goes on from there")]
    Cancelled,
}
