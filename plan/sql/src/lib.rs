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
//! widths of the columns. Every other statement is a query: `SELECT`, `WITH`, `VALUES`. Its id is its `name`, or its
//! number among the queries.
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

mod comments;
mod functions;
mod planner;
mod problem;
mod relations;
mod shape;
mod statements;
mod table;
mod width;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;

use crossover_files::read::{self as files, ReadTextError};
use crossover_plan::{Control, Import, ImportError, Query};
use crossover_query::Plan;
use crossover_query::validate::validate;
use datafusion_sql::sqlparser::ast::Statement as Parsed;

use self::planner::Catalog;
use self::problem::Problem;
use self::statements::Statement;

/// The planner of the queries.
const ENGINE: &str = "SQL, planned by DataFusion 55";
/// Largest file, bytes; files are written by hand.
const MOST_BYTES: u64 = 4_000_000;
/// Stack of the thread that plans. Parsed conditions are as deep as they are long, and the planner descends into them.
const STACK_BYTES: usize = 1 << 30;
/// Name of the thread that plans a statement: its panics are caught, and reported as errors of the statement.
pub const SQL_PLANNER: &str = "sql planner";

/// Reads a file of SQL statements.
///
/// # Errors
/// [`ImportError`]: the file cannot be read, has more than 4 MiB or is no text; a statement that does not parse or is
/// not supported; a table without a size; a table, column or function that is not known; a statement that is too
/// large or nested too deeply. The message says where, and what was expected.
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    let text = text(path)?;
    let text = text.as_str();
    control.set_total(text.len() as u64);
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let import = thread::scope(|scope| {
        let planning = || queries(text, &file, path, control);
        let planner = thread::Builder::new().name(SQL_PLANNER.to_owned()).stack_size(STACK_BYTES);
        let planner = planner
            .spawn_scoped(scope, planning)
            .map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
        planner.join().unwrap_or_else(|_| Err(ImportError::unusable(path, "DataFusion's planner failed")))
    })?;
    Ok(Import { engine: ENGINE.to_owned(), file, queries: import, ..Import::default() })
}

fn text(path: &Path) -> Result<String, ImportError> {
    files::text(path, MOST_BYTES).map_err(|problem| match problem {
        ReadTextError::Unreadable(source) => ImportError::Read { path: path.to_owned(), source },
        ReadTextError::TooLarge(_) => {
            ImportError::unusable(path, format!("{problem}; SQL files up to that size are supported"))
        }
        ReadTextError::NotText => ImportError::unusable(path, "the file is not UTF-8 text; expected SQL statements"),
    })
}

fn queries(text: &str, file: &str, path: &Path, control: &Control) -> Result<Vec<Query>, ImportError> {
    let line_starts: Vec<u64> = text
        .lines()
        .scan(0, |start, line| {
            let this = *start;
            *start += line.len() as u64 + 1;
            Some(this)
        })
        .collect();
    let of_file = |problem: Problem| problem.of_file(path);
    let mut catalog = Catalog::new();
    let mut queries: Vec<Query> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut done = 0;
    for statement in statements::split(text).map_err(of_file)? {
        control.check()?;
        // The planner is a library of a hundred thousand lines: a fault in it costs the file, not the program.
        let found = catch_unwind(AssertUnwindSafe(|| read_statement(&statement, &mut catalog)));
        let found = found
            .unwrap_or_else(|_| Err(Problem::at(statement.start(), "DataFusion's planner failed on this statement")));
        if let Some((name, sql, nodes)) = found.map_err(|problem| of_file(problem.or_at(statement.start())))? {
            let id = name.unwrap_or_else(|| (queries.len() + 1).to_string());
            if !ids.insert(id.clone()) {
                return Err(of_file(Problem::at(
                    statement.start(),
                    format!("two queries have the name “{id}”; give each its own name"),
                )));
            }
            let plan = Plan {
                engine: ENGINE.to_owned(),
                file: file.to_owned(),
                query: id.clone(),
                description: sql.clone(),
                duration_seconds: None,
                stages: Vec::new(),
                balances: Vec::new(),
                nodes,
            };
            if let Err(invalid) = validate(&plan, "plan") {
                let problem = format!("the sizes give an invalid plan: {}: {}", invalid.path, invalid.problem);
                return Err(of_file(Problem::at(statement.start(), problem)));
            }
            queries.push(Query { id, description: sql, plan, ..Query::default() });
        }
        let reached = usize::try_from(statement.last_line()).ok().and_then(|line| line_starts.get(line)).copied();
        let reached = reached.unwrap_or(text.len() as u64);
        control.add(reached.saturating_sub(done));
        done = reached.max(done);
    }
    if queries.is_empty() {
        let problem = if catalog.tables.is_empty() {
            "the file has no statements; expected CREATE TABLE statements with sizes, and queries"
        } else {
            "the file has tables but no query; expected at least one SELECT"
        };
        return Err(ImportError::unusable(path, problem));
    }
    Ok(queries)
}

/// Name, text and nodes of a query.
type Found = (Option<String>, String, Vec<crossover_query::Node>);

/// Reads a table, or plans a query.
fn read_statement(statement: &Statement, catalog: &mut Catalog) -> Result<Option<Found>, Problem> {
    let properties = comments::read(statement)?;
    match statement.parse()? {
        Parsed::CreateTable(create) => {
            let (name, table) = table::read(create, &properties, statement.start(), &catalog.planner())?;
            if catalog.tables.contains_key(&name) {
                return Err(Problem::at(statement.start(), format!("table “{name}” is created twice")));
            }
            catalog.tables.insert(name, table);
            Ok(None)
        }
        Parsed::Query(query) => {
            relations::check(&query, &catalog.tables)?;
            let sql = query.to_string();
            let plan = catalog.plan(query)?;
            Ok(Some((properties.name, sql, shape::nodes(&plan, &catalog.tables)?)))
        }
        _ => Err(Problem::at(
            statement.start(),
            format!(
                "{} is not supported; expected CREATE TABLE or a query (SELECT, WITH, VALUES)",
                statement.first_words()
            ),
        )),
    }
}
