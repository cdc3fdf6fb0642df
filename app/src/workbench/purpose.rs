//! What the user is asked for a file for.

use std::path::PathBuf;

use crossover_page::desk::{Pick, Target, ThenPath};

use crate::jobs::Content;

/// What the user is asked for a file for.
pub(super) enum Purpose {
    /// To open a scenario.
    Open,
    /// To save this document.
    SaveAs {
        /// The document.
        document: String,
    },
    /// To write this.
    Export(Content),
    /// To do what a kind of study wants with it.
    Pick(Pick, ThenPath),
}

impl Purpose {
    /// The document that is saved.
    pub(super) fn document(&self) -> Option<&str> {
        match self {
            Self::SaveAs { document } => Some(document),
            Self::Open | Self::Export(_) | Self::Pick(..) => None,
        }
    }

    /// Whether the file is read, not written.
    pub(super) fn reads(&self) -> bool {
        match self {
            Self::Open | Self::Pick(..) => true,
            Self::SaveAs { .. } | Self::Export(_) => false,
        }
    }

    /// Whether a folder can be read.
    pub(super) fn takes_folder(&self) -> bool {
        matches!(self, Self::Pick(pick, _) if !matches!(pick.target, Target::File))
    }

    /// The address that was typed, or what is wrong with it; `None` where the text is a path of this machine, or has to be one.
    pub(super) fn address(&self, text: &str) -> Option<Result<PathBuf, String>> {
        match self {
            Self::Pick(pick, _) => pick.target.address(text),
            Self::Open | Self::SaveAs { .. } | Self::Export(_) => None,
        }
    }

    /// An example of what can be typed.
    pub(super) fn example(&self) -> &'static str {
        match self {
            Self::Pick(Pick { target: Target::FolderOrAddress(addresses), .. }, _) => addresses.example,
            _ => "/folder/name",
        }
    }

    /// What stands above the field where a path is typed, and on the button below.
    pub(super) fn words_by_path(&self) -> (&'static str, &'static str) {
        match self {
            Self::Open => ("Open by path", "Open"),
            Self::SaveAs { .. } => ("Save to path", "Save"),
            Self::Export(_) => ("Export to path", "Export"),
            Self::Pick(pick, _) => (pick.title_by_path, pick.action),
        }
    }
}
