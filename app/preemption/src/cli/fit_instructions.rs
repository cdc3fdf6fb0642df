//! `crossover fit-instructions`: instructions of kernels by the size of their input.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_page::terminal::Outputs;
use crossover_preemption::Kernel;
use crossover_preemption::analysis::{FittedLaw, Point, fit_laws};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::Unit;
use crossover_traces::profiled;
use serde::Serialize;

use super::{base, check_out, name_of, print_notes, save};

/// Fits the number of instructions of kernels to the size of their input, with the cross-validation error
#[derive(Debug, Parser)]
#[command(name = "fit-instructions")]
pub(super) struct FitInstructionsOptions {
    /// Counted launches: a CSV with the columns `application`, `size` and `instructions`, or Rodinia's counters
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Uses the launches on this device, if the file has several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Predicts the instructions for an input of this size
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<f64>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: FitFormat,
    /// Scenario to start from: its kernels with these names get the error of their fit, and with --size the predicted
    /// number of instructions
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Scenario file to write
    #[arg(long, value_name = "SCENARIO")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitFormat {
    /// For the terminal
    Table,
    /// All results, for programs
    Json,
}

fn size(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| value.is_finite() && *value > 0.0).ok_or_else(|| "allowed: a number above 0".to_owned())
}

/// The output for a law.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "law, formula and errors are titles of the output")]
struct Law {
    application: String,
    law: &'static str,
    formula: &'static str,
    a: f64,
    a_standard_error: Option<f64>,
    b: Option<f64>,
    b_standard_error: Option<f64>,
    r_squared: f64,
    /// Standard deviation of the logarithm in cross-validation.
    error: f64,
    /// The same of the mean.
    error_of_constant: f64,
    points: usize,
    instructions: Option<f64>,
    /// 95 % interval.
    low: Option<f64>,
    high: Option<f64>,
    /// Intervals for the sources of a scenario.
    #[serde(skip)]
    sources: Sources,
}

/// 90 % intervals of fitted numbers.
#[derive(Debug)]
struct Sources {
    instructions: Option<(f64, f64)>,
    error: (f64, f64),
}

pub(super) fn run(options: &FitInstructionsOptions) -> Result<()> {
    check_out(options.out.as_ref(), [&options.file].into_iter().chain(&options.base))?;
    let read = profiled::sizes(&options.file)?;
    print_notes(read.left_out.iter().chain(&read.notes));
    let mut devices: Vec<&str> = read.runs.iter().filter_map(|run| run.gpu.as_deref()).collect();
    devices.sort_unstable();
    devices.dedup();
    if let Some(name) = options.device.as_deref().filter(|name| !devices.contains(name)) {
        bail!("{}: no launch on “{name}”; expected one of: {}", options.file.display(), devices.join(", "));
    }
    if options.device.is_none() && devices.len() > 1 {
        bail!(
            "{}: launches on {} devices; select one with --device: {}",
            options.file.display(),
            devices.len(),
            devices.join(", ")
        );
    }
    let wanted = read.runs.iter().filter(|run| options.device.is_none() || run.gpu == options.device);
    let points: Vec<Point> = wanted
        .map(|run| Point { application: run.kernel.clone(), size: run.size, instructions: run.instructions })
        .collect();
    let mut laws: Vec<FittedLaw> = Vec::new();
    for found in fit_laws(&points) {
        match found {
            Ok(law) => laws.push(law),
            Err(why) => print_notes([&why.to_string()]),
        }
    }
    if laws.is_empty() {
        bail!("{}: no application can be fitted; see the notes above", options.file.display());
    }
    let mut rows: Vec<Law> = Vec::new();
    for law in &laws {
        let predicted = options.size.map(|size| law.predict(size)).transpose()?;
        match &predicted {
            Some(predicted) => print_notes(&predicted.cautions),
            None => print_notes(&law.cautions()),
        }
        rows.push(Law {
            application: law.application.clone(),
            law: law.law.label(),
            formula: law.law.formula(),
            a: law.intercept.value,
            a_standard_error: law.intercept.standard_error,
            b: law.slope.map(|slope| slope.value),
            b_standard_error: law.slope.and_then(|slope| slope.standard_error),
            r_squared: law.r_squared,
            error: law.error,
            error_of_constant: law.error_of_constant,
            points: law.points,
            instructions: predicted.as_ref().map(|of| of.instructions),
            low: predicted.as_ref().map(|of| of.low),
            high: predicted.as_ref().map(|of| of.high),
            sources: Sources { instructions: predicted.as_ref().map(|of| of.fitted), error: law.error_interval() },
        });
    }
    let text = match options.format {
        FitFormat::Table => table(&rows).aligned(),
        FitFormat::Json => serde_json::to_string_pretty(&rows)? + "\n",
    };
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        let from = options.base.as_deref().context("--out needs --base, a scenario whose kernels have these names")?;
        let (scenario, mut study) = base(Some(from))?;
        let file = name_of(&options.file);
        let mut count = 0;
        for kernel in &mut study.kernels {
            let Some(row) = rows.iter().find(|row| row.application == kernel.name) else { continue };
            count += 1;
            let mut put = |number: &Quantity, value: f64, (low, high): (f64, f64)| {
                let [value, low, high] = [value, low, high].map(|value| value.clamp(number.min, number.max));
                let runs = format!("launches of {} in {file}", row.application);
                let source = Provenance::Fitted { runs, interval: (low, high) };
                study.sources.insert(format!("kernels.{}.{}", kernel.name, number.key), source);
                value
            };
            kernel.instruction_error = put(&Kernel::INSTRUCTION_ERROR, row.error, row.sources.error);
            if let (Some(instructions), Some(interval)) = (row.instructions, row.sources.instructions) {
                kernel.instructions = put(&Kernel::INSTRUCTIONS, instructions, interval);
            }
        }
        if count == 0 {
            let names: Vec<&str> = rows.iter().map(|row| row.application.as_str()).collect();
            bail!("{}: no kernel has one of these names: {}", from.display(), names.join(", "));
        }
        save(out, scenario, study, &mut outputs)?;
    }
    outputs.finish(text)
}

fn table(rows: &[Law]) -> Table {
    let is_predicted = rows.iter().any(|row| row.instructions.is_some());
    let mut columns = vec![
        Column::text("Application"),
        Column::text("Law"),
        Column::number("a"),
        Column::number("b"),
        Column::number("R²"),
        Column::number("Error"),
        Column::number("Error of mean"),
        Column::number("Points"),
    ];
    if is_predicted {
        columns.extend([Column::number("Instructions"), Column::number("95 % low"), Column::number("95 % high")]);
    }
    let off = |error: f64| Unit::Share.format(error.exp() - 1.0);
    let rows = rows.iter().map(|row| {
        let mut cells = vec![
            row.application.clone(),
            format!("{}, {}", row.law, row.formula),
            format!("{:.4}", row.a),
            row.b.map_or_else(|| "–".to_owned(), |b| format!("{b:.4}")),
            format!("{:.4}", row.r_squared),
            off(row.error),
            off(row.error_of_constant),
            Unit::Count.format(row.points as f64),
        ];
        for value in [row.instructions, row.low, row.high].into_iter().flatten() {
            cells.push(Unit::Ratio.format(value));
        }
        cells
    });
    Table { columns, rows: rows.collect() }
}
