//! What probes say of compute centres.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_model::probe::Scaled;
use crossover_traces::scaling;

use crate::export::probe::{scaling_csv, scaling_json, scaling_markdown, scaling_report};
use crate::terminal::{message, print};

#[derive(Debug, clap::Subcommand)]
pub(super) enum ProbeCommand {
    /// How many units are worth while? Fits the universal scalability law to measured throughput
    Fit(FitOptions),
}

#[derive(Debug, Args)]
pub(super) struct FitOptions {
    /// Measurements: a CSV with the columns `units` and `throughput`; a number of units may stand several times. Of two columns
    /// the one beside `throughput` may have another name
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: FitFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FitFormat {
    /// For the terminal
    Table,
    /// Measured and fitted throughput of each number of units, for spreadsheets
    Csv,
    /// Coefficients, errors, knee and peak, for programs
    Json,
    /// For reports
    Markdown,
}

pub(super) fn run(command: &ProbeCommand) -> Result<()> {
    match command {
        ProbeCommand::Fit(options) => fit(options),
    }
}

fn fit(options: &FitOptions) -> Result<()> {
    let (points, notes) = scaling::read(&options.file)?;
    let scaled = Scaled::new(&points).with_context(|| options.file.display().to_string())?;
    for note in notes.iter().chain(&scaled.cautions(points.len())) {
        message(&format!("note: {note}"));
    }
    let name = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print(&match options.format {
        FitFormat::Table => scaling_report(&name, points.len(), &scaled),
        FitFormat::Csv => scaling_csv(&scaled),
        FitFormat::Json => scaling_json(points.len(), &scaled),
        FitFormat::Markdown => scaling_markdown(&name, points.len(), &scaled),
    })
}
