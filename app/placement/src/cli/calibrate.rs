//! `crossover calibrate`: measured figures for a placement scenario.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_measured::calibration::Calibration;
use crossover_measured::network::NetworkReport;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Outputs, message};
use crossover_placement::calibration::{Change, apply, changes, withheld};
use crossover_placement::{Placement, network_change};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::{Column, Table};

/// Replaces assumptions of a placement scenario by figures that gpu-bench measured
#[derive(Debug, Parser)]
#[command(name = "calibrate", display_order = 70)]
pub(super) struct CalibrateOptions {
    /// Report of `gpu-bench run` or `gpu-bench network`; "latest" is the newest report of `run` in the history
    #[arg(long, value_name = "REPORT")]
    from: PathBuf,
    /// Scenario (.ron) whose numbers are replaced; this file is not changed
    #[arg(long, value_name = "SCENARIO")]
    apply: PathBuf,
    /// File for the calibrated scenario; without it the changes are only shown
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replaces only fields whose path begins with this, e.g. bus or operators.join; may be repeated
    #[arg(long, value_name = "PATH")]
    only: Vec<String>,
    /// Network of the scenario that `gpu-bench network` measured; needed if it has several
    #[arg(long, value_name = "NAME")]
    network: Option<String>,
    /// Also makes changes that may not fit the scenario
    #[arg(long)]
    all: bool,
    /// Writes the scenario although the machine was disturbed during the measurement
    #[arg(long)]
    disturbed: bool,
}

/// What was measured.
enum Measurement {
    /// CPU, bus and GPU of a machine.
    Machine(Box<Calibration>),
    /// The network between two machines.
    Network(Box<NetworkReport>),
}

impl Measurement {
    /// Why it may describe a disturbed machine.
    fn doubts(&self) -> Vec<String> {
        match self {
            Self::Machine(calibration) => calibration.doubts(),
            Self::Network(_) => Vec::new(),
        }
    }
}

/// Shows what would change, and writes the calibrated scenario if a file is named.
pub(super) fn calibrate(options: &CalibrateOptions) -> Result<()> {
    let measurement = measured(&options.from)?;
    let mut scenario = scenario::open(&options.apply)?;
    let Some(study) = scenario.study.placement_mut() else { bail!("only placement scenarios can be calibrated") };
    let (offered, notes) = offered(&measurement, study, options.network.as_deref())?;
    let wanted =
        |change: &Change| options.only.is_empty() || options.only.iter().any(|only| is_inside(&change.path, only));
    let (chosen, left): (Vec<Change>, Vec<Change>) =
        offered.into_iter().filter(wanted).partition(|change| options.all || change.caution.is_none());
    for note in &notes {
        message(format!("note: {note}"));
    }
    let doubts = measurement.doubts();
    if options.out.is_some() && !options.disturbed && !doubts.is_empty() {
        let doubts = doubts.join("; ");
        bail!("not applied: {doubts}. Measure again on an idle machine, or add --disturbed to apply it anyway");
    }
    for doubt in doubts {
        message(format!("disturbed: {doubt}"));
    }
    for change in &left {
        let caution = change.caution.as_deref().unwrap_or_default();
        message(format!("not applied: {}: {caution} (--all applies it)", change.path));
    }
    if chosen.is_empty() {
        bail!("{} has no figure that changes {}", options.from.display(), options.apply.display());
    }
    apply(study, &chosen);
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(table(&chosen))
}

/// Changes that a measurement makes to a study, and notes about it.
fn offered(measurement: &Measurement, study: &Placement, network: Option<&str>) -> Result<(Vec<Change>, Vec<String>)> {
    match measurement {
        Measurement::Machine(_) if network.is_some() => {
            bail!("--network is for a report of “gpu-bench network”; this one is of “gpu-bench run”")
        }
        Measurement::Machine(calibration) => {
            let mut notes = calibration.cautions.clone();
            notes.extend(withheld(calibration, study));
            Ok((changes(calibration, study), notes))
        }
        Measurement::Network(report) => {
            let index = network_index(study, network)?;
            Ok((network_change(report, study, index).into_iter().collect(), Vec::new()))
        }
    }
}

/// The network with a name, or the only one.
fn network_index(study: &Placement, name: Option<&str>) -> Result<usize> {
    let names = || study.networks.iter().map(|network| network.name.as_str()).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => {
            let index = study.networks.iter().position(|network| network.name == name);
            index.with_context(|| format!("the scenario has no network “{name}”; its networks: {}", names()))
        }
        None if study.networks.len() == 1 => Ok(0),
        None => bail!("name the measured network by --network; the scenario has: {}", names()),
    }
}

/// The figures of a report.
fn measured(from: &Path) -> Result<Measurement> {
    if from != Path::new("latest")
        && let Some(report) = crossover_network::file::read(from)?
    {
        return Ok(Measurement::Network(Box::new(report)));
    }
    let report = crossover_gpu_bench::cli::read(from)?;
    let small = if report.suite == "ci" { " (the ci suite gives no usable times)" } else { "" };
    let why = || format!("{}: the report has no figure that the model needs{small}", from.display());
    report.calibration.map(|calibration| Measurement::Machine(Box::new(calibration))).with_context(why)
}

fn is_inside(path: &str, only: &str) -> bool {
    path.strip_prefix(only).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn table(changes: &[Change]) -> String {
    let columns =
        vec![Column::text("field"), Column::number("old"), Column::number("new"), Column::text("95 % interval")];
    let mut table = Table { columns, rows: Vec::new() };
    for change in changes {
        let Provenance::Measured { interval: (low, high), .. } = change.provenance else { continue };
        let format = |value| change.unit.format(value);
        let old = change.old.map_or_else(|| "none".to_owned(), format);
        let interval = format!("{} … {}", format(low), format(high));
        table.rows.push(vec![change.path.clone(), old, format(change.new), interval]);
    }
    table.aligned()
}
