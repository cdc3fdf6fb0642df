//! Scenarios of one kind side by side.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use crossover_export::about::{about, figure_engines, figures_of_all};
use crossover_export::compare::{
    ComparedDecisions, Named, csv, curves_csv, curves_json, json, markdown, so_far, table,
};
use crossover_fleet_page::answer_of_application;
use crossover_page::storage::{self, named};
use crossover_page::terminal::{message, print};
use crossover_quantity::unit::Unit;
use crossover_scenario::{self as scenario, Kind, Scenario};
use crossover_study::{Subject, Watch};
use crossover_tools::bands;
use crossover_tools::batch::is_of_formulas;
use crossover_tools::paired::{self, FIRST_SAMPLES, SAMPLES, SAMPLES_OF_SIMULATIONS, begin_all, conclude, every};
use crossover_tools::rounds::{growing, rounds};
use crossover_tools::uncertainty::Samples;
use crossover_tools::{
    self as tools, Bands, BandsError, Comparison, Paired, PairedError, Sampling, Shard, Sweep, Swept, UncertaintyError,
};

use crate::kinds;

use super::rounds::{LastRound, Rounds, message_if_partial, time_limit};
use super::sampled::repeat;
use super::shard::{self, ShardOption, Shards, run};
use super::sweep::{self, FIRST_POINTS, coarser};
use super::tool_arguments::{ComparisonArguments, ToolArguments};
use super::wrong_usage;

#[derive(Debug, Args)]
pub(super) struct CompareOptions {
    /// Two to four scenario files (.ron) of one kind, the baseline first; "-" reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Samples of the uncertain numbers, for 90 % intervals; default: 4,096 for closed-form studies, 64 for simulations, with
    /// --bands 1,024 at each value
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
    #[arg(long, value_name = "PATH=FROM..TO[:POINTS][:log]", conflicts_with = "shard")]
    x: Option<String>,
    /// Adds to --x the 5 % and 95 % quantiles of each figure at each value, given the uncertainty of the other numbers
    #[arg(long, requires = "x")]
    bands: bool,
    /// A figure along --x, e.g. speedup; may be repeated; default: all figures of the whole study
    #[arg(long = "figure", value_name = "KEY", requires = "x")]
    figures: Vec<String>,
    /// Stops after this time, e.g. 2s or 5 min, with the samples, or with --x the values, so far; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
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
    let spread_all = options.spread_all.as_deref().map(|text| Unit::Share.parse(text)).transpose();
    let spread_all = spread_all.map_err(|error| usage(&format!("--spread-all: {error}")))?;
    if let Some(x) = &options.x {
        return along(options, x, spread_all, &scenarios, &names);
    }
    let [baseline, others @ ..] = &scenarios[..] else { return Ok(()) };
    let (kind, studies) = (baseline.study.kind(), studies(&scenarios));
    let found = compared(&studies)?;
    let format = options.format.unwrap_or(CompareFormat::Table);
    let is_of_formulas = studies.iter().all(|study| is_of_formulas(*study));
    let samples = options.samples.unwrap_or(if is_of_formulas { SAMPLES } else { SAMPLES_OF_SIMULATIONS });
    let sampling = Sampling { samples, seed: options.seed, spread_all, figures: Vec::new() };
    let is_requested = options.samples.is_some() || spread_all.is_some();
    if let Some(shard) = options.sharding.shard {
        let arguments = ComparisonArguments { names, others: others.iter().map(Scenario::to_ron).collect(), sampling };
        return sharded(baseline, &studies, arguments, shard);
    }
    let limit = limit(options)?;
    match sampled(&studies, &found, &names, &sampling, limit) {
        Ok(last) => {
            let LastRound { found: paired, size } = last.context(CANCELLED)?;
            let so_far = so_far(&names, &found, paired.as_ref());
            message_if_partial(size, samples, "samples of each scenario", &repeat(size), &so_far);
            tell(kind, &scenarios, &names, &found, paired.as_ref(), format)
        }
        Err(error) if is_requested => Err(failed(error)),
        Err(error) => {
            if error != PairedError::Nothing {
                message(format!("no intervals and likelihoods: {error}"));
            }
            tell(kind, &scenarios, &names, &found, None, format)
        }
    }
}

fn limit(options: &CompareOptions) -> Result<Option<Duration>> {
    Ok(time_limit(options.time.as_deref(), |problem| wrong_usage("compare", problem))?)
}

