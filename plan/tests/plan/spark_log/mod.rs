//! Spark event logs become imports.

mod damage;
mod engines;
mod files;
mod published;
mod sums;
mod synthetic;

use std::fs;
use std::path::{Path, PathBuf};

use crossover_plan::{Control, Import, ImportError, spark};
use tempfile::TempDir;

/// A folder that lasts as long as a test.
fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Writes a file into a folder.
fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).expect("the file is written");
    path
}

/// Reads a log.
fn read(path: &Path) -> Result<Import, ImportError> {
    spark::read(path, &Control::default())
}

/// Reads a log that is a text.
fn read_text(text: impl AsRef<[u8]>) -> Result<Import, ImportError> {
    let folder = folder();
    read(&write(folder.path(), "log", text))
}

/// Reads a log that is a text without fault.
fn import(text: impl AsRef<[u8]>) -> Import {
    read_text(text).expect("the log is read")
}

/// What is wrong with a log, in words.
fn problem(text: impl AsRef<[u8]>) -> String {
    read_text(text).expect_err("the log is refused").to_string()
}
