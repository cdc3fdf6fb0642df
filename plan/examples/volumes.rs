//! Compares what the rules estimate from the plans of Spark event logs with what Spark counted when it ran them, as CSV: a line for
//! each query that read files. A summary follows on standard error.
//!
//! `cargo run --release -p crossover-plan --example volumes -- [--tables SIZES] [--plans FOLDER] [--markdown] LOG…`;
//! SIZES is a CSV with the columns `table,rows`, or a folder with one subfolder of Parquet files per table, whose
//! footers say what a scan reads. Other tables have the output rows of a scan of all their partitions. `--markdown`
//! prints a table in MB instead.
//!
//! With `--plans` the rules have nothing of the run: a query that the log describes as `q1` is estimated from `FOLDER/q1.txt`, a text
//! of `EXPLAIN`, and queries without a text are left out. `scenarios/truth/spark_volumes.py` makes such folders and logs.

#![expect(clippy::print_stdout, reason = "the table is the result of this command")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crossover_plan::cases::sizes;
use crossover_plan::{Control, Query, spark, stored};
use crossover_query::{EstimatedVolumes, Kind, Plan, StoredTables, TableSizes, Volumes, before_run, over_files};

/// Relative difference between estimate and count up to which the summary counts an estimate.
const WITHIN: f64 = 0.1;
/// Exchanges below this many GB are not part of the summary: most of them are headers.
const SMALL_EXCHANGES_GB: f64 = 1e-3;
/// The compared volumes; the last two are the data of the exchanges in Spark's own rows, its metric `data size`, and the bytes that it
/// wrote of them.
const NAMES: [&str; 5] =
    ["data read", "files", "data of exchanges in columns", "data of exchanges in rows", "shuffle bytes written"];
/// Places of those that leave out small exchanges.
const EXCHANGES: [usize; 3] = [2, 3, 4];
/// First lines of both forms.
const CSV: &str = "log,query,read_gb,read_gb_rules,files,files_rules,exchanged_gb,exchanged_gb_rules,data_gb,data_gb_rules,\
                   written_gb,written_gb_rules,assumed";
const MARKDOWN: &str = "\
| query | data read, MB | counted | files | counted | exchanges in columns, MB | counted | in rows, MB | counted | written, MB | counted |
|-------|---------------|---------|-------|---------|--------------------------|---------|-------------|---------|-------------|---------|";

fn main() -> ExitCode {
    match compare(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// What the arguments say.
#[derive(Default)]
struct Options {
    /// Rows of tables.
    sizes: TableSizes,
    /// Files of tables.
    files: StoredTables,
    /// Folder with the texts of plans.
    plans: Option<PathBuf>,
    is_markdown: bool,
    logs: Vec<PathBuf>,
}

impl Options {
    /// # Errors
    /// An argument is missing, or the sizes cannot be read.
    fn new(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--tables" => {
                    let path =
                        arguments.next().ok_or("--tables needs a file with the columns table,rows, or a folder")?;
                    let path = PathBuf::from(path);
                    if path.is_dir() {
                        options.files = stored::tables(&path).map_err(|error| error.to_string())?;
                    } else {
                        options.sizes = sizes(&path).map_err(|error| error.to_string())?;
                    }
                }
                "--plans" => {
                    let folder = arguments.next().ok_or("--plans needs a folder with the texts of EXPLAIN")?;
                    options.plans = Some(PathBuf::from(folder));
                }
                "--markdown" => options.is_markdown = true,
                _ => options.logs.push(PathBuf::from(argument)),
            }
        }
        if options.logs.is_empty() { Err("expected at least one event log".to_owned()) } else { Ok(options) }
    }
}

/// A query with its volumes: counted, and estimated.
struct Row {
    name: String,
    pairs: [[f64; 2]; 5],
    assumed: String,
}

/// Prints the table of all logs.
///
/// # Errors
/// An argument is missing, or a file cannot be read.
fn compare(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = Options::new(arguments)?;
    println!("{}", if options.is_markdown { MARKDOWN } else { CSV });
    let mut rows = Vec::new();
    for log in &options.logs {
        let import = spark::read(log, &Control::default()).map_err(|error| error.to_string())?;
        for query in &import.queries {
            let Some(row) = row(query, &options)? else { continue };
            if options.is_markdown {
                println!("{}", markdown(&row));
            } else {
                let cells: Vec<String> = row.pairs.iter().flatten().map(|value| format!("{value:.6}")).collect();
                println!("{},{},{},\"{}\"", import.file, row.name, cells.join(","), row.assumed);
            }
            rows.push(row);
        }
    }
    for (place, name) in NAMES.iter().enumerate() {
        let is_compared = |row: &&Row| !EXCHANGES.contains(&place) || row.pairs[place][0] >= SMALL_EXCHANGES_GB;
        let compared: Vec<&Row> = rows.iter().filter(is_compared).collect();
        let of = |parity: u32| {
            let found: Vec<[f64; 2]> =
                compared.iter().filter(|row| number(&row.name) % 2 == parity).map(|row| row.pairs[place]).collect();
            (near(&found), found.len())
        };
        let ((odd, of_odd), (even, of_even)) = (of(1), of(0));
        eprintln!(
            "{name}: within {:.0} % in {} of {}; odd numbers {odd} of {of_odd}, even numbers {even} of {of_even}",
            WITHIN * 100.0,
            odd + even,
            of_odd + of_even
        );
    }
    Ok(())
}

