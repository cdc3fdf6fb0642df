//! Cargo commands that are programs of their own.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run as run_command, succeeds};
use crate::report::Outcome;

/// A cargo command that a minimal Rust lacks, and the command line that installs it.
pub(crate) struct Subcommand {
    name: &'static str,
    install: &'static str,
}

pub(crate) const FMT: Subcommand = Subcommand { name: "fmt", install: "rustup component add rustfmt" };
pub(crate) const CLIPPY: Subcommand = Subcommand { name: "clippy", install: "rustup component add clippy" };
pub(crate) const DENY: Subcommand = Subcommand { name: "deny", install: "cargo install --locked cargo-deny" };

impl Subcommand {
    /// Runs it with these arguments, after installing it where it is missing.
    pub(crate) fn run(&self, root: &Path, arguments: &[&str]) -> Outcome {
        let present = || succeeds(&mut cargo(root, [self.name, "--version"]));
        if !present() {
            let mut words = self.install.split_whitespace();
            // An attempt: whether it worked shows in the line after it.
            let _ = words.next().map(|program| run_command(Command::new(program).args(words)));
            if !present() {
                return Outcome::CouldNotRun(format!("run `{}`", self.install));
            }
        }
        done(run_command(cargo(root, [self.name]).args(arguments)))
    }
}

/// The outcome of a command.
pub(crate) fn done(result: Result<()>) -> Outcome {
    result.map(|()| String::new()).into()
}
