//! A figure of any study over two of its numbers.

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crossover_export::map::{contour_csv, map_csv, map_json};
use crossover_page::terminal::{Source, message, print};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::map::{POINTS, begin};
use crossover_tools::points::Pointwise as _;
use crossover_tools::rounds::growing;
use crossover_tools::{self as tools, Map, MapError, Mapped, Range};

use crate::kinds;

use super::rounds::{LastRound, Rounds, message_if_partial, range_of, time_limit};
use super::shard::{self, ShardOption, ShardValues};
use super::tool_arguments::ToolArguments;
use super::{application, wrong_usage};

/// The command line never cancels a map, so this is not printed.
const CANCELLED: &str = "the map was cancelled";
/// Values of each axis in the first round.
const FIRST_POINTS: usize = 8;

#[derive(Debug, Args)]
pub(super) struct MapOptions {
    #[command(flatten)]
    source: Source,
    /// The number of the x-axis, its range, the number of values (default 64, at most 512), and log for logarithmic
    /// spacing: cluster.machines=10..1000:50:log; the bounds may have units: 5ms..2s
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    x: String,
    /// The number of the y-axis, in the same form
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]")]
    y: String,
    /// The figure, e.g. speedup or operators.join.speedup
    #[arg(long, value_name = "KEY")]
    figure: String,
    /// Value of the figure on the contour, with or without a unit. JSON has the contour beside the map, CSV instead of it.
    /// Default: 1 for ratios in JSON, otherwise no contour
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    level: Option<String>,
    /// Stops after this time, e.g. 2s or 5 min, with as many cells as it allows; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the result
    #[arg(long, value_enum, default_value = "csv")]
    format: MapFormat,
}

/// Format of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum MapFormat {
    /// One line for each pair of numbers, or with --level for each point of the contour, for spreadsheets
    Csv,
    /// With names, units and contour, for programs
    Json,
}

/// An impossible map is a wrong use of the command.
fn usage(error: &MapError) -> clap::Error {
    wrong_usage("map", &error.to_string())
}

/// Prints the figure over the numbers; omitted cells are reported on standard error.
pub(super) fn map(options: &MapOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = scenario.study.subject();
    let range = |text| Range::read(study, text, POINTS).map_err(|error| usage(&error.into()));
    let map = Map { x: range(&options.x)?, y: range(&options.y)?, figures: vec![options.figure.clone()] };
    let limit = time_limit(options.time.as_deref(), |problem| wrong_usage("map", problem))?;
    let cells = Watch::uncancellable(|watch| begin(study, &map, watch));
    let cells = cells.map_err(|error| usage(&error))?.context(CANCELLED)?;
    if let Some(level) = &options.level {
        // Fails before all cells are computed.
        cells.read_level(level).map_err(|error| usage(&error))?;
    }
    if let Some(shard) = options.sharding.shard {
        return shard::evaluate(&cells, shard, &scenario, ToolArguments::Map(map.clone(), options.level.clone()));
    }
    let all = cells.points();
    let rounds = Rounds { sizes: growing(FIRST_POINTS, 2, map.x.points.max(map.y.points)), limit, counted: "cells" };
    let last = rounds.run(
        |last| format!("{} with {} cells", so_far(&last.found), cells_of(&last.found)),
        |points, watch| tools::map(study, &coarser(&map, points), watch),
    );
    let LastRound { found, .. } = last.map_err(|error| usage(&error))?.context(CANCELLED)?;
    message_if_partial(cells_of(&found), all, "cells", "", &so_far(&found));
    tell(&scenario, &found, options.level.as_deref(), options.format)
}

/// The same map with at most so many values on each axis.
fn coarser(map: &Map, points: usize) -> Map {
    let coarser = |range: &Range| Range { points: range.points.min(points), ..range.clone() };
    Map { x: coarser(&map.x), y: coarser(&map.y), figures: map.figures.clone() }
}

fn cells_of(mapped: &Mapped) -> usize {
    mapped.x.values.len() * mapped.y.values.len()
}

fn so_far(mapped: &Mapped) -> String {
    let of = mapped.figures.first();
    of.map_or_else(String::new, |of| range_of(&of.label, of.figure.unit, &of.values))
}

/// Prints the map that the values of shards give.
pub(super) fn merged(
    scenario: &Scenario,
    map: &Map,
    level: Option<&str>,
    values: ShardValues,
    format: MapFormat,
) -> Result<()> {
    let cells = Watch::uncancellable(|watch| begin(scenario.study.subject(), map, watch))?.context(CANCELLED)?;
    tell(scenario, &values.conclude(cells)?, level, format)
}

fn tell(scenario: &Scenario, mapped: &Mapped, level: Option<&str>, format: MapFormat) -> Result<()> {
    let figure = mapped.figures.first().context("the map has no figure")?;
    let contour_level = level.map(|level| figure.read_level(level)).transpose();
    let contour_level = contour_level.map_err(|error| usage(&error))?;
    let lines = contour_level.map(|level| mapped.contour(0, level));
    application::message_about(scenario);
    if let Some(left_out) = &mapped.left_out {
        message(left_out.to_string());
    }
    let paths = [mapped.x.path.as_str(), mapped.y.path.as_str()];
    if let Some(caution) = kinds::module(scenario.study.kind()).weak_scaling_caution(&scenario.study, &paths) {
        message(&caution);
    }
    if let (Some(level), Some([])) = (contour_level, lines.as_deref()) {
        message(format!(
            "no contour: {} is not {} anywhere in this range",
            figure.key,
            figure.figure.unit.format(level)
        ));
    }
    print(&match (format, &lines) {
        (MapFormat::Csv, Some(lines)) => contour_csv(mapped, lines),
        (MapFormat::Csv, None) => map_csv(mapped),
        (MapFormat::Json, _) => map_json(scenario, mapped, &[contour_level.or(figure.usual_level())]),
    })
}
