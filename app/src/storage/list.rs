//! Lists about operator classes, as NVIDIA's tools write them.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_plan::support;

use crate::studies::placement::request::List;

/// What a list holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// Classes without a GPU version, each with its note.
    Support(BTreeMap<String, String>),
    /// How many times faster a class is on a GPU.
    Scores(BTreeMap<String, f64>),
}

/// Reads a list; without a kind, whichever it is.
///
/// # Errors
/// A file that cannot be read or is no such list; the message names file and line.
pub(crate) fn open(path: &Path, list: Option<List>) -> Result<Content, String> {
    let support = || support::unsupported(path).map(Content::Support).map_err(|error| error.to_string());
    let scores = || support::scores(path).map(Content::Scores).map_err(|error| error.to_string());
    match list {
        Some(List::Support) => support(),
        Some(List::Scores) => scores(),
        None => support().or_else(|as_support| {
            scores().map_err(|as_scores| {
                format!("As a {}: {as_support}. As {}: {as_scores}", List::Support.label(), List::Scores.label())
            })
        }),
    }
}
