//! Reads a file of any format.

use std::path::Path;
use std::sync::OnceLock;

use crate::control::Control;
use crate::dialect::SqlDialect;
use crate::error::ImportError;
use crate::format::Format;
use crate::import::Import;
use crate::{duckdb, postgres, spark};

/// Plans the statements of an SQL script and reads them as an import; without a dialect it is guessed from the script.
pub type SqlReader = fn(&Path, Option<SqlDialect>, &Control) -> Result<Import, ImportError>;

/// The SQL reader of this program.
static SQL_READER: OnceLock<SqlReader> = OnceLock::new();

/// Sets the SQL reader; only the first call has an effect. The program does this when it starts, so that no other crate
/// depends on an SQL planner, which is larger than all importers together.
pub fn set_sql_reader(reader: SqlReader) {
    // The program starts with one reader; a second call brings the same.
    _ = SQL_READER.set(reader);
}

/// Reads a file of a format.
///
/// # Errors
/// [`ImportError`]: the file cannot be read, is not of this format or is damaged, or the user cancelled; or it is SQL, and the
/// program has no reader for it.
pub fn read(format: Format, path: &Path, control: &Control) -> Result<Import, ImportError> {
    match format {
        Format::SparkLog => spark::read(path, control),
        Format::SparkPlan => spark::explain::read(path, control),
        Format::DuckDb => duckdb::read(path, control),
        Format::Postgres => postgres::read(path, control),
        Format::Sql => read_sql(path, None, control),
    }
}

/// Reads SQL statements; without a dialect it is guessed from the statements.
///
/// # Errors
/// As [`read()`].
pub fn read_sql(path: &Path, dialect: Option<SqlDialect>, control: &Control) -> Result<Import, ImportError> {
    match SQL_READER.get() {
        Some(read) => read(path, dialect, control),
        None => Err(ImportError::unusable(
            path,
            "this program has no SQL planner; explain the statements in DuckDB or PostgreSQL",
        )),
    }
}
