//! `cargo xtask ci`: what a change must satisfy besides its tests; with `--release`, also what a release must satisfy.

use std::path::Path;
use std::thread;

use anyhow::{Result, anyhow};

use crate::package::{self, Options};
use crate::process::{cargo, run as run_command};
use crate::report::{Beside, Report};
use crate::subcommand::{CLIPPY, DENY, FMT, done};
use crate::{actionlint, boundaries, circles, features, fuzz, tidy};

/// Runs every check, also after one has failed. Those that run on one core, and wait for cargo to read manifests, go on beside
/// clippy, which seldom has work for all cores: crates that need each other are checked one after the other.
pub(crate) fn run(root: &Path, is_release: bool) -> Result<Report> {
    let mut report = Report::new(root);
    report.check("formatting", || FMT.run(root, &["--all", "--check"]));
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            [
                Beside::of("boundaries of crates", || boundaries::check(root).into()),
                Beside::of("one set of features", || features::check(root).into()),
                Beside::of("no circles", || circles::check(root).into()),
                Beside::of("tidy", || tidy::check(root).into()),
            ]
        });
        report.check("lints", || CLIPPY.run(root, &["--workspace", "--all-targets", "--", "-D", "warnings"]));
        report.check("documentation", || {
            let mut command = cargo(root, ["doc", "--workspace", "--no-deps"]);
            done(run_command(command.env("RUSTDOCFLAGS", "-Dwarnings")))
        });
        let checks = beside.join().map_err(|_| anyhow!("a check beside the lints has panicked"))?;
        for check in checks {
            report.add(check);
        }
        Ok::<(), anyhow::Error>(())
    })?;
    if is_release {
        fuzz::check(root, &mut report);
        report.check("licences", || DENY.run(root, &["check", "licenses", "bans", "sources"]));
        report.check("workflows", || actionlint::run(root));
        package::add(root, &Options { install: true }, &mut report)?;
    }
    Ok(report)
}
