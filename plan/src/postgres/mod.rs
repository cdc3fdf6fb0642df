//! Reads plans of PostgreSQL: JSON of `EXPLAIN (FORMAT JSON)`, with or without `ANALYZE` and `BUFFERS`, from psql, from
//! a client that exports rows as JSON, or from the log of `auto_explain`.
//!
//! PostgreSQL reports rows and time per loop, and time with everything below; here are totals over all loops, which
//! are those of all processes where a plan is parallel. It runs on one machine: `Gather` collects from processes, not
//! over a network.

mod forms;
mod kind;
mod links;
mod plan;

use std::path::Path;

use crossover_model::plan::{Plan, validate::validate};

use crate::error::ImportError;
use crate::import::{Cluster, Control, Import, Query};
use crate::json;
use crate::outline::Outline;
use forms::Statement;

/// What a file must have.
const EXPECTED: &str = "the JSON of PostgreSQL's EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";

/// Most workers of PostgreSQL: the largest `max_worker_processes`.
const MOST_WORKERS: f64 = 262_143.0;

/// Reads a file.
///
/// # Errors
/// [`ImportError`]: unreadable, damaged (with line and column), or no plan of PostgreSQL (with the field).
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    let unusable = |problem: String| ImportError::unusable(path, problem);
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut queries = Vec::new();
    for document in json::documents(path, EXPECTED, control)? {
        for statement in forms::statements(document).map_err(unusable)? {
            control.check()?;
            let query = query(&statement, &file, queries.len() + 1).map_err(unusable)?;
            queries.push(query);
            json::check_count(queries.len()).map_err(unusable)?;
        }
    }
    if queries.is_empty() {
        return Err(unusable(format!("no plan in it; expected {EXPECTED}")));
    }
    let loops = |query: &Query| query.plan.nodes.iter().filter_map(|node| node.metric(plan::LOOPS)).fold(0.0, f64::max);
    let most_loops = queries.iter().map(loops).fold(0.0, f64::max);
    let mut notes = Vec::new();
    if most_loops > 1.0 {
        notes.push(format!(
            "Up to version 17 PostgreSQL rounds the rows of one loop to whole rows: the total of an operator with n \
             loops is right to within n/2 rows. Here n is at most {most_loops}."
        ));
    }
    if queries.iter().any(|query| query.plan.nodes.iter().any(|node| node.time.is_some())) {
        notes.push("PostgreSQL's times contain reading from storage.".to_owned());
    }
    let workers = queries.iter().flat_map(|query| &query.plan.nodes).filter_map(plan::workers).fold(0.0, f64::max);
    // Its times are those of one process and its workers, however many cores the machine has.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number within 0 … MOST_WORKERS")]
    let processes = 1 + workers.min(MOST_WORKERS) as u64;
    let cluster = Cluster { machines: Some(1), cores_per_machine: Some(processes), ..Cluster::default() };
    Ok(Import { engine: "PostgreSQL".to_owned(), file, queries, cluster, notes, ..Import::default() })
}

/// One statement, with its plan.
fn query(statement: &Statement, file: &str, number: usize) -> Result<Query, String> {
    let outline = Outline::new(("Plan", &statement.root), "Plans", links::listing)?;
    let nodes = plan::nodes(&outline)?;
    let measured = nodes[0].time.map(|time| time.seconds);
    let duration_seconds = statement.seconds.or(measured);
    let id = number.to_string();
    let description = statement.sql.clone().unwrap_or_else(|| format!("statement {number}"));
    let plan = Plan {
        engine: "PostgreSQL".to_owned(),
        file: file.to_owned(),
        query: id.clone(),
        description: description.clone(),
        duration_seconds,
        nodes,
    };
    validate(&plan, "plan").map_err(|invalid| format!("{}: {}", invalid.path, invalid.problem))?;
    Ok(Query { id, description, duration_seconds, plan, ..Query::default() })
}
