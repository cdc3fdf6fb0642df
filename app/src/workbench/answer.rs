//! Results of jobs that only the workbench uses.

use std::path::PathBuf;

use crossover_calibrate_page as calibrate;
use crossover_page::services::Then;
use crossover_page::storage::scenario::Loaded;
use crossover_scenario::{ReadError, Scenario};

use super::purpose::Purpose;
use crate::storage::recovery::{Orphan, Snapshot};

/// A file of a tab, and its scenario or why it cannot be read.
pub(super) type ReadFile = (PathBuf, Result<Box<Loaded>, String>);

/// Unsaved work of an earlier run that the user recovers.
pub(super) struct ReadSnapshot {
    pub(super) snapshot: Snapshot,
    pub(super) orphan: Orphan,
    /// Its scenario, or why it cannot be read.
    pub(super) read: Result<Box<Scenario>, ReadError>,
}

/// Results of jobs that only the workbench uses.
pub(super) enum Answer {
    /// A file was chosen in a dialog, for this purpose; none: the user closed it without choosing.
    Chosen(Purpose, Option<PathBuf>),
    /// A kind of study continues with its result.
    Then(Then),
    /// The files of the last window's tabs were read.
    Reopened(Vec<ReadFile>),
    /// Unsaved work of an earlier run was read.
    Recovered(Vec<ReadSnapshot>),
    /// The folder of measurements was read.
    Runs(calibrate::Answer),
}
