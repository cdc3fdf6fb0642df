//! Files of cases and of sizes of tables.

use std::path::{Path, PathBuf};

use crossover_quantity::invalid::did_you_mean;
use crossover_query::TableSizes;

use super::table::{Row, Table};
use super::{Case, CaseError, QUERY, Scale, Time};
use crate::format::Format;

/// Columns that a file must have.
const NEEDED: [&str; 7] = ["case", "plan", "format", "scale", "scenario", "cpu_seconds", "gpu_seconds"];
/// Names of the formats.
const FORMATS: [(&str, Format); 5] = [
    ("spark-log", Format::SparkLog),
    ("spark-plan", Format::SparkPlan),
    ("duckdb", Format::DuckDb),
    ("postgres", Format::Postgres),
    ("sql", Format::Sql),
];
/// In place of a time: that of the plan.
const OF_PLAN: &str = "plan";
/// Longest time of a run, seconds: thirty years.
const LONGEST: f64 = 1e9;
/// Most rows of a table.
const MOST_ROWS: f64 = 1e18;
/// Lines of missing plans in the message.
const LINES_NAMED: usize = 8;

/// Reads a file of cases.
///
/// # Errors
/// The file cannot be read, a column is missing or unknown, a cell is wrong; with line and column.
pub fn cases(path: &Path) -> Result<Vec<Case>, CaseError> {
    let table = Table::read(path)?;
    let optional = table.columns.iter().filter(|column| !NEEDED.contains(&column.as_str()) && *column != QUERY);
    if let Some(unknown) = optional.into_iter().next() {
        let hint = did_you_mean(unknown, NEEDED.iter().chain(&[QUERY]));
        return Err(table.error(
            1,
            None,
            format!("there is no column “{unknown}”{hint}; columns: {} and {QUERY}", NEEDED.join(", ")),
        ));
    }
    for needed in NEEDED {
        table.has(needed)?;
    }
    let mut cases = Vec::with_capacity(table.rows.len());
    // All missing plans in one error, so that they can be made in one go.
    let is_missing =
        |row: &&Row| row.cells.get("plan").is_some_and(|plan| !plan.is_empty() && !table.beside(plan).exists());
    let missing: Vec<&Row> = table.rows.iter().filter(is_missing).collect();
    if let [first, others @ ..] = &missing[..]
        && !others.is_empty()
    {
        let lines: Vec<String> = others.iter().take(LINES_NAMED).map(|row| row.line.to_string()).collect();
        let more = if others.len() > lines.len() { ", …" } else { "" };
        let plan = table.beside(&first.cells["plan"]);
        let lines = lines.join(", ");
        let problem = format!("{} and {} more plans do not exist (lines {lines}{more})", plan.display(), others.len());
        return Err(table.error(first.line, Some("plan"), problem));
    }
    for row in &table.rows {
        cases.push(case(&table, row)?);
    }
    if cases.is_empty() {
        return Err(table.error(1, None, "a header without cases; expected at least one".to_owned()));
    }
    Ok(cases)
}

/// The path, if it is a file or a folder. Reading a pipe or a device could block forever.
fn found(path: PathBuf) -> Result<PathBuf, String> {
    match path.metadata() {
        Ok(there) if there.is_file() || there.is_dir() => Ok(path),
        Ok(_) => Err(format!("{} is neither a file nor a folder", path.display())),
        Err(_) => Err(format!("{} does not exist", path.display())),
    }
}

fn case(table: &Table, row: &Row) -> Result<Case, CaseError> {
    let cell = |column: &'static str| row.cells.get(column).map_or("", String::as_str);
    let wrong = |column: &'static str, problem: String| table.error(row.line, Some(column), problem);
    let needed = |column: &'static str| match cell(column) {
        "" => Err(wrong(column, "is empty".to_owned())),
        text => Ok(text),
    };
    let file = |column: &'static str, text: &str| {
        let path = table.beside(text);
        found(path).map_err(|problem| wrong(column, problem))
    };
    let format = match cell("format") {
        "" => None,
        text => {
            let found = FORMATS.iter().find(|(name, _)| *name == text);
            let names = FORMATS.map(|(name, _)| name);
            let problem = || {
                format!(
                    "“{text}” is not a format{}; allowed: {}, or nothing",
                    did_you_mean(text, names),
                    names.join(", ")
                )
            };
            Some(found.ok_or_else(|| wrong("format", problem()))?.1)
        }
    };
    let time = |column: &'static str| match cell(column) {
        "" => Ok(Time::Unknown),
        OF_PLAN => Ok(Time::OfPlan),
        text => match text.parse::<f64>() {
            Ok(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(Time::Seconds(seconds)),
            Ok(seconds) => {
                Err(wrong(column, format!("{seconds} is not a valid time; allowed: more than 0, up to 1e9 s")))
            }
            Err(_) => {
                Err(wrong(column, format!("“{text}” is not a number of seconds; “{OF_PLAN}” is the time in the plan")))
            }
        },
    };
    let scale = match cell("scale") {
        "" => Scale::Factor(1.0),
        text => {
            let existing = |text: &str| found(table.beside(text));
            Scale::parse(text, existing).map_err(|problem| wrong("scale", problem))?
        }
    };
    let (cpu, gpu) = (time("cpu_seconds")?, time("gpu_seconds")?);
    Ok(Case {
        name: needed("case")?.to_owned(),
        plan: file("plan", needed("plan")?)?,
        format,
        query: cell(QUERY).to_owned(),
        scale,
        scenario: file("scenario", needed("scenario")?)?,
        cpu,
        gpu,
        place: (table.file.clone(), row.line),
    })
}

/// Reads the sizes of tables: CSV `table,rows`.
///
/// # Errors
/// The file cannot be read, a column is missing, a table appears twice or its rows are not a count; with line and column.
pub fn sizes(path: &Path) -> Result<TableSizes, CaseError> {
    let table = Table::read(path)?;
    table.has("table")?;
    table.has("rows")?;
    let mut sizes = TableSizes::new();
    for row in &table.rows {
        let wrong = |column: &'static str, problem: String| table.error(row.line, Some(column), problem);
        let (name, text) = (row.cells["table"].as_str(), row.cells["rows"].as_str());
        if name.is_empty() {
            return Err(wrong("table", "is empty".to_owned()));
        }
        let rows = text.parse::<f64>().map_err(|_| wrong("rows", format!("“{text}” is not a number")))?;
        if !(1.0..=MOST_ROWS).contains(&rows) {
            return Err(wrong("rows", format!("{rows} is out of range; allowed: 1 … 1e18")));
        }
        if sizes.insert(name.to_owned(), rows).is_some() {
            return Err(wrong("table", format!("“{name}” appears twice")));
        }
    }
    if sizes.is_empty() {
        return Err(table.error(1, None, "a header without tables; expected at least one".to_owned()));
    }
    Ok(sizes)
}
