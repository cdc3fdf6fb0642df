//! What jobs bring back that the workbench alone understands.

use std::path::PathBuf;

use crossover_calibrate_page as calibrate;
use crossover_page::desk::Then;

use super::purpose::Purpose;

/// What jobs bring back that the workbench alone understands.
pub(super) enum Answer {
    /// A file was chosen in a dialog, for this purpose; none: the user closed it without choosing.
    Chosen(Purpose, Option<PathBuf>),
    /// A kind of study goes on.
    Then(Then),
    /// A look at the folder of measurements has ended.
    Runs(calibrate::Answer),
}
