//! `cargo xtask test`: every test of the workspace, then the real window.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, anyhow};

use crate::environment::TestEnvironment;
use crate::packages::{self, Purpose};
use crate::process::{cargo, run as run_command, succeeds};
use crate::report::{Outcome, Report, on_build_server};
use crate::tests_run::{Count, NotRun, cargo_test};
use crate::{build, smoke};

/// Runs all tests in an environment of their own, with software rendering. Without a renderer, tests that need one say
/// that they did not run; all others run.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let missing = packages::bring();
    let environment = TestEnvironment::new()?;
    let mut report = Report::new(root);

    let mut built = false;
    report.check("build", || {
        let outcome = build::everything(root);
        built = outcome.is_ok();
        outcome.map(|()| String::new()).into()
    });

    let nextest = succeeds(&mut cargo(root, ["nextest", "--version"]));
    let run_tests = |arguments: &[&str], count: fn(&mut Command, &Path) -> (Result<()>, Count)| {
        if !built {
            return (Outcome::CouldNotRun("the build failed".into()), Count::default());
        }
        let mut command = cargo(root, arguments.iter().copied());
        if on_build_server() {
            command.arg("--locked");
        }
        let (result, count) = count(environment.apply(&mut command), root);
        (result.map(|()| format!("{} tests", count.passed)).into(), count)
    };
    if nextest {
        report.tests("tests", || run_tests(&["nextest", "run", "--workspace", "--no-fail-fast"], nextest_run));
        let examples = ["test", "--doc", "--workspace", "--no-fail-fast"];
        report.tests("documentation examples", || run_tests(&examples, |command, _| cargo_test(command)));
    } else {
        report
            .tests("tests", || run_tests(&["test", "--workspace", "--no-fail-fast"], |command, _| cargo_test(command)));
    }
    report.set_not_run(NotRun::read(&environment.tests_not_run())?);

    report.check("real window", || {
        if !built {
            return Outcome::CouldNotRun("the build failed".into());
        }
        if !cfg!(target_os = "linux") {
            return Outcome::CouldNotRun("needs Xvfb, which only Linux has".into());
        }
        match missing.reason_for(&[Purpose::Rendering, Purpose::Window]) {
            Some(reason) => Outcome::CouldNotRun(reason),
            None => smoke::run(root, &environment).into(),
        }
    });
    Ok(report)
}

/// Runs nextest and counts from its report.
fn nextest_run(command: &mut Command, root: &Path) -> (Result<()>, Count) {
    let report = root.join("target/nextest/default/tests.xml");
    // One of an earlier run would be counted if this one ended before it writes its own.
    if report.exists()
        && let Err(error) = fs::remove_file(&report)
    {
        let error = anyhow!(error).context(format!("{} cannot be removed", report.display()));
        return (Err(error), Count::default());
    }
    let result = run_command(command);
    let count = fs::read_to_string(&report)
        .with_context(|| format!("{} cannot be read", report.display()))
        .and_then(|text| Count::of_junit(&text));
    match (result, count) {
        (Ok(()), Err(error)) => (Err(error), Count::default()),
        (result, count) => (result, count.unwrap_or_default()),
    }
}
