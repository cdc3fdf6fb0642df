//! Reads plans of Spark as text: the output of `EXPLAIN`, `EXPLAIN EXTENDED`, `EXPLAIN COST`, `EXPLAIN FORMATTED` and
//! `DataFrame.explain`, so that a query can be judged before it runs.
//!
//! A text has no times, and rows only where the planner or adaptive execution states them. Its operators become the same nodes
//! as those of an event log:
//!
//! - `client`: what notebooks and shells put around the lines
//! - `sections`: the plans of a file, and of each its trees and the numbered details below them
//! - `line`, `statistics`: a line of a tree, and the sizes in it
//! - `tree`, `simple`: operators, by the texts that an event log has of them, and what is below what
//! - `links`: reused exchanges and subqueries
//! - `relations`: the sizes of tables
//! - `plan`: all of it as a plan
//! - `version`: the version of Spark, where a shell wrote it

mod client;
mod line;
mod links;
mod plan;
mod relations;
mod sections;
mod simple;
mod statistics;
mod tree;
mod version;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crossover_query::Plan;
use crossover_query::validate::validate;

use self::sections::PlanText;
use self::tree::Tree;
use super::native::Loaded;
use crate::control::Control;
use crate::error::ImportError;
use crate::import::{Import, Query};
use crate::json;

pub(crate) use self::client::is_plan;

/// Expected content of a file, for the end of a message.
const EXPECTED: &str = "the text of Spark's EXPLAIN FORMATTED, EXTENDED or COST, with a line “== Physical Plan ==”";

/// Reads a file.
///
/// # Errors
/// [`ImportError`]: unreadable, larger than 32 MiB, no text or without a plan, or the user cancelled.
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
    let mut file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if about.is_dir() {
        return Err(ImportError::unusable(path, format!("a folder; expected a file with {EXPECTED}")));
    }
    control.set_total(about.len());
    read_from(&mut file, path, control)
}

/// As [`read()`], from any reader; `path` is the file's name.
///
/// # Errors
/// As [`read()`].
pub fn read_from(file: &mut dyn Read, path: &Path, control: &Control) -> Result<Import, ImportError> {
    let unusable = |problem: String| ImportError::unusable(path, problem);
    let text = json::whole_text(file, path, EXPECTED, control)?;
    let text = client::bare(&text);
    let plans = sections::plans(&text);
    json::check_count(plans.len()).map_err(unusable)?;
    if plans.is_empty() {
        return Err(unusable(format!("no plan of Spark in it; expected {EXPECTED}")));
    }
    let mut trees = Vec::with_capacity(plans.len());
    for plan in &plans {
        control.check()?;
        trees.push(Tree::new(plan));
    }
    let spark = version::of(&text).map_or_else(|| "Spark".to_owned(), |version| format!("Spark {version}"));
    let native = Loaded::default().ran(trees.iter().flat_map(Tree::raw));
    let mut import = Import {
        engine: native.map_or_else(|| spark.clone(), |native| format!("{native} on {spark}")),
        file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        ..Import::default()
    };
    for (number, (text, tree)) in (1..).zip(plans.iter().zip(&trees)) {
        control.check()?;
        match query(text, tree, &import, number) {
            Ok(query) => import.queries.push(query),
            Err(problem) if plans.len() == 1 => return Err(unusable(problem)),
            Err(problem) => import.warnings.push(format!("plan {number} cannot be used and was left out: {problem}")),
        }
    }
    if import.queries.is_empty() {
        return Err(unusable(format!("none of its {} plans can be used: {}", plans.len(), import.warnings.join("; "))));
    }
    Ok(import)
}

/// One plan as a query.
///
/// # Errors
/// Why it cannot be used, with the line at which it begins.
fn query(text: &PlanText, tree: &Tree, import: &Import, number: usize) -> Result<Query, String> {
    let description = text.title.clone().unwrap_or_else(|| format!("plan {number}"));
    let id = number.to_string();
    let (nodes, warnings) = plan::nodes(text, tree);
    let plan = Plan {
        engine: import.engine.clone(),
        file: import.file.clone(),
        query: id.clone(),
        description: description.clone(),
        nodes,
        ..Plan::default()
    };
    let line = text.line;
    validate(&plan, "plan")
        .map_err(|invalid| format!("the plan that begins on line {line}: {}: {}", invalid.path, invalid.problem))?;
    Ok(Query { id, description, warnings, plan: plan.into(), ..Query::default() })
}
