//! A report of any study for decision makers.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use crossover_export::decision::ApplicationAnswer;
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
use super::{application, wrong_usage};
use crate::kinds;

#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// Reports about the scenario's query alone; default: begins with the answer for its whole application, if the scenario has it
    #[arg(long)]
    query: bool,
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

/// Arguments of a report in this format, which begins with this answer about an application.
fn export_arguments(
    arguments: &ReportArguments,
    application: Option<ApplicationAnswer>,
    format: ReportFormat,
) -> report::ReportRequest {
    let typed = arguments.typed.iter().map(String::as_str).chain(arguments.is_of_query.then_some("--query"));
    let typed: Vec<&str> = typed.chain(["--format", format.key()]).collect();
    let command = report::command(&arguments.file, &arguments.sampling, &typed);
    report::ReportRequest { sampling: arguments.sampling.clone(), command, application }
}

/// Writes the report.
pub(super) fn report(options: &ReportOptions) -> Result<()> {
    let usage = |problem: &str| wrong_usage("report", problem);
    let (scenario, sampling) = options.sampling.read(SAMPLES, usage)?;
    application::check_query("report", &scenario, options.query)?;
    if let Some(out) = &options.out {
        keep_apart(out, &[options.sampling.file()])?;
    }
    let file = options.sampling.file().display().to_string();
    let typed = options.sampling.typed().into_iter().map(str::to_owned).collect();
    let arguments = ReportArguments { sampling, file, typed, is_of_query: options.query };
    if let Some(shard) = options.sharding.shard {
        return sharded(&scenario, arguments, shard);
    }
    let done = AtomicUsize::new(0);
    let line = || format!("{} evaluations", done.load(Ordering::Relaxed));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    let findings = kinds::module(scenario.study.kind()).findings(&scenario)?;
    let application = application::answer("report", &scenario, options.query);
    let request = export_arguments(&arguments, application, options.format);
    let report = with_progress(line, || report::report(&scenario, findings, &request, watch));
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
    let application = application::answer("report", scenario, arguments.is_of_query);
    let request = export_arguments(arguments, application, format);
    let report = Watch::uncancellable(|watch| report::written(scenario, findings, &request, &sampled, watch))?;
    print(report.context(CANCELLED)?.write(format))
}
