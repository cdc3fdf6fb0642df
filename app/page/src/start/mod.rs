//! Settings of the start of the window.

mod plan_reader;

use std::path::PathBuf;

use crossover_telemetry::Opener;

use crate::storage::scenario::Loaded;
pub use plan_reader::PlanReader;

/// Settings of the start of the window.
#[derive(Debug, Default, Clone)]
pub struct Start {
    /// Scenarios to open, the last one on the screen; empty: the published scenario.
    pub loaded: Vec<Loaded>,
    /// Problems of other files that were named.
    pub problems: Vec<String>,
    /// Whether the published scenario opens with the start panel, unless the user closed it before.
    pub offers_start: bool,
    /// Folder for snapshots of unsaved work; none: no autosave.
    pub recovery_folder: Option<PathBuf>,
    /// File of the open tabs, which are opened again. It stays as it is if scenarios are loaded; none: they are not kept.
    pub tabs_file: Option<PathBuf>,
    /// Folder in which windows note their open files; none: they do not know of each other.
    pub open_files_folder: Option<PathBuf>,
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
    /// The source of GPU readings.
    pub telemetry: Opener,
    /// The reader of query plans.
    pub plan_reader: PlanReader,
}
