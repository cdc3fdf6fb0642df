//! `cargo xtask ci`: everything a change must satisfy besides its tests.

use std::path::Path;

use crate::component::{done, with_component};
use crate::process::{cargo, run as run_command, succeeds};
use crate::report::Report;
use crate::workflows::Understands;
use crate::{boundaries, circles, features, fuzz, licences, tidy, workflows};

/// Runs every check, also after one has failed.
pub(crate) fn run(root: &Path, understands: Understands) -> Report {
    let mut report = Report::new(root);
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
    workflows::check(root, &mut report, understands);
    report.check("boundaries of crates", || boundaries::check(root).into());
    report.check("one set of features", || features::check(root).into());
    report.check("no circles", || circles::check(root).into());
    report.check("tidy", || tidy::check(root).into());
    report
}
