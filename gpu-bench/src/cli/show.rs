//! `gpu-bench show`: a report as a table, CSV or Markdown.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;

use super::print_as;
use crate::calibration::calibrated;
use crate::report::format::Format;
use crate::report::{Report, csv, file, history, summary};

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
    let document = summary::document(&report);
    print_as(options.format, &document, || csv::measurements(&report), &summary::cautions(&report))
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
