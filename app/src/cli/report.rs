//! A report of any study for decision makers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use crossover_export::report::ReportFormat;
use crossover_files::atomic;
use crossover_page::terminal::{keep_apart, print, with_progress};
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tool_pages::report::{self, Begun, SAMPLES, Sampled, Samplings};
use crossover_tools::Shard;

use super::sampled::failed;
use super::sampling::SamplingOptions;
use super::shard::{self, ShardOption, ShardValues, run};
use super::tool_arguments::{ReportArguments, ToolArguments};
use super::wrong_usage;
use crate::kinds;

#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the report
    #[arg(long, value_enum, default_value = "html")]
    format: ReportFormat,
    /// File to write; default: standard output
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    out: Option<PathBuf>,
}

/// The command line never cancels a report, so this is not printed.
const CANCELLED: &str = "the report was cancelled";

/// Arguments of a report in this format.
fn export_arguments(arguments: &ReportArguments, format: ReportFormat) -> report::ReportRequest {
    let typed: Vec<&str> = arguments.typed.iter().map(String::as_str).chain(["--format", format.key()]).collect();
    let command = report::command(&arguments.file, &arguments.sampling, &typed);
    report::ReportRequest { sampling: arguments.sampling.clone(), command }
}

/// Writes the report.
pub(super) fn report(options: &ReportOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("report", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    if let Some(out) = &options.out {
        keep_apart(out, &[options.sampling.file()])?;
    }
    let file = options.sampling.file().display().to_string();
    let arguments =
        ReportArguments { sampling, file, typed: options.sampling.typed().into_iter().map(str::to_owned).collect() };
    if let Some(shard) = options.sharding.shard {
        return sharded(&scenario, arguments, shard);
    }
    let done = AtomicUsize::new(0);
    let line = || format!("{} evaluations", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let findings = kinds::module(scenario.study.kind()).findings(&scenario)?;
    let report = with_progress(line, || {
        report::report(&scenario, findings, &export_arguments(&arguments, options.format), watch)
    });
    let report = report.map_err(|error| failed(error, usage))?.context(CANCELLED)?;
    let text = report.write(options.format);
    match &options.out {
        None => print(&text),
        Some(out) => Ok(atomic::write(out, text.as_bytes())?),
    }
}

/// Prints the samples of a shard.
fn sharded(scenario: &Scenario, arguments: ReportArguments, shard: Shard) -> Result<()> {
    let usage = |problem: &str| wrong_usage("report", problem);
    let samplings = Samplings::of(&arguments.sampling);
    let begun = Watch::uncancellable(|watch| report::begin(scenario, &samplings, watch));
    match begun.map_err(|error| failed(error, usage))?.context(CANCELLED)? {
        Begun::Nothing => {
            let problem = "--shard: no number of this scenario has an uncertainty, so there are no samples to divide; add --spread or --spread-all";
            Err(usage(problem).into())
        }
        Begun::Tools(tools) => {
            let (samples, points) = &*tools;
            shard::written(
                shard,
                scenario,
                ToolArguments::Report(arguments),
                vec![run(samples, shard)?, run(points, shard)?],
            )
        }
    }
}

/// Prints the report that the values of shards give.
pub(super) fn merged(
    scenario: &Scenario,
    arguments: &ReportArguments,
    [of_samples, of_points]: [ShardValues; 2],
    format: ReportFormat,
) -> Result<()> {
    let samplings = Samplings::of(&arguments.sampling);
    let begun = Watch::uncancellable(|watch| report::begin(scenario, &samplings, watch))?.context(CANCELLED)?;
    let Begun::Tools(tools) = begun else { bail!("the scenario of the shards has no uncertain number") };
    let (samples, points) = *tools;
    let values = (of_samples.together(&samples)?, of_points.together(&points)?);
    let sampled = Sampled::of((samples, values.0), (points, values.1))?;
    let findings = kinds::module(scenario.study.kind()).findings(scenario)?;
    let report = Watch::uncancellable(|watch| {
        report::written(scenario, findings, &export_arguments(arguments, format), &sampled, watch)
    })?;
    print(report.context(CANCELLED)?.write(format))
}
