//! SQL files become plans.

mod apply;
mod copies;
mod dialects;
mod errors;
mod example;
mod figures;
mod forms;
mod published;
mod shapes;
mod shared_forms;
mod statements;
mod tpch;
mod tsql;
mod wildcard;

use std::fmt::Write;
use std::path::PathBuf;

use crossover_plan::{Control, Import, ImportError, Query, SqlDialect};
use crossover_query::{Amount, fill, validate};

/// Imports a text as if it stood in a file called `queries.sql`.
fn import(text: &str) -> Result<Import, ImportError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries.sql");
    std::fs::write(&path, text).expect("a written file");
    crossover_sql::read(&path, &Control::default())
}

/// The same in a dialect.
fn import_as(dialect: SqlDialect, text: &str) -> Result<Import, ImportError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("queries.sql");
    std::fs::write(&path, text).expect("a written file");
    crossover_sql::read_as(&path, Some(dialect), &Control::default())
}

/// The only query of a text.
fn query(text: &str) -> Query {
    let import = import(text).expect("an import");
    assert_eq!(import.queries.len(), 1, "one query");
    import.queries.into_iter().next().expect("one query")
}

/// What is wrong with a text, without the path of the file.
fn problem(text: &str) -> String {
    let error = import(text).expect_err("a refusal").to_string();
    let (_, problem) = error.split_once("queries.sql: ").expect("the file's name comes first");
    problem.to_owned()
}

/// The plan as an indented tree: name, detail, rows given and the bytes of a row, guesses marked with "~".
fn drawn(query: &Query) -> String {
    let plan = &query.plan;
    validate::validate(plan, "query.plan").expect("a valid plan");
    let numbers = fill(plan);
    let mut text = String::new();
    let mut stack = vec![(0, 0)];
    while let Some((id, depth)) = stack.pop() {
        let node = &plan.nodes[id];
        let detail = if node.detail.is_empty() { String::new() } else { format!(" [{}]", node.detail) };
        let figure = |figure: Amount| format!("{}{}", if figure.is_estimated() { "~" } else { "" }, figure.value);
        writeln!(
            text,
            "{:indent$}{}{detail}: {} rows of {} B",
            "",
            node.name,
            figure(numbers[id].rows_out),
            figure(numbers[id].row_width),
            indent = 2 * depth
        )
        .expect("text");
        stack.extend(node.inputs.iter().rev().map(|input| (*input, depth + 1)));
    }
    text
}

/// A file that comes with the tests or with the program.
fn file(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}
