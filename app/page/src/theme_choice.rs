//! Light, dark, or as the system.

use serde::{Deserialize, Serialize};

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
