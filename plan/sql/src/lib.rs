//! Reads SQL: tables with their sizes, and queries that become plans for a cluster.
//!
//! # The file
//! Statements end in semicolons. `CREATE TABLE` gives a table's columns; a comment above it (or in it, or behind its
//! semicolon) gives its size, so that the file stays SQL for every engine:
//!
//! ```sql
//! -- rows: 6 billion
//! CREATE TABLE lineitem (l_orderkey BIGINT, l_quantity DECIMAL(15, 2), l_comment VARCHAR(44));
//!
//! -- size: 100 GB
//! -- row width: 1 kB
//! CREATE TABLE clicks (id INT, url VARCHAR);
//!
//! -- name: big orders
//! SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 300;
//! ```
//!
//! A table needs `rows` or `size` (bytes before compression); `row width` may be stated, else it is the sum of the
//! widths of the columns. Every other statement with a query is planned for it: `SELECT`, `WITH`, `VALUES`,
//! `CREATE TABLE … AS`, `CREATE VIEW`, `INSERT … SELECT`, `MERGE`, `COPY (…) TO`, `EXPLAIN`. Its id is its `name`, or its number
//! among the queries. What it writes is no part of the plan; later queries read its table as large as its plan says.
//!
//! A statement that cannot be planned is left out with its line and the reason; the others are planned all the same.
//!
//! # Dialects
//! The statements are parsed in the dialect that is named, else in the first under which all of them parse. Forms that
//! `DataFusion` does not have become forms that cost the same (`rewrite/`); functions that it does not have count as functions of
//! single values, or of many where they are called so (`foreign/`).
//!
//! # The plan
//! `DataFusion`'s planner, analyser and optimiser give the logical plan: conditions stand where rows are read, only
//! needed columns are read, subqueries are joins. Joins stay in the order in which they were written. A subquery that
//! is named with `WITH` and used twice is worked out twice. Where rows move between machines is decided by these
//! rules:
//!
//! - Aggregation by groups: on every machine, then a shuffle by the groups, then again. Without groups: on every
//!   machine, then gathered.
//! - Join: a side of at most 10 MiB (Spark's `spark.sql.autoBroadcastJoinThreshold`) that may be copied is copied to
//!   every machine, the smaller one if both are; else both sides are shuffled by the keys. Without keys the smaller
//!   side is copied whatever its size.
//! - Sort: a shuffle by ranges, then a sort on every machine; with a limit, the first rows of every machine are
//!   gathered. Limit: on every machine, then gathered, then again.
//! - Window functions: a shuffle by their partitions; without partitions, gathered.
//! - Recursive queries: the second part runs ten times, each time with as many rows as the first part gave. No GPU engine does that.
//! - What is on one machine already stays there. Rows that lie right by chance, because an earlier shuffle had the
//!   same keys, are shuffled again all the same.
//!
//! # The numbers
//! - Rows of a table: as stated. Width of a row: the columns' types as Spark counts them (a number 1 to 16 bytes, text
//!   20, binary 100); `CHAR(n)` n; `VARCHAR(n)` as PostgreSQL guesses (full up to 32, half of the rest). If a row
//!   width is stated, text and binary columns share what numbers leave.
//! - A filter passes a fifth of the rows (`IS NOT NULL` alone: all), a group has ten rows, a join gives as many rows as
//!   its larger input, a semi or anti join as many as the side that it keeps, a join without a condition every pair:
//!   guesses of [`fill`](crossover_query::fill()), marked as such.
//! - A limit is an upper bound. After it rows are counted as if one machine had kept them.
//!
//! Classes are those that Spark runs for such an operator by default; a scan has none, as it depends on the file
//! format.

mod asked;
mod comments;
mod dialect;
mod distinct;
mod file;
mod foreign;
mod forms;
mod functions;
mod operators;
mod parsers;
mod parts;
mod planner;
mod problem;
mod relations;
mod repair;
mod rewrite;
mod shape;
mod statements;
mod table;
mod types;
mod width;

use std::path::Path;
use std::thread;

use crossover_files::read::{self as files, ReadTextError};
use crossover_plan::{Control, Import, ImportError, SqlDialect};

/// The planner of the queries.
const ENGINE: &str = "SQL, planned by DataFusion 55";
/// Largest file, bytes; files are written by hand.
const MOST_BYTES: u64 = 4_000_000;
/// Stack of the thread that plans. Parsed conditions are as deep as they are long, and the planner descends into them.
const STACK_BYTES: usize = 1 << 30;
/// Name of the thread that plans a statement: its panics are caught, and reported as errors of the statement.
pub const SQL_PLANNER: &str = "sql planner";

/// Reads a file of SQL statements in the dialect that fits them best.
///
/// # Errors
/// As [`read_as()`].
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    read_as(path, None, control)
}

/// Reads a file of SQL statements; without a dialect, in that which fits them best.
///
/// # Errors
/// [`ImportError`]: the file cannot be read, has more than 4 MB or is no text; or none of its statements can be planned. The
/// message says where the first of them fails, and what was expected.
pub fn read_as(path: &Path, dialect: Option<SqlDialect>, control: &Control) -> Result<Import, ImportError> {
    let text = text(path)?;
    let text = text.as_str();
    control.set_total(text.len() as u64);
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (queries, warnings) = thread::scope(|scope| {
        let planning = || file::plan(text, dialect, &name, path, control);
        let planner = thread::Builder::new().name(SQL_PLANNER.to_owned()).stack_size(STACK_BYTES);
        let planner = planner
            .spawn_scoped(scope, planning)
            .map_err(|cause| ImportError::Read { path: path.to_owned(), cause })?;
        planner.join().unwrap_or_else(|_| Err(ImportError::unusable(path, "DataFusion's planner failed")))
    })?;
    Ok(Import { engine: ENGINE.to_owned(), file: name, queries, warnings, ..Import::default() })
}

fn text(path: &Path) -> Result<String, ImportError> {
    files::text(path, MOST_BYTES).map_err(|problem| match problem {
        ReadTextError::Unreadable(cause) => ImportError::Read { path: path.to_owned(), cause },
        ReadTextError::TooLarge(_) => {
            ImportError::unusable(path, format!("{problem}; SQL files up to that size are supported"))
        }
        ReadTextError::NotText => ImportError::unusable(path, "the file is not UTF-8 text; expected SQL statements"),
    })
}
