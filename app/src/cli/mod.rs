//! The command line: the same outcomes as the window, as text on standard output.
//!
//! Standard output is the result, standard error is messages and progress. Exit codes: 0 done, 1 failed,
//! 2 wrong usage.

pub mod no_display;

mod calibrate;
mod import;
mod placement;
mod plan;
mod progress;
mod regulation;

use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, Subcommand};
use crossover_model::scenario::{Kind, Scenario, Study};

use crate::export::Format;
use crate::screenshot;
use crate::storage::scenario::{self, Loaded};
use crate::window::Opened;

/// Shows where a GPU starts to pay in a cluster, and what a controller of its vGPUs is worth.
#[derive(Debug, Parser)]
#[command(name = "crossover", version, args_conflicts_with_subcommands = true)]
struct Cli {
    /// Scenario that the window opens
    file: Option<PathBuf>,
    /// Opens the window, draws it once, says so and ends
    #[arg(long, hide = true)]
    smoke_test: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prints the outcome of a scenario: what to place where and why, or what a controller gains
    Evaluate(EvaluateOptions),
    /// Prints speedup curves of a placement scenario along one parameter
    Curves(placement::CurvesOptions),
    /// Finds gains for the chosen controller of a regulation scenario
    Tune(regulation::tune::TuneOptions),
    /// Prints which gains of that controller settle, leave an error or keep moving
    Stability(regulation::stability::StabilityOptions),
    /// Makes a recording of GPUs the demand of a cluster of a regulation scenario
    Replay(regulation::replay::ReplayOptions),
    /// Shows the query plans of a Spark event log, of DuckDB or PostgreSQL, or of SQL, and makes a scenario of one
    Import(import::ImportOptions),
    /// Prints where a scenario's query plan runs, for its engine and for other programs
    Plan(plan::PlanOptions),
    /// Replaces guesses of a placement scenario by figures that gpu-bench measured
    Calibrate(calibrate::CalibrateOptions),
    /// Measures CPU, bus and GPU of this machine
    #[command(subcommand)]
    Bench(crossover_gpu_bench::cli::Command),
    /// Draws the window of a scenario into a PNG file, without a display
    Screenshot(screenshot::Options),
}

#[derive(Debug, Args)]
struct EvaluateOptions {
    #[command(flatten)]
    source: Source,
    /// How the result is written
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Whose periods a regulation scenario prints, e.g. "no control" or PI; default: the chosen controller's
    #[arg(long, value_name = "NAME")]
    strategy: Option<String>,
}

/// A scenario file, and the fields to override in it.
#[derive(Debug, Args)]
struct Source {
    /// Scenario file (.ron); "-" reads standard input
    file: PathBuf,
    /// Overrides a field, e.g. cluster.machines=200 or controllers.PID.ki=0.2; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

impl Source {
    fn scenario(&self) -> Result<Scenario> {
        Ok(scenario::open(&self.file)?.with_all(&self.overrides)?)
    }
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let error = match Cli::try_parse().map_err(anyhow::Error::from).and_then(run) {
        Ok(code) => return code,
        Err(error) => error,
    };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version come this way too, to standard output; nobody is left to tell if that is closed.
        _ = usage.print();
        return if usage.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    message(&format!("{error:#}"));
    ExitCode::FAILURE
}

fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Some(Command::Evaluate(options)) => {
            print(&outcome(&options.source.scenario()?, options.strategy.as_deref(), options.format)?)?;
        }
        Some(Command::Curves(options)) => {
            let scenario = options.source.scenario()?;
            let Some(study) = scenario.placement() else {
                let this = called(scenario.study.kind());
                bail!(
                    "speedup curves belong to placement scenarios; this one is {this}, whose figures \
                     `evaluate --format csv` prints"
                )
            };
            print(&placement::curves(&scenario.name, study, &options)?)?;
        }
        Some(Command::Tune(options)) => regulation::tune::tune(&options)?,
        Some(Command::Stability(options)) => regulation::stability::stability(&options)?,
        Some(Command::Replay(options)) => regulation::replay::replay(&options)?,
        Some(Command::Import(options)) => import::import(&options)?,
        Some(Command::Plan(options)) => plan::plan(&options)?,
        Some(Command::Calibrate(options)) => calibrate::calibrate(&options)?,
        // A run that was cancelled has an exit code of its own.
        Some(Command::Bench(command)) => return crossover_gpu_bench::cli::run(command),
        Some(Command::Screenshot(options)) => screenshot::capture(&options)?,
        None if cli.smoke_test || no_display::has_display() => {
            let loaded = load(cli.file.as_deref())?;
            match crate::window::open(loaded.clone(), cli.smoke_test)? {
                Opened::Shown => {}
                Opened::NoDisplay(why) => report_instead(&why, loaded)?,
            }
        }
        None => report_instead(no_display::WHY, load(cli.file.as_deref())?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the window is to show; read before it opens, so that a bad file ends the program.
fn load(file: Option<&Path>) -> Result<Option<Loaded>> {
    file.map(scenario::load).transpose()
}

/// What happens where no window can be opened.
fn report_instead(why: &str, loaded: Option<Loaded>) -> Result<()> {
    message(&format!("{why}, so no window opens and the report follows as text"));
    print(&no_display::report(loaded.map(|loaded| loaded.scenario))?)
}

/// The outcome of any study as text.
fn outcome(scenario: &Scenario, strategy: Option<&str>, format: Format) -> Result<String> {
    if strategy.is_some() && scenario.regulation().is_none() {
        bail!("--strategy belongs to regulation scenarios; this one is {}", called(scenario.study.kind()));
    }
    match &scenario.study {
        Study::Placement(study) => Ok(placement::outcome(&scenario.name, study, format)),
        Study::Regulation(study) => regulation::outcome(&scenario.name, study, strategy, format),
    }
}

/// What a message calls a scenario of this kind: "a placement scenario".
fn called(kind: Kind) -> String {
    let key = kind.key();
    let article = if key.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {key} scenario")
}

/// Writes a result to standard output.
fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // The reader has seen enough, e.g. `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the result cannot be written to standard output"),
    }
}

/// Writes a message to standard error; if that is closed, nobody wants it.
fn message(text: &str) {
    _ = writeln!(io::stderr(), "crossover: {text}");
}
