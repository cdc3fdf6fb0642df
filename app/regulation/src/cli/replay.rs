//! A recording of GPUs as the demand of a cluster.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Parser;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Outputs, message};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::{Column, Table, counted};
use crossover_quantity::unit::Unit;
use crossover_regulation::recording::{Gpus, Recording, Replay, to_demand};
use crossover_regulation::{Cluster, Demand, Regulation, Shape};
use crossover_study::validate;

use super::study;
use crate::recording;

/// Imports recorded GPU metrics as the demand of a cluster in a regulation scenario
#[derive(Debug, Parser)]
#[command(name = "replay", display_order = 40)]
pub(super) struct ReplayOptions {
    /// Recording: CSV, or a text series of dcgm-exporter or Prometheus
    #[arg(long, value_name = "RECORDING")]
    from: PathBuf,
    /// Scenario (.ron) to apply the recording to; this file is not changed
    #[arg(long, value_name = "SCENARIO")]
    apply: PathBuf,
    /// Cluster whose demand is replaced
    #[arg(long, value_name = "NAME")]
    cluster: String,
    /// GPU of the recording, or "all"; required if the recording has several
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Bus speed of one direction, e.g. "31.5 GB/s"; also sets the transfer ceiling
    #[arg(long, value_name = "SPEED", value_parser = bus_speed)]
    bus: Option<f64>,
    /// Time per demand value, e.g. "5 s"; default: that of the recording
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    every: Option<f64>,
    /// Time between scrapes that have no timestamps
    #[arg(long, value_name = "TIME", default_value = "15 s", value_parser = seconds)]
    scrape_interval: f64,
    /// File for the scenario with this demand; without it the changes are only printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Prints the changes of a cluster by a recording, and writes the scenario if a file is named.
pub(super) fn replay(options: &ReplayOptions) -> Result<()> {
    let mut scenario = scenario::open(&options.apply)?;
    let before = study(&scenario)?.clone();
    let cluster = super::cluster(&before, "--cluster", &options.cluster)?;
    let recording = recording::open(&options.from, options.scrape_interval)?;
    let gpus = gpus(&recording, options.gpu.as_deref())?;
    // Without a bus speed the ceiling is discarded, so any value is valid.
    let bus = options.bus.unwrap_or(1.0);
    let mut replay = to_demand(&recording, gpus, &before, cluster, bus, options.every)
        .map_err(|error| anyhow!("{}: {error}", options.from.display()))?;
    let notes: Vec<String> = recording.left_out.iter().chain(&replay.notes).cloned().collect();
    for note in notes {
        message(format!("note: {note}"));
    }
    if options.bus.is_none() {
        replay.pcie_tops = Err("Set --bus to the link speed to derive it.".to_owned());
    }
    if let Err(why) = &replay.pcie_tops {
        message(format!("note: the transfer ceiling is not changed. {why}"));
    }
    let mut after = before.clone();
    let file = options.from.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    after.import_demand(cluster, replay.clone(), &file);
    validate(&after).map_err(|invalid| anyhow!("{}: {}", invalid.path, invalid.problem))?;
    if let Some(note) = too_short(&after, cluster) {
        message(format!("note: {note}"));
    }
    let text = changes(&before, &after, cluster, &replay);
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        if let Some(study) = scenario.study.regulation_mut() {
            *study = after;
        }
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(text)
}

/// The options to set if the study ends before the recording.
fn too_short(study: &Regulation, cluster: usize) -> Option<String> {
    let demand = &study.clusters[cluster].demand;
    let recorded = demand.seconds_per_value * demand.series.len() as f64;
    let simulated = study.run.periods * study.run.period_seconds;
    let time = |seconds: f64| Unit::Seconds.format(seconds);
    let count = demand.series.len().max(10);
    (simulated < recorded).then(|| {
        format!(
            "the study simulates {} of the {} that were recorded; --set run.period_seconds={} --set run.periods={count} \
             --set run.average_periods={count} simulates all of it",
            time(simulated),
            time(recorded),
            demand.seconds_per_value,
        )
    })
}

/// The GPU of this name, or the only one.
fn gpus(recording: &Recording, name: Option<&str>) -> Result<Gpus> {
    let names: Vec<&str> = recording.tracks.iter().map(|track| track.gpu.as_str()).collect();
    match name {
        None if names.len() == 1 => Ok(Gpus::One(0)),
        None => {
            let gpus = counted(names.len() as f64, "GPU");
            bail!("the recording has {gpus}; choose one with --gpu, or all: {}", names.join(", "))
        }
        Some("all") => Ok(Gpus::All),
        Some(name) => {
            let index = names.iter().position(|known| *known == name);
            let hint = did_you_mean(name, &names);
            let all = names.join(", ");
            index
                .map(Gpus::One)
                .with_context(|| format!("--gpu: there is no GPU “{name}”{hint}; expected {all}, or all"))
        }
    }
}

/// The changed fields of the cluster.
fn changes(before: &Regulation, after: &Regulation, cluster: usize, replay: &Replay) -> String {
    let (old, new) = (&before.clusters[cluster], &after.clusters[cluster]);
    let columns = vec![Column::text("field"), Column::number("old"), Column::number("new")];
    let mut table = Table { columns, rows: Vec::new() };
    let mut add = |field: &str, old: String, new: String| {
        table.rows.push(vec![format!("clusters.{}.{field}", new_name(after, cluster)), old, new]);
    };
    let shown = |quantity: &Quantity, value: f64| quantity.unit.format(value);
    let values = |count: usize| counted(count as f64, "value");
    let series = |shape: Shape, count: usize| {
        if shape == Shape::Recorded { values(count) } else { format!("{shape:?}") }
    };
    add("demand.series", series(old.demand.shape, old.demand.series.len()), values(new.demand.series.len()));
    let every = |seconds: f64| shown(&Demand::SECONDS_PER_VALUE, seconds);
    add("demand.seconds_per_value", every(old.demand.seconds_per_value), every(new.demand.seconds_per_value));
    let tops = |value: f64| shown(&Demand::HIGH_TOPS, value);
    add("demand.high_tops", tops(old.demand.high_tops), tops(new.demand.high_tops));
    if replay.pcie_tops.is_ok() {
        add(
            Cluster::PCIE_TOPS.key,
            shown(&Cluster::PCIE_TOPS, old.pcie_tops),
            shown(&Cluster::PCIE_TOPS, new.pcie_tops),
        );
    }
    table.aligned()
}

fn new_name(study: &Regulation, cluster: usize) -> &str {
    &study.clusters[cluster].name
}

pub(super) fn bus_speed(text: &str) -> Result<f64, String> {
    positive(Unit::GigabytesPerSecond, text)
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    positive(Unit::Seconds, text)
}

fn positive(unit: Unit, text: &str) -> Result<f64, String> {
    let value = unit.parse(text).map_err(|error| error.to_string())?;
    if value > 0.0 { Ok(value) } else { Err(format!("{text} is not above 0")) }
}
