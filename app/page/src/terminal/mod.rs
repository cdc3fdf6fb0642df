//! What every command of the command line stands on: where a scenario comes from, where results and messages go, and
//! what a subcommand is.

mod progress;
mod source;

use std::io::{self, ErrorKind, Write as _};

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::ArgMatches;
use clap::error::ErrorKind as Wrong;
use crossover_quantity::text::visible;
use crossover_scenario::Kind;

pub use progress::told_while;
pub use source::Source;

/// A subcommand about one kind of study.
pub struct Subcommand {
    /// The subcommand below which it stands, if it is not one of its own.
    pub under: Option<&'static str>,
    /// What it is called, takes and says about itself.
    pub command: fn() -> clap::Command,
    /// Carries it out.
    pub run: fn(&ArgMatches) -> Result<()>,
}

/// A wrong use of a subcommand, which ends the program as clap's own findings do.
#[must_use]
pub fn wrong_usage(subcommand: clap::Command, problem: &str) -> clap::Error {
    let name = format!("crossover {}", subcommand.get_name());
    subcommand.bin_name(name).error(Wrong::ValueValidation, problem)
}

/// What a command says that is for another kind of study: "only … scenarios have …; this one is a … scenario".
#[must_use]
pub fn other_kind(what: &str, kind: Kind) -> String {
    format!("{what}; this one is {}", called(kind))
}

/// What a message calls a scenario of this kind: "a placement scenario".
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
pub fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // The reader has seen enough, e.g. `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the result cannot be written to standard output"),
    }
}

/// Refuses an output that is also an input: what was read would be lost.
///
/// # Errors
/// The output is one of the inputs.
pub fn keep_apart(out: &Path, inputs: &[&Path]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same = |input: &&&Path| out == **input || real(out).is_some_and(|out| Some(out) == real(input));
    match inputs.iter().find(is_same) {
        Some(_) => bail!("{}: not written: it is read by the same command, and would be lost", out.display()),
        None => Ok(()),
    }
}

/// Writes a message to standard error; if that is closed, nobody wants it.
pub fn message(text: &str) {
    _ = writeln!(io::stderr(), "crossover: {}", visible(text));
}
