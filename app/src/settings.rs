//! What the window remembers between two starts.

use serde::{Deserialize, Serialize};

use crate::storage::recent::RecentFiles;

/// What the window remembers between two starts. Unknown or missing parts fall back to the default.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Light, dark, or as the system.
    pub theme: ThemeChoice,
    /// Files opened or saved last.
    pub recent: RecentFiles,
    /// Whether the inspector is shown in a wide window.
    pub inspector_open: bool,
}

impl Settings {
    /// Key in the window's storage.
    pub const KEY: &'static str = "crossover-settings";
}

impl Default for Settings {
    fn default() -> Self {
        Self { theme: ThemeChoice::System, recent: RecentFiles::default(), inspector_open: true }
    }
}

/// Which theme the window uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// As the system.
    #[default]
    System,
}

impl ThemeChoice {
    /// All choices, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Light, Self::Dark, Self::System];

    /// Name in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::System => "as the system",
        }
    }

    /// The same choice for egui.
    #[must_use]
    pub fn preference(self) -> egui::ThemePreference {
        match self {
            Self::Light => egui::ThemePreference::Light,
            Self::Dark => egui::ThemePreference::Dark,
            Self::System => egui::ThemePreference::System,
        }
    }
}
