//! `cargo xtask ci`: everything a change must satisfy besides its tests.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run as run_command, succeeds};
use crate::report::{Outcome, Report};
use crate::{fuzz, licences, tidy};

/// Runs every check, also after one has failed.
pub(crate) fn run(root: &Path) -> Report {
    let mut report = Report::default();
    report.check("formatting", || with_component(root, "fmt", "rustfmt", &["fmt", "--all", "--check"]));
    report.check("lints", || {
        let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        with_component(root, "clippy", "clippy", &arguments)
    });
    fuzz::check(root, &mut report);
    report.check("documentation", || {
        let mut command = cargo(root, ["doc", "--workspace", "--no-deps"]);
        done(run_command(command.env("RUSTDOCFLAGS", "-Dwarnings")))
    });
    if succeeds(&mut cargo(root, ["deny", "--version"])) {
        report.check("licences", || {
            let arguments = ["deny", "--offline", "check", "licenses", "bans", "sources"];
            done(run_command(&mut cargo(root, arguments)))
        });
    } else {
        report.check("licences", || licences::check_licences(root).into());
        report.check("single versions", || licences::check_versions(root).into());
    }
    report.check("tidy", || tidy::check(root).into());
    report
}

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

fn done(result: Result<()>) -> Outcome {
    result.map(|()| String::new()).into()
}
