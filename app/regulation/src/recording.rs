//! Recordings of GPUs: reading with errors that name file, line and column.

use std::path::Path;

use anyhow::{Result, anyhow};
use crossover_files::read::{self as files, ReadTextError};
use crossover_regulation::recording::{self, Recording};

/// Extensions of recordings: CSV, and text series of dcgm-exporter.
pub(super) const EXTENSIONS: [&str; 3] = ["csv", "prom", "txt"];

/// Largest size of a recording.
const LARGEST_BYTES: u64 = 64_000_000;

/// Reads a recording from a file; scrapes without timestamps are taken as `seconds_per_scrape` apart.
///
/// # Errors
/// A file that cannot be read, is larger than 64 MB, is not UTF-8 or not a recording. The message has the path;
/// where a place is known it is `FILE:LINE:COLUMN: field: problem`.
pub(crate) fn open(path: &Path, seconds_per_scrape: f64) -> Result<Recording> {
    let name = path.display();
    let text = files::text(path, LARGEST_BYTES).map_err(|problem| match problem {
        ReadTextError::NotText => anyhow!("{name}: this is not UTF-8 text; save the file as UTF-8"),
        ReadTextError::TooLarge(_) => anyhow!("{name}: {problem}, so it cannot be a recording"),
        ReadTextError::Unreadable(_) => anyhow!("cannot read {name}: {problem}"),
    })?;
    recording::read(&text, seconds_per_scrape).map_err(|error| {
        let field = error.field.map(|field| format!("{field}: ")).unwrap_or_default();
        anyhow!("{name}:{}:{}: {field}{}", error.line, error.column, error.problem)
    })
}
