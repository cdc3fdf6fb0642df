//! Dialogs for a file to read.

use std::path::PathBuf;

/// A dialog for a file or folder to read.
#[derive(Debug, Clone, Copy)]
pub struct Pick {
    /// Title of the dialog.
    pub title: &'static str,
    /// Title where the path is typed.
    pub title_by_path: &'static str,
    /// Text of the button where the path is typed.
    pub action: &'static str,
    /// Description of the files, and the extensions that the dialog shows; none: all files.
    pub filter: Option<(&'static str, &'static [&'static str])>,
    /// What can be picked.
    pub target: Target,
}

/// What can be picked.
#[derive(Debug, Clone, Copy)]
pub enum Target {
    /// A file.
    File,
    /// A file; where the path is typed, a folder too.
    FileOrFolder,
    /// A folder; where the path is typed, a file too.
    Folder,
    /// The same, or an address on another machine.
    FolderOrAddress(Addresses),
}

/// Addresses of files on other machines.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The typed address, or the problem with it; `None` if the text is a path of this machine.
    pub read: fn(&str) -> Option<Result<PathBuf, String>>,
    /// Examples of what can be typed: a path, then addresses.
    pub example: &'static str,
}

impl Target {
    /// The typed address, or the problem with it; `None` if the text is a path of this machine.
    #[must_use]
    pub fn address(self, text: &str) -> Option<Result<PathBuf, String>> {
        match self {
            Self::FolderOrAddress(addresses) => (addresses.read)(text),
            Self::File | Self::FileOrFolder | Self::Folder => None,
        }
    }
}
