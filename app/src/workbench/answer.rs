//! What jobs bring back that the workbench alone understands.

use std::path::PathBuf;

use super::purpose::Purpose;
use crate::calibrate;
use crate::desk::Then;

/// What jobs bring back that the workbench alone understands.
pub(super) enum Answer {
    /// A file was chosen in a dialog, for this purpose; none: the user closed it without choosing.
    Chosen(Purpose, Option<PathBuf>),
    /// A kind of study goes on.
    Then(Then),
    /// A look at the folder of measurements has ended.
    Runs(calibrate::Answer),
}
