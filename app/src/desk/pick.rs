//! Which file is asked for.

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
}
