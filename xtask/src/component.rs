//! Cargo commands that are components of their own.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run as run_command, succeeds};
use crate::report::Outcome;

/// Runs a cargo command that is a component of its own, which a minimal Rust lacks.
pub(crate) fn with_component(root: &Path, subcommand: &str, component: &str, arguments: &[&str]) -> Outcome {
    let present = || succeeds(&mut cargo(root, [subcommand, "--version"]));
    if !present() {
        // An attempt: whether it worked shows in the line after it.
        let _ = run_command(Command::new("rustup").args(["component", "add", component]));
        if !present() {
            return Outcome::CouldNotRun(format!("run `rustup component add {component}`"));
        }
    }
    done(run_command(&mut cargo(root, arguments.iter().copied())))
}

/// The outcome of a command.
pub(crate) fn done(result: Result<()>) -> Outcome {
    result.map(|()| String::new()).into()
}
