//! Compares what the rules estimate from the plans of Spark event logs with what Spark counted when it ran them, as CSV: a line for
//! each query that read files. A summary follows on standard error.
//!
//! `cargo run --release -p crossover-plan --example volumes -- [--tables SIZES.csv] LOG…`; the file of sizes has the columns
//! `table,rows`. Other tables have the output rows of a scan of all their partitions.

#![expect(clippy::print_stdout, reason = "the table is the result of this command")]

use std::path::PathBuf;
use std::process::ExitCode;

use crossover_plan::cases::sizes;
use crossover_plan::{Control, spark};
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
    let mut logs = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--tables" {
            let file = arguments.next().ok_or("--tables needs a file with the columns table,rows")?;
            tables = sizes(&PathBuf::from(file)).map_err(|error| error.to_string())?;
        } else {
            logs.push(PathBuf::from(argument));
        }
    }
    if logs.is_empty() {
        return Err("expected at least one event log".to_owned());
    }
    println!("log,query,read_gb,read_gb_rules,files,files_rules,exchanged_gb,exchanged_gb_rules,assumed");
    let mut pairs: [Vec<[f64; 2]>; 3] = Default::default();
    for log in logs {
        let import = spark::read(&log, &Control::default()).map_err(|error| error.to_string())?;
        for query in &import.queries {
            let Some((counted, estimated)) = both(&query.plan, &tables) else { continue };
            let assumed = estimated.assumed.join("; ").replace('"', "'");
            let found = compared(&counted, &estimated.volumes);
            let cells: Vec<String> = found.iter().flatten().map(|value| format!("{value:.6}")).collect();
            println!("{},{},{},\"{assumed}\"", import.file, query.id, cells.join(","));
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
fn both(plan: &Plan, tables: &TableSizes) -> Option<(Volumes, EstimatedVolumes)> {
    let counted = Volumes::reported(plan)?;
    let estimated = EstimatedVolumes::of(&before_run(plan, tables))?;
    Some((counted, estimated))
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
