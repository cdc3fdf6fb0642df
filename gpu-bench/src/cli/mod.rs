//! The command line of `gpu-bench`; `crossover bench` is the same.
//!
//! Standard output is the result, standard error is messages and progress. Exit codes: 0 done, 1 failed,
//! 2 wrong usage, 130 cancelled.

mod compare;
mod events;
mod explain;
mod hold;
mod ids;
mod list;
mod network;
mod pairs;
mod probe;
mod progress;
mod report_writer;
mod run;
#[cfg(unix)]
mod share;
mod show;
mod units;

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser, Subcommand};
use crossover_quantity::text::{Printable, TextReport};

pub use self::show::read;
use crate::report::format::Format;

/// Measures CPU, bus and GPU of this machine.
#[derive(Debug, Parser)]
#[command(name = "gpu-bench", version, after_help = "Exit codes: 0 done, 1 failed, 2 wrong usage, 130 cancelled.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Commands of `gpu-bench`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the GPUs of this machine
    List(list::Options),
    /// Lists the compute units of this machine: sockets, cores, memory, GPUs and their MIG parts
    Units(units::Options),
    /// Measures the network to another machine: round trips, and throughput in both directions
    Network(network::Options),
    /// Measures, checks every result against the CPU, and saves a report
    Run(run::Options),
    /// Prints a report
    Show(show::Options),
    /// Compares two reports
    Compare(compare::Options),
    /// Runs a probe task on compute units of this machine and checks its outputs
    Probe(probe::Options),
    /// Measures the throughput of pairs of kernels that share a GPU, relative to each alone
    Pairs(pairs::Options),
    /// Measures how fast two of your programs run when they share a GPU or CPUs, and what a scheduling policy gains
    #[cfg(unix)]
    Share(share::Options),
    /// Explains what each benchmark measures and how
    Explain(explain::Options),
    /// Keeps the clocks of an NVIDIA GPU from falling until standard input is closed
    #[command(hide = true)]
    HoldClocks(hold::Options),
}

/// The command line with all commands.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let error = match Cli::try_parse().map_err(anyhow::Error::from).and_then(|cli| run(cli.command)) {
        Ok(code) => return code,
        Err(error) => error,
    };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        // Help and version are printed here too; a closed standard output is ignored.
        _ = if usage.use_stderr() { write_error(usage.render().to_string()) } else { usage.print() };
        return if usage.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    message(format!("{error:#}"));
    ExitCode::FAILURE
}

/// Carries out a command and returns the exit code: 0, or that of a cancelled run or a failed write.
///
/// # Errors
/// The message for the user, without the program's name.
pub fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::List(options) => list::list(&options)?,
        Command::Units(options) => units::units(&options)?,
        Command::Network(options) => return network::network(&options),
        Command::Run(options) => return run::run(options),
        Command::Probe(options) => return probe::probe(&options),
        Command::Pairs(options) => return pairs::pairs(options),
        #[cfg(unix)]
        Command::Share(options) => return share::share(options),
        Command::Show(options) => show::show(&options)?,
        Command::Compare(options) => compare::compare(&options)?,
        Command::Explain(options) => explain::explain(&options)?,
        Command::HoldClocks(options) => hold::hold_clocks(&options)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a document to standard output; as CSV the text of `csv`, with the remarks on standard error.
fn print_as(format: Format, text_report: &TextReport, csv: impl FnOnce() -> String, remarks: &[String]) -> Result<()> {
    match format {
        Format::Table => print(text_report.terminal()),
        Format::Markdown => print(text_report.markdown()),
        Format::Csv => {
            for remark in remarks {
                message(remark);
            }
            print(csv())
        }
    }
}

/// Writes a result to standard output.
#[expect(clippy::disallowed_methods, reason = "one of the places that write a `Printable`")]
fn print(text: impl Into<Printable>) -> Result<()> {
    let text: Printable = text.into();
    let mut output = io::stdout().lock();
    match output.write_all(text.as_str().as_bytes()).and_then(|()| output.flush()) {
        // The reader has closed the pipe, e.g. `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write the result to standard output"),
    }
}

/// Writes a message to standard error, without its middle if it is very long; ignored if that is closed.
fn message(text: impl Into<Printable>) {
    let text: Printable = text.into();
    _ = write_error(format!("gpu-bench: {}\n", text.message()));
}

/// Writes a text to standard error.
#[expect(clippy::disallowed_methods, reason = "one of the places that write a `Printable`")]
fn write_error(text: impl Into<Printable>) -> io::Result<()> {
    let text: Printable = text.into();
    io::stderr().write_all(text.as_str().as_bytes())
}
