//! What the Calibrate page asks the workbench to do.

use std::any::Any;
use std::path::PathBuf;

use crossover_page::ask::Ask;
use crossover_placement::calibration::Change;

/// What the page asks the workbench to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask the measuring process for the GPUs of this machine.
    LookForDevices,
    /// List the earlier runs.
    List,
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

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::LookForDevices => "Look for GPUs".into(),
            Self::List => "List earlier runs".into(),
            Self::Start => "Start measuring".into(),
            Self::Cancel => "Cancel the measurement".into(),
            Self::Show(path) => format!("Show the run in {}", path.display()),
            Self::Compare(_) => "Compare two runs".into(),
            Self::Delete(path) => format!("Delete the run in {}", path.display()),
            Self::Apply { .. } => "Apply measured values".into(),
        }
    }

    /// None is listed in a menu or in the palette.
    fn tooltip(&self) -> &'static str {
        ""
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
