//! Scenarios of one kind side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use crossover_export::compare::{ComparedDecisions, Named, csv, curves_csv, curves_json, json, markdown, table};
use crossover_fleet_page::answer_of_application;
use crossover_page::storage::{self, named};
use crossover_page::terminal::{message, print, with_progress};
use crossover_quantity::unit::Unit;
use crossover_scenario::{self as scenario, Kind, Scenario};
use crossover_study::{Subject, Watch};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::paired::{SAMPLES, begin_all, conclude, every};
use crossover_tools::uncertainty::Samples;
use crossover_tools::{self as tools, Comparison, Paired, PairedError, Sampling, Shard, Sweep, UncertaintyError};

use crate::kinds;

use super::shard::{self, ShardOption, Shards, run};
use super::tool_arguments::{ComparisonArguments, ToolArguments};
use super::{application, wrong_usage};

#[derive(Debug, Args)]
pub(super) struct CompareOptions {
    /// Two to four scenario files (.ron) of one kind, the baseline first; "-" reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Samples of the uncertain numbers, for 90 % intervals; default: 4,096 for closed-form studies, none for simulations
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// Assumes ± this share for every number without a distribution; numbers that you decide, such as weights, stay exact.
    /// Example: 20%
    #[arg(long, value_name = "SHARE")]
    spread_all: Option<String>,
    /// The same seed gives the same samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Prints the figures of all scenarios along one number instead, as csv or json: cluster.machines=10..1000:50:log
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]", conflicts_with_all = ["samples", "spread_all", "shard"])]
    x: Option<String>,
    /// A figure along --x, e.g. speedup; may be repeated; default: all figures of the whole study
    #[arg(long = "figure", value_name = "KEY", requires = "x")]
    figures: Vec<String>,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the result; default: table, with --x csv
    #[arg(long, value_enum)]
    format: Option<CompareFormat>,
}

/// Format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareFormat {
    /// Table for the terminal
    Table,
    /// All values, for programs
    Json,
    /// One line for each number and each figure, for spreadsheets
    Csv,
    /// Tables for documents
    Markdown,
}

/// Prints the numbers that differ, and the figures side by side.
pub(super) fn compare(options: &CompareOptions) -> Result<()> {
    let read = |file: &PathBuf| -> Result<Scenario> {
        let mut scenario = storage::scenario::open(file)?;
        named::fetch(&mut scenario, storage::scenario::folder_of(file));
        Ok(scenario)
    };
    let count = options.files.len();
    if !(2..=tools::compare::MOST).contains(&count) {
        return Err(usage(&tools::CompareError::Count(count).to_string()));
    }
    let scenarios = options.files.iter().map(read).collect::<Result<Vec<Scenario>>>()?;
    let names = names(&options.files);
    if let Some(x) = &options.x {
        return along(options, x, &scenarios, &names);
    }
    let [baseline, others @ ..] = &scenarios[..] else { return Ok(()) };
    let (kind, studies) = (baseline.study.kind(), studies(&scenarios));
    let found = compared(&studies)?;
    let format = options.format.unwrap_or(CompareFormat::Table);
    let spread_all = options.spread_all.as_deref().map(|text| Unit::Share.parse(text)).transpose();
    let spread_all = spread_all.map_err(|error| usage(&format!("--spread-all: {error}")))?;
    let samples = options.samples.unwrap_or(SAMPLES);
    let sampling = Sampling { samples, seed: options.seed, spread_all, figures: Vec::new() };
    let is_requested = options.samples.is_some() || spread_all.is_some();
    if let Some(shard) = options.sharding.shard {
        let arguments = ComparisonArguments { names, others: others.iter().map(Scenario::to_ron).collect(), sampling };
        return sharded(baseline, &studies, arguments, shard);
    }
    if !is_requested && !studies.iter().all(|study| is_of_formulas(*study)) {
        return tell(kind, &scenarios, &names, &found, None, format);
    }
    let done = AtomicUsize::new(0);
    let line = || format!("{} of {} samples", done.load(Ordering::Relaxed), samples.saturating_mul(studies.len()));
    let watch = Watch { is_cancelled: &|| false, done: &done };
    match with_progress(line, || tools::paired(&studies, &found.figures, &sampling, watch)) {
        Ok(paired) => tell(kind, &scenarios, &names, &found, Some(&paired.context(CANCELLED)?), format),
        Err(error) if is_requested => Err(failed(error)),
        Err(error) => {
            if error != PairedError::Nothing {
                message(format!("no intervals and likelihoods: {error}"));
            }
            tell(kind, &scenarios, &names, &found, None, format)
        }
    }
}

/// The studies of scenarios.
fn studies<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Vec<&'a dyn Subject> {
    scenarios.into_iter().map(|scenario| scenario.study.subject()).collect()
}

fn compared(studies: &[&dyn Subject]) -> Result<Comparison> {
    let found = Watch::uncancellable(|watch| tools::compare(studies, watch));
    found.map_err(|error| usage(&error.to_string()))?.context(CANCELLED)
}

