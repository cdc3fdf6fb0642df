//! `crossover validate`: predictions compared with measurements.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use clap::{Parser, ValueEnum};
use crossover_chart::Chart;
use crossover_export::placement::truth::{Of, check_truth, truth_chart, truth_json, truth_markdown, truth_table};
use crossover_page::terminal::{message, print};
use crossover_study::Watch;

use crate::truth::{Checked, check, open_profile};

/// Size of a chart, in points.
const CHART_SIZE: [f32; 2] = [720.0, 520.0];

/// Compares predicted times of whole queries with measured ones
#[derive(Debug, Parser)]
#[command(name = "validate", display_order = 72)]
pub(super) struct ValidateOptions {
    /// CSV with the columns `case,plan,format,scale,scenario,cpu_seconds,gpu_seconds`
    cases: PathBuf,
    /// Profile of `fit`; replaces the scenarios' engines
    #[arg(long, value_name = "PROFILE")]
    profile: Option<PathBuf>,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: ValidateFormat,
    /// What a chart shows
    #[arg(long, value_enum, default_value = "speedup")]
    of: Of,
}

/// What a comparison is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ValidateFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// For documents
    Markdown,
    /// Predicted against measured, as a chart
    Svg,
}

/// Prints every case, predicted and measured, and the errors of the predictions.
pub(super) fn validate(options: &ValidateOptions) -> Result<()> {
    let profile = options.profile.as_deref().map(open_profile).transpose().map_err(|problem| anyhow!(problem))?;
    let checked = Watch::uncancellable(|watch| check(&options.cases, profile.as_ref(), &watch));
    let Checked { compared, notes } =
        checked.map_err(|error| anyhow!("{error}"))?.context("the comparison was cancelled")?;
    check_truth(&compared).with_context(|| options.cases.display().to_string())?;
    for note in notes {
        message(format!("note: {note}"));
    }
    print(&match options.format {
        ValidateFormat::Table => truth_table(&compared),
        ValidateFormat::Json => truth_json(&compared),
        ValidateFormat::Markdown => truth_markdown(&compared),
        ValidateFormat::Svg => Chart::Lines(truth_chart(&compared, options.of)).to_svg(false, CHART_SIZE),
    })
}
