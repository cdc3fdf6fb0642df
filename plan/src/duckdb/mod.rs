//! Reads plans of DuckDB: JSON of `EXPLAIN (ANALYZE, FORMAT json)`, `EXPLAIN (FORMAT json)`, and of its profiler
//! (`PRAGMA enable_profiling = 'json'`, `profiling_output`), as versions 0.10 to 2.0 write it.
//!
//! An operator's time is its own, added up over threads. What `EXPLAIN` alone tells is the planner's guess.

mod forms;
mod kind;
mod plan;

use std::path::Path;

use crossover_model::plan::{Plan, validate::validate};

use crate::error::ImportError;
use crate::import::{Cluster, Control, Import, Query};
use crate::json;
use crate::outline::Outline;
use forms::Statement;

/// What a file must have.
const EXPECTED: &str = "the JSON of DuckDB's EXPLAIN (ANALYZE, FORMAT json) or of its profiler";

/// Reads a file.
///
/// # Errors
/// [`ImportError`]: unreadable, damaged (with line and column), or no plan of DuckDB (with the field).
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
    let cluster = Cluster { machines: Some(1), ..Cluster::default() };
    Ok(Import { engine: "DuckDB".to_owned(), file, queries, cluster, ..Import::default() })
}

/// One statement, with its plan.
fn query(statement: &Statement, file: &str, number: usize) -> Result<Query, String> {
    let outline = Outline::new(("plan", &statement.root), "children", plan::listing)?;
    let nodes = plan::nodes(&outline)?;
    let id = number.to_string();
    let description = statement.sql.clone().unwrap_or_else(|| format!("statement {number}"));
    let plan = Plan {
        engine: "DuckDB".to_owned(),
        file: file.to_owned(),
        query: id.clone(),
        description: description.clone(),
        duration_seconds: statement.seconds,
        nodes,
    };
    validate(&plan, "plan").map_err(|invalid| format!("{}: {}", invalid.path, invalid.problem))?;
    Ok(Query { id, description, duration_seconds: statement.seconds, plan, ..Query::default() })
}
