//! Base of the command line: the source of a scenario, output of results and messages, and subcommands.

mod outputs;
mod progress;
mod source;

use std::io::{self, ErrorKind, Write as _};

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::ArgMatches;
use clap::error::ErrorKind as Wrong;
use crossover_quantity::text::Printable;
use crossover_scenario::Kind;

pub use outputs::Outputs;
pub use progress::{StatusLines, is_watched, with_progress};
pub use source::Source;

/// A subcommand about one kind of study.
pub struct Subcommand {
    /// Its parent subcommand, if any.
    pub under: Option<&'static str>,
    /// Its name, arguments and help.
    pub command: fn() -> clap::Command,
    /// Carries it out.
    pub run: fn(&ArgMatches) -> Result<()>,
}

/// A wrong use of a subcommand, which ends the program like clap's own errors.
#[must_use]
pub fn wrong_usage(subcommand: clap::Command, problem: &str) -> clap::Error {
    let name = format!("crossover {}", subcommand.get_name());
    subcommand.bin_name(name).error(Wrong::ValueValidation, problem)
}

/// The error of a command for another kind of study: "only … scenarios have …; this one is a … scenario".
#[must_use]
pub fn other_kind(what: &str, kind: Kind) -> String {
    format!("{what}; this one is {}", called(kind))
}

/// Name of a scenario of this kind in a message: "a placement scenario".
#[must_use]
pub fn called(kind: Kind) -> String {
    let key = kind.key();
    let article = if key.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {key} scenario")
}

/// Writes a result to standard output.
///
/// # Errors
/// Standard output cannot be written, unless its reader has closed it.
#[expect(clippy::disallowed_methods, reason = "one of the places that write a `Printable`")]
pub fn print(text: impl Into<Printable>) -> Result<()> {
    let text: Printable = text.into();
    let mut output = io::stdout().lock();
    match output.write_all(text.as_str().as_bytes()).and_then(|()| output.flush()) {
        // The reader has closed the pipe, e.g. `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write the result to standard output"),
    }
}

/// Rejects an output that is also an input, which would be lost.
///
/// # Errors
/// The output is one of the inputs.
pub fn keep_apart(out: &Path, inputs: &[&Path]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same = |input: &&&Path| out == **input || real(out).is_some_and(|out| Some(out) == real(input));
    match inputs.iter().find(is_same) {
        Some(_) => {
            bail!("{}: not written: it is also an input of this command; choose another output file", out.display())
        }
        None => Ok(()),
    }
}

/// Writes a message to standard error, without its middle if it is very long; ignored if that is closed.
#[expect(clippy::disallowed_methods, reason = "one of the places that write a `Printable`")]
pub fn message(text: impl Into<Printable>) {
    let text: Printable = text.into();
    _ = writeln!(io::stderr(), "crossover: {}", text.message());
}

/// Writes what clap says: help and version to standard output, wrong usage to standard error; ignored if that is closed.
#[expect(clippy::disallowed_methods, reason = "one of the places that write a `Printable`")]
pub fn usage(said: &clap::Error) {
    if said.use_stderr() {
        // It may quote names of a file, such as those of operators that an override can name.
        _ = write!(io::stderr(), "{}", Printable::from(said.render().to_string()));
    } else {
        _ = said.print();
    }
}
