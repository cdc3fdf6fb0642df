//! Compares what the rules estimate from the plans of Spark event logs with what Spark counted when it ran them, as CSV: a line for
//! each query that read files. A summary follows on standard error.
//!
//! `cargo run --release -p crossover-plan --example volumes -- [--tables SIZES.csv] [--plans FOLDER] LOG…`; the file of sizes has the
//! columns `table,rows`. Other tables have the output rows of a scan of all their partitions.
//!
//! With `--plans` the rules have nothing of the run: a query that the log describes as `q1` is estimated from `FOLDER/q1.txt`, a text
//! of `EXPLAIN`, and queries without a text are left out. `scenarios/truth/spark_volumes.py` makes such folders and logs.

#![expect(clippy::print_stdout, reason = "the table is the result of this command")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crossover_plan::cases::sizes;
use crossover_plan::{Control, Query, spark};
use crossover_query::{EstimatedVolumes, Plan, TableSizes, Volumes, before_run};

/// Relative difference between estimate and count up to which the summary counts an estimate.
const WITHIN: f64 = 0.1;
/// Exchanges below this many GB are not part of the summary: most of them are headers.
const SMALL_EXCHANGES_GB: f64 = 1e-3;
/// The compared volumes.
const NAMES: [&str; 3] = ["data read", "files", "data of exchanges"];

fn main() -> ExitCode {
    match compare(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table of all logs.
///
/// # Errors
/// An argument is missing, or a file cannot be read.
fn compare(mut arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let mut tables = TableSizes::new();
    let mut plans = None;
    let mut logs = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--tables" {
            let file = arguments.next().ok_or("--tables needs a file with the columns table,rows")?;
            tables = sizes(&PathBuf::from(file)).map_err(|error| error.to_string())?;
        } else if argument == "--plans" {
            plans = Some(PathBuf::from(arguments.next().ok_or("--plans needs a folder with the texts of EXPLAIN")?));
        } else {
            logs.push(PathBuf::from(argument));
        }
    }
    if logs.is_empty() {
        return Err("expected at least one event log".to_owned());
    }
    println!("log,query,read_gb,read_gb_rules,files,files_rules,exchanged_gb,exchanged_gb_rules,written_gb,assumed");
    let mut pairs: [Vec<[f64; 2]>; 3] = Default::default();
    for log in logs {
        let import = spark::read(&log, &Control::default()).map_err(|error| error.to_string())?;
        for query in &import.queries {
            let Some((counted, estimated)) = both(query, plans.as_deref(), &tables)? else { continue };
            let assumed = estimated.assumed.join("; ").replace('"', "'");
            let found = compared(&counted, &estimated.volumes);
            let cells: Vec<String> = found.iter().flatten().map(|value| format!("{value:.6}")).collect();
            let name = if plans.is_some() { &query.description } else { &query.id };
            println!("{},{name},{},{:.6},\"{assumed}\"", import.file, cells.join(","), written_gb(&query.plan));
            for (pairs, pair) in pairs.iter_mut().zip(found) {
                pairs.push(pair);
            }
        }
    }
    pairs[2].retain(|[counted, _]| *counted >= SMALL_EXCHANGES_GB);
    for (name, pairs) in NAMES.iter().zip(&pairs) {
        eprintln!("{name}: within {:.0} % in {} of {}", WITHIN * 100.0, near(pairs), pairs.len());
    }
    Ok(())
}

/// What Spark counted, and what the rules estimate; `None` if one of them is not known.
///
/// # Errors
/// The text of the plan cannot be read.
fn both(
    query: &Query,
    plans: Option<&Path>,
    tables: &TableSizes,
) -> Result<Option<(Volumes, EstimatedVolumes)>, String> {
    let Some(counted) = Volumes::reported(&query.plan) else { return Ok(None) };
    let before = match plans {
        Some(folder) => explained(folder, &query.description)?,
        None => Some(before_run(&query.plan, tables)),
    };
    Ok(before.and_then(|plan| EstimatedVolumes::of(&plan)).map(|estimated| (counted, estimated)))
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

/// Compressed bytes that the exchanges wrote, GB: beside their data, which the rules estimate.
fn written_gb(plan: &Plan) -> f64 {
    let nodes = plan.nodes.iter().filter(|node| node.works());
    nodes.filter_map(|node| node.metric("shuffle bytes written")).sum::<f64>() / 1e9
}

/// Each volume of [`NAMES`], counted and estimated.
fn compared(counted: &Volumes, estimated: &Volumes) -> [[f64; 2]; 3] {
    let exchanged = |volumes: &Volumes| volumes.exchanges_gb.iter().sum();
    [[counted.read_gb, estimated.read_gb], [counted.files, estimated.files], [exchanged(counted), exchanged(estimated)]]
}

/// How many pairs are near each other.
fn near(pairs: &[[f64; 2]]) -> usize {
    pairs.iter().filter(|[counted, estimated]| (estimated - counted).abs() <= WITHIN * counted).count()
}
