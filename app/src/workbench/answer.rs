//! Results of jobs that only the workbench uses.

use std::path::PathBuf;

use crossover_calibrate_page as calibrate;
use crossover_page::services::Then;
use crossover_page::storage::scenario::Loaded;

use super::offer::ReadOffer;
use super::purpose::Purpose;

/// A file of a tab, and its scenario or why it cannot be read.
pub(super) type ReadFile = (PathBuf, Result<Box<Loaded>, String>);

/// Results of jobs that only the workbench uses.
pub(super) enum Answer {
    /// A file was chosen in a dialog, for this purpose; none: the user closed it without choosing.
    Chosen(Purpose, Option<PathBuf>),
    /// A kind of study continues with its result.
    Then(Then),
    /// The files of the last window's tabs were read, and scenarios of which only settings of tools were unsaved.
    Reopened(Vec<ReadFile>, Vec<ReadOffer>),
    /// Unsaved work of an earlier run was read.
    Recovered(Vec<ReadOffer>),
    /// The folder of measurements was read.
    Runs(calibrate::Answer),
}