/// Prints the samples of a shard.
fn sharded(baseline: &Scenario, studies: &[&dyn Subject], arguments: ComparisonArguments, shard: Shard) -> Result<()> {
    let every = every(&arguments.sampling);
    let drawn = Watch::uncancellable(|watch| begin_all(studies, &every, watch)).map_err(failed)?.context(CANCELLED)?;
    let runs = drawn.iter().flatten().map(|samples| run(samples, shard)).collect::<Result<_>>()?;
    shard::written(shard, baseline, ToolArguments::Compare(arguments), runs)
}

/// Prints the comparison that the values of shards give.
pub(super) fn merged(
    baseline: &Scenario,
    arguments: &ComparisonArguments,
    shards: &mut Shards,
    format: CompareFormat,
) -> Result<()> {
    let read =
        |text: &String| scenario::read(text).map_err(|error| anyhow!("cannot read a scenario of the shards: {error}"));
    let others = arguments.others.iter().map(read).collect::<Result<Vec<Scenario>>>()?;
    let scenarios = || std::iter::once(baseline).chain(&others);
    let studies = studies(scenarios());
    let found = compared(&studies)?;
    let every = every(&arguments.sampling);
    let drawn = Watch::uncancellable(|watch| begin_all(&studies, &every, watch))?.context(CANCELLED)?;
    let values = |samples: &Option<Samples<'_>>| match samples {
        Some(samples) => shards.next()?.together(samples).map(Some),
        None => Ok(None),
    };
    let values = drawn.iter().map(values).collect::<Result<Vec<_>>>()?;
    let paired = conclude(&found.figures, &drawn, &values)?;
    tell(baseline.study.kind(), scenarios(), &arguments.names, &found, Some(&paired), format)
}

/// Prints a comparison of scenarios, the baseline first.
fn tell<'a>(
    kind: Kind,
    scenarios: impl IntoIterator<Item = &'a Scenario>,
    names: &[String],
    found: &Comparison,
    paired: Option<&Paired>,
    format: CompareFormat,
) -> Result<()> {
    let studies = scenarios.into_iter().map(|scenario| &scenario.study);
    let decisions = ComparedDecisions::new(studies, answer_of_application);
    let compared = Named { names, comparison: found, paired, decisions: &decisions };
    if let (CompareFormat::Csv, Some(about)) = (format, compared.about()) {
        message(about);
    }
    for sentence in compared.not_allowed() {
        message(&sentence);
    }
    print(&match format {
        CompareFormat::Table => table(&compared),
        CompareFormat::Json => json(kind, &compared),
        CompareFormat::Csv => csv(&compared),
        CompareFormat::Markdown => markdown(&compared),
    })
}

/// A study without a valid sample is not a wrong use of the command.
fn failed(error: PairedError) -> anyhow::Error {
    match error {
        PairedError::Of { problem: UncertaintyError::Nowhere(_), .. } => error.into(),
        error => usage(&error.to_string()),
    }
}

/// Prints the figures of all scenarios along a number.
fn along(options: &CompareOptions, x: &str, scenarios: &[Scenario], names: &[String]) -> Result<()> {
    let format = options.format.unwrap_or(CompareFormat::Csv);
    if !matches!(format, CompareFormat::Csv | CompareFormat::Json) {
        return Err(usage("--format: with --x use csv or json"));
    }
    let (baseline, studies) = (&scenarios[0].study, studies(scenarios));
    let along = Sweep::read(baseline.subject(), x).map_err(|error| usage(&error.to_string()))?;
    let along = Sweep { figures: options.figures.clone(), ..along };
    let curves = Watch::uncancellable(|watch| tools::compare::curves(&studies, &along, watch));
    let curves = curves.map_err(|error| usage(&error.to_string()))?.context(CANCELLED)?;
    for scenario in scenarios {
        application::message_about(scenario);
    }
    for (name, swept) in names.iter().zip(&curves) {
        if let Some(left_out) = &swept.left_out {
            message(format!("{name}: {left_out}"));
        }
    }
    if let Some(caution) = kinds::module(baseline.kind()).weak_scaling_caution(baseline, &[&along.x.path]) {
        message(&caution);
    }
    print(&match format {
        CompareFormat::Json => curves_json(baseline.kind(), names, &curves),
        _ => curves_csv(names, &curves),
    })
}

/// The command line never cancels a comparison, so this is not printed.
const CANCELLED: &str = "the comparison was cancelled";

fn usage(problem: &str) -> anyhow::Error {
    wrong_usage("compare", problem).into()
}

/// The name of each file: without extension, or the path where names are ambiguous.
fn names(files: &[PathBuf]) -> Vec<String> {
    let stem = |file: &Path| file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let name = |file: &PathBuf| {
        let stem_of_file = stem(file);
        let is_clear = files.iter().filter(|other| stem(other) == stem_of_file).count() == 1;
        if is_clear { stem_of_file } else { file.display().to_string() }
    };
    files.iter().map(name).collect()
}