/// Draws the scenarios together, in rounds of samples; the comparison without them is the first answer.
fn sampled(
    studies: &[&dyn Subject],
    found: &Comparison,
    names: &[String],
    sampling: &Sampling,
    limit: Option<Duration>,
) -> Result<Option<LastRound<Option<Paired>>>, PairedError> {
    let (all, mut kept) = (sampling.samples, Vec::new());
    let slowest = studies.iter().copied().find(|study| !is_of_formulas(*study)).or_else(|| studies.first().copied());
    let sizes = slowest.map_or_else(Vec::new, |study| rounds(study, FIRST_SAMPLES, all));
    let rounds = Rounds { sizes: std::iter::once(0).chain(sizes).collect(), limit, counted: "samples" };
    rounds.run(
        |last: &LastRound<Option<Paired>>| {
            let [size, all] = [last.size, all].map(|samples| Unit::Count.format(samples as f64));
            let so_far = so_far(names, found, last.found.as_ref());
            format!("{so_far}, with {size} of {all} samples of each scenario")
        },
        |samples, watch| {
            if samples == 0 {
                return Ok(Some(None));
            }
            let found = paired::round(studies, &found.figures, sampling, samples, &mut kept, watch);
            found.map(|found| found.map(Some))
        },
    )
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
    if format == CompareFormat::Csv {
        compared.statements().for_each(message);
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
fn along(
    options: &CompareOptions,
    x: &str,
    spread_all: Option<f64>,
    scenarios: &[Scenario],
    names: &[String],
) -> Result<()> {
    let format = options.format.unwrap_or(CompareFormat::Csv);
    if !matches!(format, CompareFormat::Csv | CompareFormat::Json) {
        return Err(usage("--format: with --x use csv or json"));
    }
    if !options.bands && (options.samples.is_some() || spread_all.is_some()) {
        return Err(usage("--samples and --spread-all with --x need --bands; add --bands"));
    }
    let (baseline, studies) = (&scenarios[0].study, studies(scenarios));
    let along = Sweep::read(baseline.subject(), x).map_err(|error| usage(&error.to_string()))?;
    let along = Sweep { figures: options.figures.clone(), ..along };
    let count = along.values(baseline.subject()).map_or(along.x.points, |values| values.len());
    let so_far = |curves: &[Swept]| {
        let each = names.iter().zip(curves).map(|(name, swept)| format!("{name}: {}", sweep::so_far(swept)));
        each.collect::<Vec<_>>().join(", ")
    };
    let values = |curves: &[Swept]| curves.first().map_or(0, |swept| swept.values.len());
    let (began, limit) = (Instant::now(), limit(options)?);
    let rounds = Rounds { sizes: growing(FIRST_POINTS, 4, along.x.points), limit, counted: "evaluations" };
    let last = rounds.run(
        |last: &LastRound<Vec<Swept>>| format!("{} at {} of {count} values", so_far(&last.found), values(&last.found)),
        |points, watch| tools::compare::curves(&studies, &coarser(&along, points), watch),
    );
    let LastRound { found: curves, size } = last.map_err(|error| usage(&error.to_string()))?.context(CANCELLED)?;
    message_if_partial(values(&curves), count, "values", "", &so_far(&curves));
    let bands = if options.bands {
        let samples = options.samples.unwrap_or(bands::SAMPLES);
        let sampling = Sampling { samples, seed: options.seed, spread_all, figures: Vec::new() };
        let left = || limit.map(|limit| limit.saturating_sub(began.elapsed()));
        bands_of_all(&studies, names, &coarser(&along, size), &sampling, left)?
    } else {
        vec![None; studies.len()]
    };
    let bands: Vec<Option<&Bands>> = bands.iter().map(Option::as_ref).collect();
    for about in scenarios.iter().filter_map(|scenario| about(&scenario.study)) {
        message(about);
    }
    let engines: Vec<_> = scenarios.iter().map(|scenario| figure_engines(&scenario.study)).collect();
    if let Some(figures) = figures_of_all(names, &engines) {
        message(figures);
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
        CompareFormat::Json => curves_json(baseline.kind(), names, &curves, &bands),
        _ => curves_csv(names, &curves, &bands),
    })
}

/// The bands of each scenario; `None` where only the number of the curves is uncertain, or none. Scenarios are sampled independently.
fn bands_of_all(
    studies: &[&dyn Subject],
    names: &[String],
    along: &Sweep,
    sampling: &Sampling,
    left: impl Fn() -> Option<Duration>,
) -> Result<Vec<Option<Bands>>> {
    let (mut all, mut exact) = (Vec::new(), Vec::new());
    for (place, (name, study)) in names.iter().zip(studies).enumerate() {
        match sweep::banded(*study, along, sampling, equal_share(left(), studies.len() - place)) {
            Ok(found) => {
                if let Some(not_allowed) = found.as_ref().and_then(|bands| bands.not_allowed.as_ref()) {
                    message(format!("{name}: {not_allowed}"));
                }
                all.push(found);
            }
            Err(error @ (BandsError::NothingElse(_) | BandsError::Uncertainty(UncertaintyError::Nothing))) => {
                exact.push(error);
                all.push(None);
            }
            Err(error) => return Err(sweep::no_bands("compare", error)),
        }
    }
    match exact.pop() {
        Some(error) if exact.len() + 1 == studies.len() => Err(sweep::no_bands("compare", error)),
        _ => Ok(all),
    }
}

/// The time of the next of so many scenarios, at least one, which divide what is left: the first one would take all of it.
fn equal_share(left: Option<Duration>, scenarios: usize) -> Option<Duration> {
    left.map(|left| left.div_f64(scenarios as f64))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 12 s, three scenarios have 4 s each; where the first one takes 2 s, the others have 5 s each.
    #[test]
    fn bands_of_each_scenario_have_an_equal_share_of_the_time() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(equal_share(seconds(12), 3), seconds(4));
        assert_eq!(equal_share(seconds(10), 2), seconds(5));
        assert_eq!([equal_share(seconds(0), 2), equal_share(None, 2)], [seconds(0), None]);
    }
}
