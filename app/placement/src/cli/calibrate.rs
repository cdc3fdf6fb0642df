//! `crossover calibrate`: measured figures for a placement scenario.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_measured::calibration::Calibration;
use crossover_page::storage::scenario;
use crossover_page::terminal::{Outputs, message};
use crossover_placement::calibration::{Change, apply, changes, withheld};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::{Column, Table};

/// Replaces assumptions of a placement scenario by figures that gpu-bench measured
#[derive(Debug, Parser)]
#[command(name = "calibrate", display_order = 70)]
pub(super) struct CalibrateOptions {
    /// Report of `gpu-bench run`; "latest" takes the newest of the history
    #[arg(long, value_name = "REPORT")]
    from: PathBuf,
    /// Scenario (.ron) whose numbers are replaced; it is not changed itself
    #[arg(long, value_name = "SCENARIO")]
    apply: PathBuf,
    /// File for the calibrated scenario; without it the changes are only shown
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replaces only fields whose path begins with this, e.g. bus or operators.join; may be repeated
    #[arg(long, value_name = "PATH")]
    only: Vec<String>,
    /// Also makes changes that may not fit the scenario
    #[arg(long)]
    all: bool,
}

/// Shows what would change, and writes the calibrated scenario if a file is named.
pub(super) fn calibrate(options: &CalibrateOptions) -> Result<()> {
    let calibration = measured(&options.from)?;
    let mut scenario = scenario::open(&options.apply)?;
    let Some(study) = scenario.study.placement_mut() else { bail!("only placement scenarios can be calibrated") };
    let offered = changes(&calibration, study);
    let reasons = withheld(&calibration, study);
    let wanted =
        |change: &Change| options.only.is_empty() || options.only.iter().any(|only| is_inside(&change.path, only));
    let (chosen, left): (Vec<Change>, Vec<Change>) =
        offered.into_iter().filter(wanted).partition(|change| options.all || change.caution.is_none());
    for reason in calibration.cautions.iter().chain(&reasons) {
        message(format!("note: {reason}"));
    }
    for change in &left {
        let caution = change.caution.as_deref().unwrap_or_default();
        message(format!("not applied: {}: {caution} (--all replaces it)", change.path));
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

/// The figures of a report.
fn measured(from: &Path) -> Result<Calibration> {
    let report = crossover_gpu_bench::cli::read(from)?;
    let small = if report.suite == "ci" { " (the ci suite gives no usable times)" } else { "" };
    let why = || format!("{}: the report has no figure that the model needs{small}", from.display());
    report.calibration.with_context(why)
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
