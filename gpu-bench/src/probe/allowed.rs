//! Programs of probes: started only after the user has allowed them.

use crossover_files::programs::{AllowList, NotAllowed, Programs};
use crossover_measured::probe::{Executed, ProbeTask};

use crate::report::history;

/// The programs that the user of this machine has allowed.
#[must_use]
pub fn list() -> AllowList {
    // Beside the folder of measurements.
    AllowList::at(history::folder().map(|folder| folder.with_file_name("allowed-programs.txt")))
}

/// The programs that a probe would start; none of a probe of library operators alone.
///
/// # Errors
/// A command line that a user cannot check.
pub fn programs(task: &ProbeTask) -> Result<Option<Programs>, NotAllowed> {
    Programs::of(task.operators.iter().filter_map(|of| match &of.runs {
        Executed::Command(command) => Some(&command.line[..]),
        Executed::Library(_) => None,
    }))
}
