//! What the Calibrate page asks the workbench to do.

use std::path::PathBuf;

use crossover_model::calibration::Change;

/// What the page asks the workbench to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask the measuring process for the GPUs of this machine.
    LookForDevices,
    /// Start measuring what is chosen.
    Start,
    /// End the measurement; results so far stay.
    Cancel,
    /// Show an earlier run.
    Show(PathBuf),
    /// Show what changed between two runs.
    Compare([PathBuf; 2]),
    /// Delete an earlier run; the user has agreed.
    Delete(PathBuf),
    /// Make these changes in a document.
    Apply {
        /// The document.
        document: String,
        /// The changes.
        changes: Vec<Change>,
    },
}
