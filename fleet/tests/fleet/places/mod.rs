//! Logs in buckets and on History Servers answer as those of a folder, and what fails there is named.

mod buckets;
mod history;
mod loopback;
mod moto;
mod object_server;
mod spark_server;
mod zip;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossover_fleet::stores::{RetryLimits, Variables};
use crossover_fleet::tables::rows::Table;
use crossover_fleet::{FleetError, LogStores, Outcomes, RunOptions, run};
use crossover_needs::deadline;
use crossover_plan::Control;
use serde_json::Value;

use super::{base, read_all, rows};

/// Tables that are compared; of a log's path only the beginning differs.
const TABLES: [Table; 4] = [Table::Applications, Table::Queries, Table::Operators, Table::LeftOut];

/// Limits with short waits.
fn hasty() -> RetryLimits {
    RetryLimits {
        tries: 4,
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_millis(5),
        silence: deadline(),
    }
}

/// All places, with these environment variables.
fn places(variables: &[(&str, &str)], control: &Arc<Control>) -> LogStores {
    let variables: Variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    LogStores::new(variables, Arc::clone(control)).with_retry_limits(hasty())
}

fn try_read(places: &LogStores, paths: &[&str], out: &Path, control: &Control) -> Result<Outcomes, FleetError> {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    let base = base();
    run(&RunOptions { store: places, paths: &paths, base: &base, out, shard: None, threads: 4 }, control)
}

fn read(variables: &[(&str, &str)], paths: &[&str], out: &Path) -> Outcomes {
    let control = Arc::new(Control::default());
    try_read(&places(variables, &control), paths, out, &control).expect("as the test made it")
}

/// Why nothing is read where none of the paths can be.
fn refused(variables: &[(&str, &str)], paths: &[&str], out: &Path) -> String {
    let control = Arc::new(Control::default());
    let problem =
        try_read(&places(variables, &control), paths, out, &control).expect_err("nothing to read").to_string();
    assert!(problem.contains("no path can be read now"), "{problem}");
    problem
}

/// What a folder answers; its path as `there`.
fn of_folder(folder: &Path, there: &str) -> Vec<String> {
    let out = tempfile::tempdir().expect("as the test made it");
    drop(read_all(folder, out.path()));
    let path = folder.to_str().expect("as the test made it");
    texts(out.path()).into_iter().map(|text| text.replace(path, there)).collect()
}

/// The rows of all tables as text.
fn texts(out: &Path) -> Vec<String> {
    let lines = |table: Table| rows(out, table).iter().map(Value::to_string).collect::<Vec<String>>().join("\n");
    TABLES.into_iter().map(lines).collect()
}

/// Why something is left out.
fn why(out: &Path, path: &str) -> String {
    let rows = rows(out, Table::LeftOut);
    let row = rows.iter().find(|row| row["path"].as_str().is_some_and(|found| found.ends_with(path)));
    row.unwrap_or_else(|| panic!("{path} in {rows:?}"))["reason"].as_str().expect("as the test made it").to_owned()
}
