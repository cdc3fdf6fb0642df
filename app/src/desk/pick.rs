//! Which file is asked for.

use std::path::PathBuf;

use crossover_fleet::Places;

/// A file or folder that the user is asked for, to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pick {
    /// Title of the dialog.
    pub(crate) title: &'static str,
    /// Title where the path is typed.
    pub(crate) title_by_path: &'static str,
    /// What the button says where the path is typed.
    pub(crate) action: &'static str,
    /// What the files are called, and the extensions that the dialog shows; none: all files.
    pub(crate) filter: Option<(&'static str, &'static [&'static str])>,
    /// What can be picked.
    pub(crate) target: Target,
}

/// What can be picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A file.
    File,
    /// A file; where the path is typed, a folder too.
    FileOrFolder,
    /// A folder; where the path is typed, a file too.
    Folder,
    /// The same, or the address of logs on other machines.
    FolderOrAddress,
}

impl Target {
    /// The address that was typed, or what is wrong with it; `None` where the text is a path of this machine.
    pub(crate) fn address(self, text: &str) -> Option<Result<PathBuf, String>> {
        let path = PathBuf::from(text);
        let is_address = self == Self::FolderOrAddress && Places::is_remote(&path);
        is_address.then(|| match Places::check(std::slice::from_ref(&path)) {
            Ok(()) => Ok(path),
            // There is one path alone.
            Err(problem) => Err(problem.trim_start_matches("path 1: ").to_owned()),
        })
    }
}
