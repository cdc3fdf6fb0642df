//! The command line of `gpu-bench`; `crossover bench` is the same.
//!
//! Standard output is the result, standard error is messages and progress. Exit codes: 0 done, 1 failed,
//! 2 wrong usage, 130 cancelled.

mod compare;
mod events;
mod explain;
mod ids;
mod keeper;
mod list;
mod pairs;
mod probe;
mod progress;
mod run;
mod show;

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use crossover_quantity::text::visible;

pub use self::show::read;
use crate::report::document::{Document, Format};

/// Measures CPU, bus and GPU of this machine.
#[derive(Debug, Parser)]
#[command(name = "gpu-bench", version, after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 cancelled.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What `gpu-bench` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the GPUs of this machine
    List(list::Options),
    /// Measures, checks every result against the CPU, and keeps a report
    Run(run::Options),
    /// Prints a report
    Show(show::Options),
    /// Prints what changed from one report to another
    Compare(compare::Options),
    /// Runs a probe task, whose outputs are checked, on some compute units
    Probe(probe::Options),
    /// Measures how fast pairs of kernels run on one GPU together, against alone
    Pairs(pairs::Options),
    /// Says what is measured, and how
    Explain(explain::Options),
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let error = match Cli::try_parse().map_err(anyhow::Error::from).and_then(|cli| run(cli.command)) {
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

/// Carries out a command and tells the exit code: 0, or that of a run that was cancelled or could not be kept.
///
/// # Errors
/// What the user is to read, without the program's name.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(options) => list::list(&options)?,
        Command::Run(options) => return run::run(options),
        Command::Probe(options) => return probe::probe(&options),
        Command::Pairs(options) => return pairs::pairs(options),
        Command::Show(options) => show::show(&options)?,
        Command::Compare(options) => compare::compare(&options)?,
        Command::Explain(options) => explain::explain(&options)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a document to standard output; as CSV what `csv` says, and to standard error what it has no place for.
fn print_as(format: Format, document: &Document, csv: impl FnOnce() -> String, remarks: &[String]) -> Result<()> {
    match format {
        Format::Table => print(&document.text()),
        Format::Markdown => print(&document.markdown()),
        Format::Csv => {
            for remark in remarks {
                message(remark);
            }
            print(&csv())
        }
    }
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
    _ = writeln!(io::stderr(), "gpu-bench: {}", visible(text));
}
