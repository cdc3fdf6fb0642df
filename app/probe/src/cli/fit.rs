//! `crossover probe fit` and `crossover probe window`: scaling, and the best hours of the network, from a CSV.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum};
use crossover_export::probe::network::{check_network, network_csv, network_json, network_text_report};
use crossover_export::probe::scaling::{check_scaling, scaling_csv, scaling_json, scaling_text_report};
use crossover_page::terminal::{message, print};
use crossover_probe::{Network, Scaled};
use crossover_traces::{scaling, series};

/// Fits the universal scalability law to measured throughput, and recommends a number of units
#[derive(Debug, Parser)]
#[command(name = "fit", display_order = 4)]
pub(super) struct FitOptions {
    /// Measurements: a CSV with the columns `units` and `throughput`. A number of units may be repeated. In a CSV of two columns,
    /// `units` may have another name
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: TextFormat,
}

/// Finds change points in the time of a probe, and the best window of the day
#[derive(Debug, Parser)]
#[command(name = "window", display_order = 5)]
pub(super) struct WindowOptions {
    /// Probes: a CSV with the columns `time` (2026-11-02T14:00:00, or hours since Monday 00:00) and `seconds`
    #[arg(value_name = "CSV")]
    file: PathBuf,
    /// Length of the window, hours
    #[arg(long, default_value_t = 2.0, value_parser = hours)]
    hours: f64,
    /// Output format
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
    /// Points, or levels between change points, for spreadsheets
    Csv,
    /// All results, for programs
    Json,
    /// For reports
    Markdown,
}

pub(super) fn fit(options: &FitOptions) -> Result<()> {
    let (points, notes) = scaling::read(&options.file)?;
    let scaled = Scaled::new(&points).with_context(|| options.file.display().to_string())?;
    check_scaling(points.len(), &scaled).with_context(|| options.file.display().to_string())?;
    for note in &notes {
        message(format!("note: {note}"));
    }
    // All other formats have a place for them.
    if options.format == TextFormat::Csv {
        for caution in scaled.cautions(points.len()) {
            message(format!("warning: {caution}"));
        }
    }
    let name = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print(&match options.format {
        TextFormat::Table => scaling_text_report(&name, points.len(), &scaled).terminal(),
        TextFormat::Csv => scaling_csv(&scaled),
        TextFormat::Json => scaling_json(points.len(), &scaled),
        TextFormat::Markdown => scaling_text_report(&name, points.len(), &scaled).markdown(),
    })
}

pub(super) fn window(options: &WindowOptions) -> Result<()> {
    let (probes, notes) = series::read(&options.file)?;
    for note in &notes {
        message(format!("note: {note}"));
    }
    let network = Network::new(&probes, options.hours);
    check_network(probes.len(), &network).with_context(|| options.file.display().to_string())?;
    if network.best.is_none() {
        message(format!("note: no window of {} h is covered by probes without gaps; no best window", options.hours));
    }
    let name = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    print(&match options.format {
        TextFormat::Table => network_text_report(&name, probes.len(), &network).terminal(),
        TextFormat::Csv => network_csv(&network),
        TextFormat::Json => network_json(probes.len(), &network),
        TextFormat::Markdown => network_text_report(&name, probes.len(), &network).markdown(),
    })
}
