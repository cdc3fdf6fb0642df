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

pub(crate) use progress::told_while;
pub(crate) use source::Source;

/// A subcommand about one kind of study.
pub(crate) struct Subcommand {
    /// The subcommand below which it stands, if it is not one of its own.
    pub(crate) under: Option<&'static str>,
    /// What it is called, takes and says about itself.
    pub(crate) command: fn() -> clap::Command,
    /// Carries it out.
    pub(crate) run: fn(&ArgMatches) -> Result<()>,
}

/// A wrong use of a subcommand, which ends the program as clap's own findings do.
pub(crate) fn wrong_usage(subcommand: clap::Command, problem: &str) -> clap::Error {
    let name = format!("crossover {}", subcommand.get_name());
    subcommand.bin_name(name).error(Wrong::ValueValidation, problem)
}

/// What a command says that is for another kind of study: "only … scenarios have …; this one is a … scenario".
pub(crate) fn other_kind(what: &str, kind: Kind) -> String {
    format!("{what}; this one is {}", called(kind))
}

/// What a message calls a scenario of this kind: "a placement scenario".
pub(crate) fn called(kind: Kind) -> String {
    let key = kind.key();
    let article = if key.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {key} scenario")
}

/// Writes a result to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        // The reader has seen enough, e.g. `head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("the result cannot be written to standard output"),
    }
}

/// Refuses an output that is also an input: what was read would be lost.
pub(crate) fn keep_apart(out: &Path, inputs: &[&Path]) -> Result<()> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let is_same = |input: &&&Path| out == **input || real(out).is_some_and(|out| Some(out) == real(input));
    match inputs.iter().find(is_same) {
        Some(_) => bail!("{}: not written: it is read by the same command, and would be lost", out.display()),
        None => Ok(()),
    }
}

/// Writes a message to standard error; if that is closed, nobody wants it.
pub(crate) fn message(text: &str) {
    _ = writeln!(io::stderr(), "crossover: {}", visible(text));
}
