//! Files of a sample that comes with the program, in a temporary folder: pages read files by their paths.

use std::path::PathBuf;

use crossover_files::atomic;
use tempfile::TempDir;

/// Files in a temporary folder, which is deleted with this.
#[derive(Debug)]
pub(super) struct SampleFiles(TempDir);

impl SampleFiles {
    /// Writes files, each with its name and its text.
    ///
    /// # Errors
    /// The folder or a file cannot be written.
    pub(super) fn write(files: &[(&str, &str)]) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("crossover-sample-").tempdir();
        let written = Self(folder.map_err(|error| format!("cannot make a folder for the sample: {error}"))?);
        for (name, text) in files {
            atomic::write(&written.path(name), text.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(written)
    }

    /// The path of a file.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}
