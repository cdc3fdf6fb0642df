//! Purposes for which a file is chosen.

use std::path::{Path, PathBuf};

use crossover_page::services::{Pick, Target, ThenPath};
use crossover_page::storage::link;

use crate::jobs::Content;

/// The purpose for which the user chooses a file.
pub(super) enum Purpose {
    /// To open a scenario, or to import something else.
    Open,
    /// To save this document.
    SaveAs {
        /// The document.
        document: String,
    },
    /// To write this.
    Export(Content),
    /// For a kind of study.
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
        match self {
            Self::Open => true,
            Self::Pick(pick, _) => !matches!(pick.target, Target::File),
            Self::SaveAs { .. } | Self::Export(_) => false,
        }
    }

    /// The typed address, or the problem with it; `None` if the text is, or has to be, a path of this machine.
    pub(super) fn address(&self, text: &str) -> Option<Result<PathBuf, String>> {
        match self {
            Self::Pick(pick, _) => pick.target.address(text),
            Self::Open => link::as_link(Path::new(text)).map(|link| Ok(PathBuf::from(link))),
            Self::SaveAs { .. } | Self::Export(_) => None,
        }
    }

    /// An example of what can be typed.
    pub(super) fn example(&self) -> &'static str {
        match self {
            Self::Pick(Pick { target: Target::FolderOrAddress(addresses), .. }, _) => addresses.example,
            _ => "/folder/name",
        }
    }

    /// The title above the field for a typed path, and the text of the button.
    pub(super) fn words_by_path(&self) -> (&'static str, &'static str) {
        match self {
            Self::Open => ("Open by path", "Open"),
            Self::SaveAs { .. } => ("Save to path", "Save"),
            Self::Export(_) => ("Export to path", "Export"),
            Self::Pick(pick, _) => (pick.title_by_path, pick.action),
        }
    }
}
