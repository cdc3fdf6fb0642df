//! `crossover validate`: predictions compared with measurements.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use crossover_chart::Chart;
use crossover_export::placement::truth::{
    Of, check_scoreboard, check_truth, scoreboard_csv, scoreboard_html, scoreboard_json, scoreboard_text_report,
    truth_chart, truth_csv, truth_html, truth_json, truth_markdown, truth_table,
};
use crossover_page::terminal::{message, print};
use crossover_study::Watch;

use crate::scoreboard::scoreboard;
use crate::truth::{Checked, check, open_profile};

/// Size of a chart, in points.
const CHART_SIZE: [f32; 2] = [720.0, 520.0];

/// Compares predicted times of whole queries with measured ones
#[derive(Debug, Parser)]
#[command(name = "validate", display_order = 72)]
pub(super) struct ValidateOptions {
    /// CSV with the columns `case,plan,format,scale,scenario,cpu_seconds,gpu_seconds`
    #[arg(required_unless_present = "shipped")]
    cases: Option<PathBuf>,
    /// Validates on all shipped measurements, each query predicted by a fit without it. The baseline is the geometric mean of the other
    /// queries' speedups. Decisions between Spark, Gluten and RAPIDS are compared with the measured costs
    #[arg(long, conflicts_with_all = ["cases", "profile", "of"])]
    shipped: bool,
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
    /// One row per case, for spreadsheets
    Csv,
    /// For documents
    Markdown,
    /// One file with a chart, to be read in a browser
    Html,
    /// Predicted against measured, as a chart
    Svg,
}

/// Prints every case, predicted and measured, and the errors of the predictions.
pub(super) fn validate(options: &ValidateOptions) -> Result<()> {
    match &options.cases {
        Some(cases) if !options.shipped => of_file(cases, options),
        _ => of_program(options.format),
    }
}

/// Cases of a file.
fn of_file(cases: &Path, options: &ValidateOptions) -> Result<()> {
    let profile = options.profile.as_deref().map(open_profile).transpose().map_err(|problem| anyhow!(problem))?;
    let checked = Watch::uncancellable(|watch| check(cases, profile.as_ref(), &watch));
    let Checked { compared, notes } =
        checked.map_err(|error| anyhow!("{error}"))?.context("the comparison was cancelled")?;
    check_truth(&compared).with_context(|| cases.display().to_string())?;
    for note in notes {
        message(format!("note: {note}"));
    }
    print(&match options.format {
        ValidateFormat::Table => truth_table(&compared),
        ValidateFormat::Json => truth_json(&compared),
        ValidateFormat::Csv => truth_csv(&compared),
        ValidateFormat::Markdown => truth_markdown(&compared),
        ValidateFormat::Html => truth_html(&compared, options.of),
        ValidateFormat::Svg => Chart::Lines(truth_chart(&compared, options.of)).to_svg(false, CHART_SIZE),
    })
}

/// The measured queries that come with the program.
fn of_program(format: ValidateFormat) -> Result<()> {
    if format == ValidateFormat::Svg {
        bail!("--shipped has a chart for each set of queries, which --format html writes into one file");
    }
    let board = Watch::uncancellable(|watch| scoreboard(&watch));
    let board = board.map_err(|problem| anyhow!(problem))?.context("the comparison was cancelled")?;
    check_scoreboard(&board)?;
    print(&match format {
        ValidateFormat::Json => scoreboard_json(&board),
        ValidateFormat::Csv => scoreboard_csv(&board),
        ValidateFormat::Markdown => scoreboard_text_report(&board).markdown(),
        ValidateFormat::Html => scoreboard_html(&board),
        ValidateFormat::Table | ValidateFormat::Svg => scoreboard_text_report(&board).terminal(),
    })
}
