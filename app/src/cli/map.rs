//! A figure of any study over two of its numbers.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_export::map::{contour_csv, map_csv, map_json};
use crossover_page::terminal::{Source, message, print, told_while};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::map::{POINTS, begin};
use crossover_tools::points::{Pointwise as _, evaluate};
use crossover_tools::{Map, MapError, Mapped, Range};

use crate::kinds;

use super::asked::Asked;
use super::shard::{self, OfShards, ShardOption};
use super::wrong_usage;

/// Nobody calls off what the command line does.
const CALLED_OFF: &str = "the map was called off";

#[derive(Debug, Args)]
pub(super) struct MapOptions {
    #[command(flatten)]
    source: Source,
    /// The first number, from where to where, at how many values (default 64, at most 512), evenly spaced in the logarithm
    /// or not: cluster.machines=10..1000:50:log; ends may have units, as 5ms..2s
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    x: String,
    /// The second number, in the same way
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    y: String,
    /// The figure, e.g. speedup or operators.join.speedup
    #[arg(long, value_name = "KEY")]
    figure: String,
    /// The value of the figure at which a contour is drawn, with or without a unit; JSON has it beside the map, CSV in its
    /// place; default: 1 for a factor in JSON, else none
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    level: Option<String>,
    #[command(flatten)]
    sharding: ShardOption,
    /// How the result is written
    #[arg(long, value_enum, default_value = "csv")]
    format: MapFormat,
}

/// What a map is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MapFormat {
    /// A line for each pair of numbers, or with a level for each point of the contour, for spreadsheets
    Csv,
    /// The map with names, units and contour, for programs
    Json,
}

/// A map that cannot be made was asked for wrongly.
fn usage(error: &MapError) -> clap::Error {
    wrong_usage("map", &error.to_string())
}

/// Prints the figure over the numbers; what is left out goes to standard error.
pub(super) fn map(options: &MapOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = scenario.study.subject();
    let range = |text| Range::read(study, text, POINTS).map_err(|error| usage(&error.into()));
    let map = Map { x: range(&options.x)?, y: range(&options.y)?, figures: vec![options.figure.clone()] };
    let done = AtomicUsize::new(0);
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let cells = begin(study, &map, watch).map_err(|error| usage(&error))?.context(CALLED_OFF)?;
    if let Some(level) = &options.level {
        // Rather now than after all cells.
        cells.read_level(level).map_err(|error| usage(&error))?;
    }
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&cells, shard, &scenario, Asked::Map(map.clone(), options.level.clone()));
    }
    let count = cells.points();
    let line = || format!("{} of {count} cells", done.load(Ordering::Relaxed));
    let mapped = told_while(line, || evaluate(cells, watch)).map_err(|error| usage(&error))?.context(CALLED_OFF)?;
    tell(&scenario, &mapped, options.level.as_deref(), options.format)
}

/// Prints the same of the values of shards.
pub(super) fn merged(
    scenario: &Scenario,
    map: &Map,
    level: Option<&str>,
    values: OfShards,
    format: MapFormat,
) -> Result<()> {
    let cells = Watch::nobody(|watch| begin(scenario.study.subject(), map, watch))?.context(CALLED_OFF)?;
    tell(scenario, &values.conclude(cells)?, level, format)
}

fn tell(scenario: &Scenario, mapped: &Mapped, level: Option<&str>, format: MapFormat) -> Result<()> {
    let figure = mapped.figures.first().context("the map has no figure")?;
    let asked = level.map(|level| figure.read_level(level)).transpose();
    let asked = asked.map_err(|error| usage(&error))?;
    let lines = asked.map(|level| mapped.contour(0, level));
    if let Some(left_out) = &mapped.left_out {
        message(&left_out.to_string());
    }
    let paths = [mapped.x.path.as_str(), mapped.y.path.as_str()];
    if let Some(caution) = kinds::room(scenario.study.kind()).kept_by_each(&scenario.study, &paths) {
        message(&caution);
    }
    if let (Some(level), Some([])) = (asked, lines.as_deref()) {
        message(&format!(
            "{} is nowhere {} here, so there is no contour",
            figure.key,
            figure.figure.unit.format(level)
        ));
    }
    print(&match (format, &lines) {
        (MapFormat::Csv, Some(lines)) => contour_csv(mapped, lines),
        (MapFormat::Csv, None) => map_csv(mapped),
        (MapFormat::Json, _) => map_json(scenario, mapped, &[asked.or(figure.usual_level())]),
    })
}
