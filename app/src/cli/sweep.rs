//! Figures of any study along one of its numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_model::study::Watch;
use crossover_model::tools::{self, Sweep, SweepError};

use crate::export::sweep::{sweep_csv, sweep_json};
use crate::terminal::{Source, message, print, told_while};

use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct SweepOptions {
    #[command(flatten)]
    source: Source,
    /// The number, from where to where, at how many values (default 101), evenly spaced in the logarithm or not:
    /// cluster.machines=10..1000:50:log; ends may have units, as 5ms..2s
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    x: String,
    /// A figure, e.g. speedup or operators.join.speedup, or “*” for all of all parts; may be repeated; default: all of
    /// the whole study
    #[arg(long = "figure", value_name = "KEY")]
    figures: Vec<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "csv")]
    format: SweepFormat,
}

/// What a sweep is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SweepFormat {
    /// A line for each value, for spreadsheets
    Csv,
    /// The same with names and units, for programs
    Json,
}

/// A sweep that cannot be carried out was asked for wrongly.
fn usage(error: &SweepError) -> clap::Error {
    wrong_usage("sweep", &error.to_string())
}

/// Prints the figures along the number; what is left out goes to standard error.
pub(super) fn sweep(options: &SweepOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let sweep = Sweep {
        figures: options.figures.clone(),
        ..Sweep::read(&scenario.study, &options.x).map_err(|error| usage(&error.into()))?
    };
    let count = sweep.values(scenario.study.subject()).map_err(|error| usage(&error.into()))?.len();
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {count} values", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let swept = told_while(line, || tools::sweep(&scenario.study, &sweep, watch)).map_err(|error| usage(&error))?;
    let swept = swept.context("the sweep was called off")?;
    if let Some(left_out) = &swept.left_out {
        message(&left_out.to_string());
    }
    if swept.is_flat() {
        message(&format!("{} changes none of these figures here", swept.path));
    }
    print(&match options.format {
        SweepFormat::Csv => sweep_csv(&swept),
        SweepFormat::Json => sweep_json(&scenario, &swept),
    })
}
