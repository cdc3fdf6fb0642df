//! `crossover fit`: profiles of engines, fitted to measured runs.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::Parser;
use crossover_export::placement::truth::fit_table;
use crossover_page::terminal::{Outputs, message};
use crossover_study::Watch;

use crate::truth::{fit_cases, open_profile};

/// Fits the engines of a scenario to measured runs of whole queries
#[derive(Debug, Parser)]
#[command(name = "fit", display_order = 71)]
pub(super) struct FitOptions {
    /// CSV with a row for each run and the columns `case,plan,format,scale,scenario,cpu_seconds,gpu_seconds`; the fit starts from the
    /// engines of the scenario that the rows name
    #[arg(long, value_name = "CSV")]
    cases: PathBuf,
    /// Profile to start from instead of the scenario's engines
    #[arg(long, value_name = "PROFILE")]
    from: Option<PathBuf>,
    /// File for the fitted profile; without it the result is only shown
    #[arg(long, value_name = "PROFILE")]
    out: Option<PathBuf>,
}

/// Prints the fitted numbers, and writes the profile if a file is named.
pub(super) fn fit_profile(options: &FitOptions) -> Result<()> {
    let from = options.from.as_deref().map(open_profile).transpose().map_err(|problem| anyhow!(problem))?;
    let found = Watch::uncancellable(|watch| fit_cases(&options.cases, from.as_ref(), &watch));
    let found = found.map_err(|problem| anyhow!(problem))?.context("the fit was cancelled")?;
    for note in &found.notes {
        message(format!("note: {note}"));
    }
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        outputs.add(out, found.profile.to_ron().as_bytes())?;
    }
    outputs.finish(fit_table(&found.fit, &found.left_out))
}
