//! Requests of the Calibrate page to the workbench.

use std::any::Any;
use std::path::PathBuf;

use crossover_page::ask::Ask;
use crossover_placement::calibration::Change;

/// A request of the page to the workbench.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// List the GPUs of this machine.
    ListDevices,
    /// List the earlier runs.
    List,
    /// Start measuring the chosen device and suite.
    Start,
    /// Cancel the measurement; results so far stay.
    Cancel,
    /// Show an earlier run.
    Show(PathBuf),
    /// Show what changed between two runs.
    Compare([PathBuf; 2]),
    /// Delete an earlier run; the user has agreed.
    Delete(PathBuf),
    /// Apply these changes to a document.
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
            Self::ListDevices => "Look for GPUs".into(),
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
