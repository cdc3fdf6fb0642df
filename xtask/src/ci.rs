//! `cargo xtask ci`: what a change must satisfy besides its tests; with `--release`, also what a release must satisfy.

use std::path::Path;

use anyhow::Result;

use crate::package::{self, Options};
use crate::process::{cargo, run as run_command};
use crate::report::Report;
use crate::subcommand::{CLIPPY, DENY, FMT, done};
use crate::{actionlint, boundaries, circles, features, fuzz, tidy};

/// Runs every check, also after one has failed.
pub(crate) fn run(root: &Path, is_release: bool) -> Result<Report> {
    let mut report = Report::new(root);
    report.check("formatting", || FMT.run(root, &["--all", "--check"]));
    report.check("lints", || CLIPPY.run(root, &["--workspace", "--all-targets", "--", "-D", "warnings"]));
    report.check("documentation", || {
        let mut command = cargo(root, ["doc", "--workspace", "--no-deps"]);
        done(run_command(command.env("RUSTDOCFLAGS", "-Dwarnings")))
    });
    report.check("boundaries of crates", || boundaries::check(root).into());
    report.check("one set of features", || features::check(root).into());
    report.check("no circles", || circles::check(root).into());
    report.check("tidy", || tidy::check(root).into());
    if is_release {
        fuzz::check(root, &mut report);
        report.check("licences", || DENY.run(root, &["check", "licenses", "bans", "sources"]));
        report.check("workflows", || actionlint::run(root));
        package::add(root, &Options { install: true }, &mut report)?;
    }
    Ok(report)
}
