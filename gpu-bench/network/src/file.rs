//! Reports of networks as files.

use std::io;
use std::path::Path;

use crossover_files::read::{self, ReadTextError};
use crossover_harness::file::{FileError, replace};
use crossover_measured::network::{NETWORK_SCHEMA, NetworkReport};
use serde::Deserialize;

/// Larger than any report.
const LARGEST_BYTES: u64 = 64_000_000;

/// What tells the report of a network from others.
#[derive(Debug, Deserialize)]
struct Kind {
    #[serde(default)]
    measures: String,
    #[serde(default)]
    schema: u64,
}

/// Reads the report of a network; none if the file is something else, such as a report of `gpu-bench run`.
///
/// # Errors
/// The file cannot be read, is damaged, or has another schema.
pub fn read(path: &Path) -> Result<Option<NetworkReport>, FileError> {
    let text = match read::text(path, LARGEST_BYTES) {
        Ok(text) => text,
        Err(ReadTextError::Unreadable(cause)) => return Err(FileError::Read { path: path.to_owned(), cause }),
        Err(_) => return Ok(None),
    };
    match serde_json::from_str::<Kind>(&text) {
        Ok(kind) if kind.measures == "network" && kind.schema != u64::from(NETWORK_SCHEMA) => {
            Err(FileError::OtherSchema { path: path.to_owned(), found: kind.schema, readable: NETWORK_SCHEMA })
        }
        Ok(kind) if kind.measures == "network" => {
            let damaged =
                |error: serde_json::Error| FileError::NotAReport { path: path.to_owned(), reason: error.to_string() };
            serde_json::from_str(&text).map(Some).map_err(damaged)
        }
        _ => Ok(None),
    }
}

/// The report as JSON.
///
/// # Errors
/// Never for a report that was measured.
pub fn json(report: &NetworkReport) -> io::Result<String> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// Writes a report, whole or not at all.
///
/// # Errors
/// The file cannot be written; the old content is then still there.
pub fn write(path: &Path, report: &NetworkReport) -> Result<(), FileError> {
    let text = json(report).map_err(|cause| FileError::Write { path: path.to_owned(), cause })?;
    replace(path, text.as_bytes())
}
