//! Every importer of query plans, by the format that it reads.

use std::path::Path;

use crossover_plan::{Control, Format, Import, ImportError, duckdb, postgres, spark};

/// Reads a file of a format.
///
/// # Errors
/// [`ImportError`]: the file cannot be read, is not of this format or is damaged, or the user cancelled.
pub fn read(format: Format, path: &Path, control: &Control) -> Result<Import, ImportError> {
    match format {
        Format::SparkLog => spark::read(path, control),
        Format::DuckDb => duckdb::read(path, control),
        Format::Postgres => postgres::read(path, control),
        Format::Sql => crossover_sql::read(path, control),
    }
}
