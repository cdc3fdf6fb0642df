//! How close controls are to each other.

use serde::{Deserialize, Serialize};

/// How close controls are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Density {
    /// As much as possible on one screen.
    #[default]
    Compact,
    /// More room between and within controls.
    Comfortable,
}

impl Density {
    /// All choices, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::Compact, Self::Comfortable];

    /// Name in the menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Comfortable => "comfortable",
        }
    }
}
