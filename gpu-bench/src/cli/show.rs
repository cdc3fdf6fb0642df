//! `gpu-bench show`: a report as a table, CSV or Markdown.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_quantity::finite;
use serde::Serialize;

use super::print_as;
use crate::calibration::calibrated;
use crate::report::format::Format;
use crate::report::{Report, Time, csv, file, history, summary};

#[derive(Debug, Args)]
pub struct Options {
    /// Report of an earlier run, or “latest”
    file: PathBuf,
    /// Format of the report
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

pub(super) fn show(options: &Options) -> Result<()> {
    let report = read(&options.file)?;
    check(&report).with_context(|| options.file.display().to_string())?;
    let text_report = summary::text_report(&report);
    print_as(options.format, &text_report, || csv::measurements(&report), &summary::cautions(&report))
}

/// Checks what is computed from a report: sizes and times of a file can be any numbers.
fn check(report: &Report) -> Result<()> {
    /// Figures of a measurement.
    #[derive(Serialize)]
    struct Figures {
        time: Option<Time>,
        roof_share: Option<f64>,
        gb_per_s: Option<f64>,
        traffic_gb_per_s: Option<f64>,
        rows_per_s: Option<f64>,
    }
    for measurement in &report.results {
        let figures = Figures {
            time: measurement.time,
            roof_share: measurement.roof_share,
            gb_per_s: measurement.gb_per_s(),
            traffic_gb_per_s: measurement.traffic_gb_per_s(),
            rows_per_s: measurement.rows_per_s(),
        };
        finite::check(&figures).with_context(|| measurement.id.clone())?;
    }
    Ok(finite::check(&report.calibration)?)
}

/// Reads a report; “latest” is the newest one that can be read in the folder of all runs.
///
/// # Errors
/// There is no such report, or it cannot be read.
pub fn read(path: &Path) -> Result<Report> {
    if path != Path::new("latest") {
        return Ok(calibrated(file::read(path)?));
    }
    let folder = history::folder().context("this system has no data folder, so there is no latest run")?;
    let entries = history::list(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let latest = entries.into_iter().find_map(|entry| entry.report.ok());
    latest.map(calibrated).with_context(|| {
        format!("no run in {} yet; run “gpu-bench run” (“crossover bench run”) first", folder.display())
    })
}
