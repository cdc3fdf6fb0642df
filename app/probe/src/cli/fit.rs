//! How far probes scale, and when the network is good, of a CSV.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use crossover_export::probe::network::{network_csv, network_json, network_markdown, network_report};
use crossover_export::probe::scaling::{scaling_csv, scaling_json, scaling_markdown, scaling_report};
use crossover_page::terminal::{message, print};
use crossover_probe::{Network, Scaled};
use crossover_traces::{scaling, series};

/// How many units are worth while? Fits the universal scalability law to measured throughput
#[derive(Debug, Parser)]
#[command(name = "fit", display_order = 4)]
pub(super) struct FitOptions {
    /// Measurements: a CSV with the columns `units` and `throughput`; a number of units may stand several times. Of two columns
    /// the one beside `throughput` may have another name
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: TextFormat,
}

/// When is the network good? Finds changes in how long the same probe takes, and the best time of the day
#[derive(Debug, Parser)]
#[command(name = "window", display_order = 5)]
pub(super) struct WindowOptions {
    /// Probes: a CSV with the columns `time` (2026-11-02T14:00:00, or hours from the midnight before a Monday) and `seconds`
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Length of the window that is looked for, hours
    #[arg(long, default_value_t = 2.0, value_parser = hours)]
    hours: f64,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: TextFormat,
}

fn hours(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (0.01..=23.9).contains(value)).ok_or_else(|| "allowed: a number from 0.01 to 23.9".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TextFormat {
    /// For the terminal
    Table,
    /// The points, or the times between changes, for spreadsheets
    Csv,
    /// All of it, for programs
    Json,
    /// For reports
    Markdown,
}

pub(super) fn fit(options: &FitOptions) -> Result<()> {
    let (points, notes) = scaling::read(&options.file)?;
    let scaled = Scaled::new(&points).with_context(|| options.file.display().to_string())?;
    for note in notes.iter().chain(&scaled.cautions(points.len())) {
        message(&format!("note: {note}"));
    }
    let name = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print(&match options.format {
        TextFormat::Table => scaling_report(&name, points.len(), &scaled),
        TextFormat::Csv => scaling_csv(&scaled),
        TextFormat::Json => scaling_json(points.len(), &scaled),
        TextFormat::Markdown => scaling_markdown(&name, points.len(), &scaled),
    })
}

pub(super) fn window(options: &WindowOptions) -> Result<()> {
    let (probes, notes) = series::read(&options.file)?;
    for note in &notes {
        message(&format!("note: {note}"));
    }
    let network = Network::new(&probes, options.hours);
    if network.best.is_none() {
        message(&format!("note: no {} h of the day were probed throughout, so there is no best window", options.hours));
    }
    let name = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print(&match options.format {
        TextFormat::Table => network_report(&name, probes.len(), &network),
        TextFormat::Csv => network_csv(&network),
        TextFormat::Json => network_json(probes.len(), &network),
        TextFormat::Markdown => network_markdown(&name, probes.len(), &network),
    })
}
