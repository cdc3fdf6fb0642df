//! A report of any study for those who decide.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::Args;
use crossover_files::atomic;
use crossover_model::study::Watch;

use super::sampling::SamplingOptions;
use super::uncertainty::failed;
use super::wrong_usage;
use crate::export::report::ReportFormat;
use crate::kinds;
use crate::terminal::{keep_apart, print, told_while};
use crate::tools::report::{Asked, SAMPLES, command, report as made};

#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// How the report is written
    #[arg(long, value_enum, default_value = "html")]
    format: ReportFormat,
    /// The file that is written; default: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes the report.
pub(super) fn report(options: &ReportOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("report", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    if let Some(out) = &options.out {
        keep_apart(out, &[options.sampling.file()])?;
    }
    let file = options.sampling.file().display().to_string();
    let more = [&options.sampling.typed()[..], &["--format", options.format.key()]].concat();
    let command = command(&file, &sampling, &more);
    let asked = Asked { sampling, command };
    let done = AtomicUsize::new(0);
    let line = || format!("{} evaluations", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let findings = kinds::room(scenario.study.kind()).findings(&scenario)?;
    let report = told_while(line, || made(&scenario, findings, &asked, watch));
    let report = report.map_err(|error| failed(error, usage))?.context("the report was called off")?;
    let text = report.write(options.format);
    match &options.out {
        None => print(&text),
        Some(out) => Ok(atomic::write(out, text.as_bytes())?),
    }
}
