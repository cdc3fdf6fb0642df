//! Reports of earlier runs: one file each in one folder, never changed once the run is over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Report;
use super::file::{self, FileError};

/// An earlier run, or a file in its place that cannot be read.
#[derive(Debug)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub report: Result<Report, FileError>,
}

/// Where this user's runs are kept; `None` where the system knows no such place.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|dirs| dirs.data_dir().join("crossover").join("measurements"))
}

/// All runs, the newest first.
///
/// # Errors
/// The folder exists and cannot be listed.
pub fn list(folder: &Path) -> io::Result<Vec<Entry>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort_unstable_by(|a, b| b.cmp(a));
    Ok(paths.into_iter().map(|path| Entry { report: file::read(&path), path }).collect())
}

/// A file for a new run: its time and device; numbered if that is taken.
#[must_use]
pub fn new_path(folder: &Path, report: &Report) -> PathBuf {
    let device = report.adapter.as_ref().map_or(&report.host.cpu, |adapter| &adapter.description.name);
    let letters = |text: &str| -> String {
        let plain = text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        plain.collect::<String>().split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
    };
    let stem = format!("{}-{}", report.time.replace(':', "-"), letters(device));
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut paths = std::iter::once(stem.clone()).chain(numbered).map(|stem| folder.join(format!("{stem}.json")));
    paths.find(|path| !path.exists()).unwrap_or_else(|| folder.join(format!("{stem}.json")))
}

/// Removes a run.
///
/// # Errors
/// The file cannot be removed.
pub fn delete(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}
