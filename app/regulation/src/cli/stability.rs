//! The stability map of the chosen controller.

use anyhow::{Context as _, Result};
use clap::{Parser, ValueEnum, value_parser};
use crossover_export::regulation::{stability_csv, stability_json};
use crossover_page::terminal::{Source, print};
use crossover_regulation::Simulation;
use crossover_regulation::stability::{Axes, map};

use super::{chosen, study, watched};

/// Prints with which gains the chosen controller settles, settles with an error, or does not settle
#[derive(Debug, Parser)]
#[command(name = "stability", display_order = 30)]
pub(super) struct StabilityOptions {
    #[command(flatten)]
    source: Source,
    /// Output format
    #[arg(long, value_enum, default_value = "csv")]
    format: MapFormat,
    /// Number of values of Kp, and of Ki; each of the N × N cells is one simulation
    #[arg(long, value_name = "N", default_value = "64", value_parser = value_parser!(u16).range(2..=512))]
    size: u16,
}

/// Output format of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MapFormat {
    /// A line for each pair of Kp and Ki, for spreadsheets
    Csv,
    /// The same with the name of the controller, for programs
    Json,
}

/// Prints the map around the gains of the controller.
pub(super) fn stability(options: &StabilityOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = study(&scenario)?;
    let (_, controller) = chosen(study)?;
    let axes = Axes { cells: usize::from(options.size), ..Axes::around(controller) };
    let simulation = Simulation::new(study);
    let map = watched(|watch| map(&simulation, controller, axes, watch)).context("the map was cancelled")?;
    print(&match options.format {
        MapFormat::Csv => stability_csv(&map),
        MapFormat::Json => stability_json(&scenario.name, controller, &map),
    })
}
