//! The state that a page keeps for the next window, as text.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// As text; `None` for a path that no text can hold.
#[must_use]
pub fn write(kept: &impl Serialize) -> Option<String> {
    serde_json::to_string(kept).ok()
}

/// Reads a text of [`write()`].
///
/// # Errors
/// The text is not of this form; the message has the reason.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
