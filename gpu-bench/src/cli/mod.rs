//! The command line of `gpu-bench`; `crossover bench` is the same.
//!
//! Standard output is the result, standard error is messages and progress. Exit codes: 0 done, 1 failed,
//! 2 wrong usage.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measures CPU, bus and GPU of this machine.
#[derive(Debug, Parser)]
#[command(name = "gpu-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What `gpu-bench` can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the GPUs of this machine
    List,
}

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    let Err(error) = Cli::try_parse().map_err(anyhow::Error::from).and_then(|cli| run(cli.command)) else {
        return ExitCode::SUCCESS;
    };
    if let Some(usage) = error.downcast_ref::<clap::Error>() {
        _ = usage.print();
        return if usage.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    _ = writeln!(io::stderr(), "gpu-bench: {error:#}");
    ExitCode::FAILURE
}

/// Carries out a command.
///
/// # Errors
/// What the user is to read, without the program's name.
pub fn run(command: Command) -> Result<()> {
    match command {
        Command::List => Ok(()),
    }
}
