//! Recordings of GPUs: reading with errors that name file, line and column.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use crossover_model::regulation::recording::{self, Recording};

/// Extensions of recordings: CSV, and text series of dcgm-exporter.
pub(super) const EXTENSIONS: [&str; 3] = ["csv", "prom", "txt"];

/// A larger file is no recording that a study could take.
const LARGEST_BYTES: u64 = 64_000_000;

/// Reads a recording from a file; scrapes without timestamps are taken as `seconds_per_scrape` apart.
///
/// # Errors
/// A file that cannot be read, is larger than 64 MB, is not UTF-8 or not a recording. The message starts with the
/// path, and where a place is known it is `FILE:LINE:COLUMN: field: problem`.
pub(crate) fn open(path: &Path, seconds_per_scrape: f64) -> Result<Recording> {
    let name = path.display();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_BYTES + 1).read_to_end(&mut bytes))
        .with_context(|| format!("{name}: cannot be read"))?;
    if bytes.len() as u64 > LARGEST_BYTES {
        bail!("{name}: larger than {} MB, so it is no recording", LARGEST_BYTES / 1_000_000);
    }
    let text =
        String::from_utf8(bytes).map_err(|_| anyhow!("{name}: this is not UTF-8 text; save the file as UTF-8"))?;
    recording::read(&text, seconds_per_scrape).map_err(|error| {
        let field = error.field.map(|field| format!("{field}: ")).unwrap_or_default();
        anyhow!("{name}:{}:{}: {field}{}", error.line, error.column, error.problem)
    })
}
