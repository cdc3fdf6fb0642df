//! The published queries of TPC-DS, the Join Order Benchmark and `ClickBench` are planned in each dialect that they are published in. Their
//! texts are no part of the repository.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crossover_plan::SqlDialect;

use super::import_as;

/// Environment variable: a folder with a folder for each suite, and in it one for each dialect, or several whose names go on behind a hyphen,
/// such as `tpcds/postgres` and `tpcds/clickhouse-altinity`. Each has `tables.sql`, the tables with their sizes, and files with queries.
const QUERIES: &str = "CROSSOVER_SQL_QUERIES";
/// Suites with the numbers of their queries.
const SUITES: [(&str, usize); 3] = [("tpcds", 99), ("job", 113), ("clickbench", 43)];

#[test]
fn published_queries_are_planned_in_their_dialects() {
    let Some(folder) = env::var_os(QUERIES).map(PathBuf::from) else {
        crossover_needs::not_run(&format!("no published queries; set {QUERIES} to their folder"));
        return;
    };
    let mut failed = String::new();
    for (suite, count) in SUITES {
        let folders = files(&folder.join(suite));
        let of_dialects: Vec<(&PathBuf, SqlDialect)> =
            folders.iter().filter_map(|folder| Some((folder, dialect(folder)?))).collect();
        assert!(!of_dialects.is_empty(), "{}: no folder of a dialect", folder.join(suite).display());
        for (folder, dialect) in of_dialects {
            let import = import_as(dialect, &statements(folder)).expect("an import");
            let left_out: Vec<&String> = import.warnings.iter().filter(|note| note.contains("was left out")).collect();
            if !left_out.is_empty() || import.queries.len() < count {
                let planned = import.queries.len();
                writeln!(failed, "{}: {planned} of {count}: {left_out:#?}", folder.display()).expect("text");
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// The dialect of a folder; none of `tables.sql` and the like.
fn dialect(folder: &Path) -> Option<SqlDialect> {
    let name = folder.file_name()?.to_str().filter(|_| folder.is_dir())?;
    let first = name.split('-').next()?;
    SqlDialect::ALL.into_iter().find(|dialect| dialect.name() == first)
}

/// The tables of a folder, and then its queries, each with the name of its file.
fn statements(folder: &Path) -> String {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = read(&folder.join("tables.sql"));
    for path in files(folder) {
        if path.extension().is_some_and(|extension| extension == "sql") && !path.ends_with("tables.sql") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            write!(text, "\n;\n-- name: {name}\n{}", read(&path)).expect("text");
        }
    }
    text
}

/// What a folder holds, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}
