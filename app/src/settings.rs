//! Settings of the window, kept between starts.

use crossover_page::density::Density;
use crossover_page::theme_choice::ThemeChoice;
use serde::{Deserialize, Serialize};

use crate::storage::recent::RecentFiles;

/// Settings of the window, kept between starts. Unknown or missing parts fall back to the default.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light, dark, or as the system.
    pub theme: ThemeChoice,
    /// Compact or comfortable.
    pub density: Density,
    /// Files opened or saved last.
    pub recent: RecentFiles,
    /// Whether the inspector is shown in a wide window.
    pub inspector_open: bool,
    /// Whether the start panel is shown beside the published setting.
    pub start_open: bool,
    /// Whether a tour was taken: the empty page offers it until then.
    pub has_taken_tour: bool,
}

impl Settings {
    /// Key in the window's storage.
    pub const KEY: &'static str = "crossover-settings";
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::System,
            density: Density::Compact,
            recent: RecentFiles::default(),
            inspector_open: true,
            start_open: true,
            has_taken_tour: false,
        }
    }
}
