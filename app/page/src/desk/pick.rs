//! Which file is asked for.

use std::path::PathBuf;

/// A file or folder that the user is asked for, to be read.
#[derive(Debug, Clone, Copy)]
pub struct Pick {
    /// Title of the dialog.
    pub title: &'static str,
    /// Title where the path is typed.
    pub title_by_path: &'static str,
    /// What the button says where the path is typed.
    pub action: &'static str,
    /// What the files are called, and the extensions that the dialog shows; none: all files.
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

/// Addresses that stand for places on other machines.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// The address that was typed, or what is wrong with it; `None` where the text is a path of this machine.
    pub read: fn(&str) -> Option<Result<PathBuf, String>>,
    /// Examples of what can be typed: a path, then addresses.
    pub example: &'static str,
}

impl Target {
    /// The address that was typed, or what is wrong with it; `None` where the text is a path of this machine.
    #[must_use]
    pub fn address(self, text: &str) -> Option<Result<PathBuf, String>> {
        match self {
            Self::FolderOrAddress(addresses) => (addresses.read)(text),
            Self::File | Self::FileOrFolder | Self::Folder => None,
        }
    }
}
