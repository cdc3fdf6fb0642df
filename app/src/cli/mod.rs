//! The command line: the same outcomes as the window, as text on standard output.
//!
//! Standard output is the result, standard error is messages and progress. Exit codes: 0 done, 1 failed,
//! 2 wrong usage.

pub mod no_display;

mod application;
mod compare;
mod evaluate;
mod installed;
mod map;
mod merge;
mod report;
mod rounds;
mod sampled;
mod sampling;
mod search;
mod sensitivity;
mod shard;
mod sweep;
mod tool_arguments;
mod uncertainty;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser};
use crossover_fleet_page::cli as fleet;
use crossover_page::storage::scenario::{self, Loaded, check_ends};
use crossover_page::study_module::StudyModule;
use crossover_page::terminal::{self, Subcommand, message, print};
use crossover_quantity::invalid::did_you_mean;

use crate::edition;
use crate::kinds;
use crate::screenshot;
use crate::window::Opened;

/// Predicts where work runs faster or cheaper: on CPUs or GPUs, in which engine, on which node, in which compute centre
#[derive(Debug, Parser)]
#[command(name = "crossover", version, long_version = edition::long_version(), args_conflicts_with_subcommands = true)]
struct Cli {
    /// Event logs, query plans, scenario files, `crossover://` links and result folders of `fleet`, to open in the
    /// window
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Opens the window, draws it once, prints the time and ends
    #[arg(long, hide = true)]
    smoke_test: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

// Commands for any scenario, or for none; those of one kind of study are in the crate of its page.
// `display_order` is the position in the help. Not a doc comment: clap would print it above the help.
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Prints the outcome of a scenario: the decision, its reasons and the figures
    #[command(display_order = 0)]
    Evaluate(evaluate::EvaluateOptions),
    /// Prints results (figures) of a scenario of any kind along one of its inputs (numbers)
    #[command(display_order = 5)]
    Sweep(sweep::SweepOptions),
    /// Prints a result (figure) of a scenario of any kind over two of its inputs (numbers), with the contour at a level
    #[command(display_order = 6)]
    Map(map::MapOptions),
    /// Compares two to four scenarios of one kind: the numbers that differ, and the figures
    #[command(display_order = 8)]
    Compare(compare::CompareOptions),
    /// Prints the 90 % interval of each figure, given the uncertainty of the numbers
    #[command(display_order = 6)]
    Uncertainty(sampled::SampledOptions),
    /// Prints which uncertain numbers each figure depends most on
    #[command(display_order = 7)]
    Sensitivity(sampled::SampledOptions),
    /// Writes a report for decision makers: the answer, its likelihood, and every number with its source
    #[command(display_order = 9)]
    Report(report::ReportOptions),
    /// Merges the files that a command printed with --shard on several machines
    #[command(display_order = 8)]
    Merge(merge::MergeOptions),
    /// Searches for values and catalogue entries that meet every constraint and optimise an objective
    #[command(display_order = 9)]
    Search(search::SearchOptions),
    /// Decides what should run a workload, from its log: time, cost and likelihoods of every option
    #[command(display_order = 1)]
    Decide(fleet::decide::DecideOptions),
    /// Learns from a trial: pairs the queries of two runs, compares predicted with measured times, and updates the profile
    #[command(display_order = 2)]
    Learn(fleet::learn::LearnOptions),
    /// Reads all Spark event logs of an organisation: what should run each application, the savings, and the blockers
    #[command(display_order = 55)]
    Fleet(fleet::FleetOptions),
    /// Measures CPU, bus and GPU of this machine
    #[command(subcommand, display_order = 80)]
    Bench(crossover_gpu_bench::cli::Command),
    /// Draws the window with a scenario to a PNG file, without a display
    #[command(display_order = 90)]
    Screenshot(screenshot::Options),
    /// Prints the completion script of a shell
    #[command(display_order = 91)]
    Completions(installed::CompletionsOptions),
    /// Writes the manual page of each command
    #[command(display_order = 92)]
    Manual(installed::ManualOptions),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    quiet_caught_panics();
    crossover_plan::set_sql_reader(crossover_sql::read_as);
    let mut error = match command().try_get_matches().map_err(anyhow::Error::from).and_then(|matches| run(&matches)) {
        Ok(code) => return code,
        Err(error) => error,
    };
    if let Some(mistyped) = mistyped_command() {
        error = mistyped.into();
    }
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version are printed here too.
        terminal::usage(usage);
        return if usage.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    message(format!("{error:#}"));
    ExitCode::FAILURE
}

