//! A report of any study for decision makers.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use crossover_export::decision::ApplicationAnswer;
use crossover_export::report::ReportFormat;
use crossover_files::atomic;
use crossover_page::terminal::{keep_apart, print};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tool_pages::report::{self, Begun, SAMPLES, Sampled, Samplings};
use crossover_tools::{Sampling, Shard};

use super::rounds::{LastRound, Rounds, message_if_partial, time_limit};
use super::sampled::{failed, repeat};
use super::sampling::SamplingOptions;
use super::shard::{self, ShardOption, ShardValues, run};
use super::tool_arguments::{ReportArguments, ToolArguments};
use super::{application, wrong_usage};
use crate::kinds;

#[derive(Debug, Args)]
pub(super) struct ReportOptions {
    #[command(flatten)]
    sampling: SamplingOptions,
    /// Reports about the scenario's query alone; default: begins with the answer for its whole application, if the
    /// scenario has one
    #[arg(long)]
    query: bool,
    /// Stops after this time, e.g. 2s or 5 min, with the samples so far; default: no limit. With --out, a first report is
    /// written at once, and replaced as samples are added
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
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
    let limit = time_limit(options.time.as_deref(), usage)?;
    // What is wrong with the whole run is found before the first round.
    let samplings = Samplings::of(&arguments.sampling);
    Watch::uncancellable(|watch| report::begin(&scenario, &samplings, watch)).map_err(|error| failed(error, usage))?;
    let findings = kinds::module(scenario.study.kind()).findings(&scenario)?;
    let application = application::answer("report", &scenario, options.query);
    let written = |sampled: &Sampled, samples: usize| -> Result<String> {
        let sampling = Sampling { samples, ..arguments.sampling.clone() };
        let arguments = ReportArguments { sampling, ..arguments.clone() };
        let request = export_arguments(&arguments, application.clone(), options.format);
        let report =
            Watch::uncancellable(|watch| report::written(&scenario, findings.clone(), &request, sampled, watch));
        Ok(report.map_err(|error| failed(error, usage))?.context(CANCELLED)?.write(options.format))
    };
    let (all, mut kept) = (arguments.sampling.samples, report::Rounds::default());
    let rounds = Rounds { sizes: report::Rounds::sizes(&scenario, all), limit, counted: "evaluations" };
    let last = rounds.run(
        |last: &LastRound<Sampled>| {
            let [size, all] = [last.size, all].map(|samples| Unit::Count.format(samples as f64));
            format!("{}, with {size} of {all} samples", last.found.so_far())
        },
        |samples, watch| -> Result<Option<Sampled>> {
            let sampled = kept.round(&scenario, &arguments.sampling, samples, watch);
            let sampled = sampled.map_err(|error| failed(error, usage))?;
            // Who waits for the file can read it before the last round has ended.
            if let (Some(out), Some(sampled), true) = (&options.out, &sampled, samples < all) {
                atomic::write(out, written(sampled, requested(samples, all))?.as_bytes())?;
            }
            Ok(sampled)
        },
    )?;
    let LastRound { found, size } = last.context(CANCELLED)?;
    message_if_partial(size, all, "samples", &repeat(size), &found.so_far());
    let text = written(&found, requested(size, all))?;
    match &options.out {
        None => print(&text),
        Some(out) => Ok(atomic::write(out, text.as_bytes())?),
    }
}

/// Samples of the command that a report names: without any yet, all.
fn requested(samples: usize, all: usize) -> usize {
    if samples == 0 { all } else { samples }
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
