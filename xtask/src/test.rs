//! `cargo xtask test`: every test of the workspace, then the real window and the Python module.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use crossover_needs::on_build_server;

use crate::environment::TestEnvironment;
use crate::package::PythonEnvironment;
use crate::packages::{self, Purpose};
use crate::process::{cargo, run as run_command, succeeds};
use crate::report::{Outcome, Report};
use crate::tests_run::{Count, NotRun, cargo_test};
use crate::{package, smoke};

/// All that has tests. Examples and benchmarks have none and are not linked: `cargo xtask ci` compiles them. Doctests are refused
/// by `tidy`.
const TESTS: [&str; 3] = ["--workspace", "--tests", "--no-fail-fast"];

/// Runs all tests in an environment of their own, with software rendering. Without a renderer, tests that need one say
/// that they did not run; all others run.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let missing = packages::bring();
    let environment = TestEnvironment::new()?;
    // Mostly waits for the package index, so it is done by the time that the tests are built.
    thread::scope(|scope| {
        let python = scope.spawn(|| PythonEnvironment::make(root));
        let mut report = Report::new(root);
        let are_built = run_tests(root, &environment, &mut report);
        report.set_not_run(NotRun::read(&environment.tests_not_run())?);

        report.check("real window", || {
            if !are_built {
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

        report.check("Python module", || {
            let python = python.join().unwrap_or_else(|_| Err(anyhow!("making an environment for Python panicked")));
            if are_built {
                package::check_python(root, python, &environment)
            } else {
                Outcome::CouldNotRun("the build failed".into())
            }
        });
        Ok(report)
    })
}

/// Builds and runs the tests; whether they were built.
fn run_tests(root: &Path, environment: &TestEnvironment, report: &mut Report) -> bool {
    let mut are_built = false;
    report.tests("tests", || {
        let has_nextest = succeeds(&mut cargo(root, ["nextest", "--version"]));
        let runner: &[&str] = if has_nextest { &["nextest", "run"] } else { &["test"] };
        let mut command = cargo(root, runner.iter().copied().chain(TESTS));
        if has_nextest {
            command.args(["--test-threads", &test_threads().to_string()]);
        }
        if on_build_server() {
            command.arg("--locked");
        }
        let command = environment.apply(&mut command);
        let (result, count) = if has_nextest { nextest_run(command, root) } else { cargo_test(command) };
        are_built = count != Count::default();
        (result.map(|()| format!("{} tests", count.passed)).into(), count)
    });
    are_built
}

/// One more than processors: tests of Slurm and of other processes wait for most of their time.
fn test_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get) + 1
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
        .with_context(|| format!("cannot read {}", report.display()))
        .and_then(|text| Count::of_junit(&text));
    match (result, count) {
        (Ok(()), Err(error)) => (Err(error), Count::default()),
        (result, count) => (result, count.unwrap_or_default()),
    }
}
