//! Networks of Keras, versions 2 and 3: the table that `model.summary()` prints, and the JSON of `model.to_json()`.

mod calls;
mod json;
mod layers;
mod summary;

use std::path::Path;

use super::network::Network;
use super::{Dimensions, NetworkError, read_text};

pub(super) use json::of_text as json_of_text;
pub(super) use summary::of_text as summary_of_text;

/// The network of a printed summary.
///
/// # Errors
/// [`NetworkError`]: unreadable, or not such a table.
pub fn read_summary(path: &Path) -> Result<Network, NetworkError> {
    read_text(path, summary_of_text)
}

/// The network of a JSON.
///
/// # Errors
/// [`NetworkError`]: unreadable, not JSON, not a Keras model, a cycle, or a reference to a missing layer.
pub fn read_json(path: &Path) -> Result<Network, NetworkError> {
    read_text(path, |text| json_of_text(text, &Dimensions::new()))
}
