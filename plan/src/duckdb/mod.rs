//! Reads plans of DuckDB: JSON of `EXPLAIN (ANALYZE, FORMAT json)`, `EXPLAIN (FORMAT json)`, and of its profiler
//! (`PRAGMA enable_profiling = 'json'`, `profiling_output`), as versions 0.10 to 2.0 write it.
//!
//! An operator's time is its own, added up over threads. Numbers of `EXPLAIN` without ANALYZE are estimates of the planner.
//! DuckDB writes no number of threads. So time is missing for certain only where the operators' times are less than the query's even on
//! one thread, as with `COPY`, whose files are written outside of its operators.

mod balance;
mod columns;
mod forms;
mod kind;
mod plan;

use std::io::Read;
use std::path::Path;

use crate::control::Control;
use crate::error::ImportError;
use crate::explain::Explain;
use crate::import::{Cluster, Import, Query};

const DUCKDB: Explain = Explain {
    engine: "DuckDB",
    expected: "the JSON of DuckDB's EXPLAIN (ANALYZE, FORMAT json) or of its profiler",
    root: "plan",
    below: "children",
    listing: plan::listing,
    statements: forms::statements,
    nodes: plan::nodes,
    balances: balance::balances,
    times: &TIMES,
    complete: |import, _| on_one_machine(import),
};

/// What a file without a query's time lacks, and how to get it.
const NO_TOTAL: &str = "The file has times of operators but no time of the query: EXPLAIN (ANALYZE, FORMAT json) writes a latency of 0. \
    Its time is predicted, between that of the operators on all cores and on one. To measure it, profile the query: SET \
    enable_profiling = 'json'; SET profiling_output = 'profile.json'.";
/// Times of operators and of the query; `cpu_time` is DuckDB's sum of the former, and binding is no part of the execution.
const TIMES: [&str; 6] = ["operator_timing", "timing", "latency", "total_time", "cpu_time", "binding_time"];

/// Reads a file.
///
/// # Errors
/// [`ImportError`]: unreadable, damaged (with line and column), or no plan of DuckDB (with the field).
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    DUCKDB.read(path, control)
}

/// As [`read()`], from any reader; `path` is the file's name.
///
/// # Errors
/// As [`read()`].
pub fn read_from(file: &mut dyn Read, path: &Path, control: &Control) -> Result<Import, ImportError> {
    DUCKDB.read_from(file, path, control)
}

/// With a warning if operators have times but the query has none.
fn on_one_machine(import: Import) -> Import {
    let has_no_total =
        |query: &Query| query.duration_seconds.is_none() && query.plan.nodes.iter().any(|node| node.time.is_some());
    let mut warnings = import.warnings;
    if import.queries.iter().any(has_no_total) {
        warnings.push(NO_TOTAL.to_owned());
    }
    Import { cluster: Cluster { machines: Some(1), ..Cluster::default() }, warnings, ..import }
}