/// Keeps panics from being printed that are caught and reported: those of the SQL planner, as errors of the statement, and that
/// of a window which another program has destroyed.
fn quiet_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_planner = std::thread::current().name() == Some(crossover_sql::SQL_PLANNER);
        if !is_planner && !panic.payload_as_str().is_some_and(crate::window::is_gone) {
            usual(panic);
        }
    }));
}

/// The error if the first argument of this process is a mistyped subcommand.
fn mistyped_command() -> Option<clap::Error> {
    std::env::args_os().nth(1).and_then(|first| mistyped(first.to_str()?))
}

/// The error for a first word that is nearly a subcommand and names no file. As a file it would only be reported missing.
fn mistyped(first: &str) -> Option<clap::Error> {
    let mut command = command();
    let known: Vec<String> = command.get_subcommands().map(|known| known.get_name().to_owned()).collect();
    let hint = did_you_mean(first, &known);
    let is_word = first.starts_with(|c: char| c.is_ascii_alphabetic()) && !first.contains(['.', '/', '\\']);
    let is_mistyped = is_word && !hint.is_empty() && !known.iter().any(|known| known == first);
    let problem = format!("there is no command “{first}”{hint}");
    (is_mistyped && !Path::new(first).exists()).then(|| command.error(ErrorKind::InvalidSubcommand, problem))
}

/// The command line with all subcommands.
#[must_use]
pub fn command() -> clap::Command {
    subcommands().fold(Cli::command(), |command, subcommand| match subcommand.under {
        None => command.subcommand((subcommand.command)()),
        Some(parent) => command.mut_subcommand(parent, |parent| {
            let parent = parent.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true);
            parent.subcommand((subcommand.command)())
        }),
    })
}

/// A wrong use of a subcommand.
fn wrong_usage(name: &str, problem: &str) -> clap::Error {
    let command = command();
    terminal::wrong_usage(command.find_subcommand(name).unwrap_or(&command).clone(), problem)
}

/// The subcommands of all kinds of studies.
fn subcommands() -> impl Iterator<Item = &'static Subcommand> {
    kinds::modules().flat_map(StudyModule::subcommands)
}

fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let named = |under: Option<&str>, name: &str| {
        subcommands().find(|subcommand| subcommand.under == under && (subcommand.command)().get_name() == name)
    };
    if let Some((name, matches)) = matches.subcommand() {
        let below = matches.subcommand().and_then(|(below, matches)| Some((named(Some(name), below)?, matches)));
        if let Some((subcommand, matches)) = below.or_else(|| Some((named(None, name)?, matches))) {
            (subcommand.run)(matches)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    let cli = Cli::from_arg_matches(matches)?;
    match cli.command {
        Some(Command::Evaluate(options)) => evaluate::evaluate(&options)?,
        Some(Command::Sweep(options)) => sweep::sweep(&options)?,
        Some(Command::Map(options)) => map::map(&options)?,
        Some(Command::Compare(options)) => compare::compare(&options)?,
        Some(Command::Uncertainty(options)) => uncertainty::uncertainty(&options)?,
        Some(Command::Sensitivity(options)) => sensitivity::sensitivity(&options)?,
        Some(Command::Search(options)) => search::search(&options)?,
        Some(Command::Merge(options)) => merge::merge(&options)?,
        Some(Command::Decide(options)) => fleet::decide::decide(&options)?,
        Some(Command::Learn(options)) => fleet::learn::learn(&options)?,
        Some(Command::Fleet(options)) => fleet::fleet(&options)?,
        Some(Command::Report(options)) => report::report(&options)?,
        // A run that was cancelled has an exit code of its own.
        Some(Command::Bench(command)) => return crossover_gpu_bench::cli::run(command),
        Some(Command::Screenshot(options)) => screenshot::capture(&options)?,
        Some(Command::Completions(options)) => installed::completions(&mut command(), &options)?,
        Some(Command::Manual(options)) => installed::manual(command(), &options)?,
        None if cli.smoke_test || no_display::has_display() => {
            let Opening { loaded, dropped, problems } = Opening::of(cli.files);
            // A problem with files or links is shown by the window: what was clicked has no terminal. A mistyped command has one.
            if let Some(mistyped) = mistyped_command().filter(|_| loaded.is_empty() && dropped.is_empty()) {
                return Err(mistyped.into());
            }
            match crate::window::open(loaded.clone(), dropped.clone(), problems.clone(), cli.smoke_test)? {
                Opened::Shown => {}
                Opened::NoDisplay(why) => return report_instead(&why, loaded, dropped, &problems),
            }
        }
        None => {
            let Opening { loaded, dropped, problems } = Opening::of(cli.files);
            return report_instead(no_display::WHY, loaded, dropped, &problems);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What the window opens, or is reported where there is no display.
struct Opening {
    /// Scenarios.
    loaded: Vec<Loaded>,
    /// Folders and logs.
    dropped: Vec<PathBuf>,
    /// Problems of the other paths.
    problems: Vec<String>,
}

impl Opening {
    /// Reads the scenarios among these paths. What would be waited for without end is a problem.
    fn of(mut paths: Vec<PathBuf>) -> Self {
        let endless: Vec<String> = paths.iter().filter_map(|path| check_ends(path).err()).collect();
        paths.retain(|path| check_ends(path).is_ok());
        let (dropped, files) = dropped_and_scenarios(paths);
        let (loaded, mut problems) = load(&files);
        problems.extend(endless);
        Self { loaded, dropped, problems }
    }
}

/// Splits paths into those that are opened as if they were dropped on the window, folders and logs, and scenarios.
fn dropped_and_scenarios(paths: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    paths.into_iter().partition(|path| scenario::is_imported(path))
}

/// The scenarios to show, and the problems of the other files.
fn load(files: &[PathBuf]) -> (Vec<Loaded>, Vec<String>) {
    let (mut loaded, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match scenario::load(file) {
            Ok(scenario) => loaded.push(scenario),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    (loaded, problems)
}

/// Prints the report where no window can be opened; the exit status is 1 if a file has a problem.
fn report_instead(why: &str, loaded: Vec<Loaded>, dropped: Vec<PathBuf>, problems: &[String]) -> Result<ExitCode> {
    if let Some(problem) = problems.first().filter(|_| loaded.is_empty() && dropped.is_empty()) {
        bail!("{problem}");
    }
    let (fleets, logs): (Vec<PathBuf>, Vec<PathBuf>) = dropped.into_iter().partition(|path| path.is_dir());
    fleet::check(&fleets)?;
    for problem in problems {
        message(problem);
    }
    message(format!("{why}; printing the report as text instead"));
    for fleet in &fleets {
        print(&fleet::results(fleet)?)?;
    }
    let mut is_complete = problems.is_empty();
    for log in &logs {
        match fleet::decide::answer_of(log, None, &[]) {
            Ok(answer) => print(&answer)?,
            Err(error) => {
                is_complete = false;
                message(format!("{error:#}"));
            }
        }
    }
    if fleets.is_empty() && logs.is_empty() || !loaded.is_empty() {
        let scenarios = loaded.into_iter().map(|loaded| loaded.scenario).collect();
        print(&no_display::report(scenarios)?)?;
    }
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
