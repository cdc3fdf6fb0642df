//! Reads plans of PostgreSQL: JSON, YAML, XML or text of `EXPLAIN`, with or without `ANALYZE` and `BUFFERS`, from psql in every style,
//! from a client that exports rows as JSON or CSV, or from the log of `auto_explain`.
//!
//! PostgreSQL reports rows and time per loop, and time with everything below; here are totals over all loops, which
//! are those of all processes where a plan is parallel. It runs on one machine: `Gather` collects from processes, not
//! over a network. What stands above it is the work of one process.

mod forms;
mod kind;
mod links;
mod own_time;
mod plan;
mod stays;

use std::io::Read;
use std::path::Path;

use crossover_query::Node;

use crate::control::Control;
use crate::error::ImportError;
use crate::explain::Explain;
use crate::import::{Cluster, Import, Query};

const POSTGRES: Explain = Explain {
    engine: "PostgreSQL",
    expected: "the output of PostgreSQL's EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON), or of another format",
    root: "Plan",
    below: "Plans",
    listing: links::listing,
    statements: forms::statements,
    nodes: plan::nodes,
    balances: own_time::balances,
    times: &TIMES,
    complete: on_one_machine,
};

/// Times of nodes, of the statement, and of its triggers and `SERIALIZE`; the first row is a part of a node's time, and planning is no
/// part of the execution.
const TIMES: [&str; 5] = ["Actual Total Time", "Actual Startup Time", "Execution Time", "Planning Time", "Time"];

/// Most workers of PostgreSQL: the largest `max_worker_processes`.
const MOST_WORKERS: f64 = 262_143.0;

/// Reads a file.
///
/// # Errors
/// [`ImportError`]: unreadable, damaged (with line and column), or no plan of PostgreSQL (with the field).
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    POSTGRES.read(path, control)
}

/// As [`read()`], from any reader; `path` is the file's name.
///
/// # Errors
/// As [`read()`].
pub fn read_from(file: &mut dyn Read, path: &Path, control: &Control) -> Result<Import, ImportError> {
    POSTGRES.read_from(file, path, control)
}

/// Notes on its numbers, and its processes. `rounded_loops`: most loops of an operator whose rows per loop are rounded.
fn on_one_machine(mut import: Import, rounded_loops: f64) -> Import {
    let nodes = || import.queries.iter().flat_map(|query| &query.plan.nodes);
    let mut warnings = Vec::new();
    if rounded_loops > 1.0 {
        warnings.push(format!(
            "Up to version 17 PostgreSQL rounds the rows of one loop to whole rows: the total of an operator with n \
             loops is accurate to within n/2 rows. Here n is at most {rounded_loops}."
        ));
    }
    if nodes().any(|node| node.time.is_some()) {
        warnings.push("PostgreSQL's times include reading from storage.".to_owned());
    }
    let lacks_times = |query: &Query| {
        let has = |is_there: fn(&Node) -> bool| query.plan.nodes.iter().any(is_there);
        has(|node| node.metric(kind::LOOPS).is_some()) && !has(|node| node.time.is_some())
    };
    if import.queries.iter().any(lacks_times) {
        warnings.push(
            "A plan without operator times cannot be judged. Run EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) with TIMING ON, the \
             default."
                .to_owned(),
        );
    }
    let workers = nodes().filter_map(plan::workers).fold(0.0, f64::max);
    // Its times are those of one process and its workers, however many cores the machine has.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number within 0 … MOST_WORKERS")]
    let processes = 1 + workers.min(MOST_WORKERS) as u64;
    import.cluster = Cluster { machines: Some(1), cores_per_machine: Some(processes), ..Cluster::default() };
    warnings.append(&mut import.warnings);
    import.warnings = warnings;
    import
}
