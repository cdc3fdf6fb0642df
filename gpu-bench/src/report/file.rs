//! Reports as files: read leniently, written whole or not at all.

use std::io::{self, Write as _};
use std::path::Path;

use crossover_files::read::{self, ReadTextError};
use crossover_harness::file::{FileError, replace};

use super::{Report, SCHEMA};

/// Larger than any report.
const LARGEST_BYTES: u64 = 64_000_000;

/// Reads a report.
///
/// # Errors
/// The file cannot be read, is not a report, or has another schema.
pub fn read(path: &Path) -> Result<Report, FileError> {
    let not_a_report = |reason: String| FileError::NotAReport { path: path.to_owned(), reason };
    let text = read::text(path, LARGEST_BYTES).map_err(|problem| match problem {
        ReadTextError::Unreadable(cause) => FileError::Read { path: path.to_owned(), cause },
        ReadTextError::TooLarge(_) => not_a_report(format!("{problem}, too large for a report")),
        ReadTextError::NotText => not_a_report(problem.to_string()),
    })?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Report, FileError> {
    let not_a_report =
        |error: serde_json::Error| FileError::NotAReport { path: path.to_owned(), reason: error.to_string() };
    let value: serde_json::Value = serde_json::from_str(text).map_err(not_a_report)?;
    let other = match value.get("measures").and_then(serde_json::Value::as_str) {
        Some("network") => Some("it is the report of a network, which “crossover calibrate --network NAME” reads"),
        Some("sharing") => Some("it is the report of two programs, which “crossover compare-share” reads"),
        _ => None,
    };
    if let Some(reason) = other {
        return Err(FileError::NotAReport { path: path.to_owned(), reason: reason.to_owned() });
    }
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(found) if found != u64::from(SCHEMA) => {
            Err(FileError::OtherSchema { path: path.to_owned(), found, readable: SCHEMA })
        }
        // Read again from the text: errors then name line and column.
        _ => serde_json::from_str(text).map_err(not_a_report),
    }
}

/// Writes a report, whole or not at all, as [`replace`] does.
///
/// # Errors
/// The file cannot be written; the old content is then still there.
pub fn write(path: &Path, report: &Report) -> Result<(), FileError> {
    let text = json(report).map_err(|cause| FileError::Write { path: path.to_owned(), cause })?;
    replace(path, &text)
}

/// Writes a report to a new file.
///
/// # Errors
/// The file exists ([`io::ErrorKind::AlreadyExists`]) or cannot be written.
pub fn write_new(path: &Path, report: &Report) -> Result<(), FileError> {
    let failed = |cause: io::Error| FileError::Write { path: path.to_owned(), cause };
    let text = json(report).map_err(failed)?;
    temporary(path, &text).map_err(failed)?.persist_noclobber(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Beginning of the names of files that are being written.
pub(super) const TEMPORARY_PREFIX: &str = ".gpu-bench-";

fn json(report: &Report) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(report)?;
    text.push(b'\n');
    Ok(text)
}

/// A synced file with this content in the folder of `target`, removed unless it is renamed.
fn temporary(target: &Path, text: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(".part");
    // Temporary files are private by default; a report is as readable as any file that the user writes.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests;
