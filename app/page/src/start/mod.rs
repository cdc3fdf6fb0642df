//! What the window is started with.

mod plan_reader;

use std::path::PathBuf;

use crossover_telemetry::Opener;

use crate::storage::scenario::Loaded;
pub use plan_reader::PlanReader;

/// What the window is started with.
#[derive(Debug, Default, Clone)]
pub struct Start {
    /// What is open at first, the last of them on the screen; none: the published scenario.
    pub loaded: Vec<Loaded>,
    /// What is wrong with files that were named beside them.
    pub problems: Vec<String>,
    /// Folder for snapshots of unsaved work; none: unsaved work is not kept.
    pub recovery_folder: Option<PathBuf>,
    /// Folders and files that are opened as if they were dropped on the window.
    pub dropped: Vec<PathBuf>,
    /// Folder for results of folders of logs; none: the user is asked for one.
    pub fleets_folder: Option<PathBuf>,
    /// Whether the system can show file dialogs; else paths are typed.
    pub has_file_dialog: bool,
    /// Folder of earlier measurements; none: they are not listed.
    pub measurements_folder: Option<PathBuf>,
    /// The program that measures; none: this one.
    pub measuring_program: Option<PathBuf>,
    /// Where readings of GPUs come from.
    pub telemetry: Opener,
    /// What reads query plans.
    pub plan_reader: PlanReader,
}
