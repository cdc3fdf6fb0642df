//! Query plans of every engine, in one binary that is linked once.

mod cases;
mod counted;
mod decide;
mod engines;
mod learn;
mod measured;
mod options;
mod spark_log;
mod spark_plans;
mod spark_sample;
mod volumes;

use std::path::Path;

use crossover_plan::{Control, Format, Import, ImportError, duckdb, postgres, spark};

/// Reads a file of a format; SQL is read by another crate.
fn read(format: Format, path: &Path, control: &Control) -> Result<Import, ImportError> {
    match format {
        Format::SparkLog => spark::read(path, control),
        Format::SparkPlan => spark::explain::read(path, control),
        Format::DuckDb => duckdb::read(path, control),
        Format::Postgres => postgres::read(path, control),
        Format::Sql => unreachable!("no test here reads SQL"),
    }
}