/// The number in the name of a query: 14 of "q14a". The rules are chosen on odd numbers and tested on even ones.
fn number(name: &str) -> u32 {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// A query that read files; `None` for others.
///
/// # Errors
/// The text of the plan cannot be read.
fn row(query: &Query, options: &Options) -> Result<Option<Row>, String> {
    let Some((counted, estimated)) = both(query, options)? else { return Ok(None) };
    Ok(Some(Row {
        name: if options.plans.is_some() { query.description.clone() } else { query.id.clone() },
        pairs: compared(&query.plan, &counted, &estimated),
        assumed: estimated.assumed.join("; ").replace('"', "'"),
    }))
}

/// A line of the table of docs/FIDELITY.md: estimates before counts.
fn markdown(row: &Row) -> String {
    let megabytes = |gigabytes: f64| {
        let megabytes = gigabytes * 1e3;
        let decimals = [100.0, 10.0, 1.0].iter().filter(|least| megabytes < **least).count();
        if megabytes > 0.0 && megabytes < 1e-3 { "< 0.001".to_owned() } else { format!("{megabytes:.decimals$}") }
    };
    let [read, [files, files_rules], columns, data, written] = row.pairs;
    let pair = |[counted, estimated]: [f64; 2]| format!("{} | {}", megabytes(estimated), megabytes(counted));
    format!(
        "| {} | {} | {files_rules:.0} | {files:.0} | {} | {} | {} |",
        row.name,
        pair(read),
        pair(columns),
        pair(data),
        pair(written)
    )
}

/// What Spark counted, and what the rules estimate; `None` if one of them is not known.
///
/// # Errors
/// The text of the plan cannot be read.
fn both(query: &Query, options: &Options) -> Result<Option<(Volumes, EstimatedVolumes)>, String> {
    let Some(counted) = Volumes::reported(&query.plan) else { return Ok(None) };
    let before = match &options.plans {
        Some(folder) => explained(folder, &query.description)?,
        None => Some(before_run(&query.plan, &options.sizes)),
    };
    let estimated = before.and_then(|plan| EstimatedVolumes::of(&over_files(&plan, &options.files)));
    Ok(estimated.map(|estimated| (counted, estimated)))
}

/// The plan in the text that has the name of a query; `None` if there is no such file.
///
/// # Errors
/// The file cannot be read.
fn explained(folder: &Path, name: &str) -> Result<Option<Plan>, String> {
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let file = folder.join(format!("{name}.txt"));
    if !is_name || !file.exists() {
        return Ok(None);
    }
    let import = spark::explain::read(&file, &Control::default()).map_err(|error| error.to_string())?;
    Ok(import.queries.first().map(|query| (*query.plan).clone()))
}

/// A metric of bytes of all exchanges, GB.
fn total_gb(plan: &Plan, metric: &str) -> f64 {
    let exchanges = plan.nodes.iter().filter(|node| node.works() && matches!(node.kind, Kind::Shuffle | Kind::Gather));
    exchanges.filter_map(|node| node.metric(metric)).sum::<f64>() / 1e9
}

/// Each volume of [`NAMES`], counted and estimated. A plan of a log does not say how wide Spark's rows are.
fn compared(plan: &Plan, counted: &Volumes, estimated: &EstimatedVolumes) -> [[f64; 2]; 5] {
    let exchanged = |volumes: &Volumes| volumes.exchanges_gb.iter().sum();
    let rules = &estimated.volumes;
    let known = |gigabytes: Option<f64>| gigabytes.unwrap_or(f64::NAN);
    [
        [counted.read_gb, rules.read_gb],
        [counted.files, rules.files],
        [exchanged(counted), exchanged(rules)],
        [total_gb(plan, "data size"), known(estimated.shuffled_gb)],
        [total_gb(plan, "shuffle bytes written"), known(estimated.written_gb)],
    ]
}

/// How many pairs are near each other.
fn near(pairs: &[[f64; 2]]) -> usize {
    pairs.iter().filter(|[counted, estimated]| (estimated - counted).abs() <= WITHIN * counted).count()
}
