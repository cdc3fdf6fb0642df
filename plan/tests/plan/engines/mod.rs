//! Plans of DuckDB and PostgreSQL, plans of Spark as text, and the lists beside them: what the engines' samples say, in every
//! form in which they reach a file, and what is said of files that are none.

mod bad_input;
mod duckdb;
mod forms;
mod lists;
mod mutations;
mod postgres;
mod samples;
mod spark_plan;
mod stays;

use std::path::{Path, PathBuf};

use crossover_plan::{Control, Format, Import, ImportError};
use tempfile::TempDir;

/// A sample file of the engines.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// The import of a sample.
fn import(name: &str) -> Import {
    read(Format::of(&sample(name)).expect("a sample"), &sample(name)).expect("a sample")
}

fn read(format: Format, path: &Path) -> Result<Import, ImportError> {
    crate::read(format, path, &Control::default())
}

/// The import of a file with this content.
fn import_text(format: Format, content: impl AsRef<[u8]>) -> Result<Import, String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("plan.json");
    std::fs::write(&path, content).expect("a file is written");
    read(format, &path).map_err(|error| error.to_string().replace(&folder.path().display().to_string(), ""))
}
