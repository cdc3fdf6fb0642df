//! `cargo xtask test`: every test of the workspace, then the real window.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::environment::TestEnvironment;
use crate::packages::{self, Purpose};
use crate::process::{cargo, run as run_command, succeeds};
use crate::report::{Outcome, Report, on_build_server};
use crate::{build, smoke};

/// Runs all tests in an environment of their own, with software rendering.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let missing = packages::bring();
    let environment = TestEnvironment::new()?;
    let mut report = Report::default();

    let mut built = false;
    report.check("build", || {
        let outcome = build::everything(root);
        built = outcome.is_ok();
        outcome.map(|()| String::new()).into()
    });

    let unrenderable = missing.reason_for(&[Purpose::Rendering]);
    // Without a renderer the mathematics can still be tested; the rest is listed as not run.
    let selection: &[&str] =
        if unrenderable.is_some() { &["--exclude", "crossover", "--exclude", "crossover-gpu-bench"] } else { &[] };
    let nextest = succeeds(&mut cargo(root, ["nextest", "--version"]));
    let steps: &[(&'static str, &[&str])] = if nextest {
        &[
            ("tests", &["nextest", "run", "--workspace", "--no-fail-fast"]),
            ("documentation examples", &["test", "--doc", "--workspace", "--no-fail-fast"]),
        ]
    } else {
        &[("tests", &["test", "--workspace", "--no-fail-fast"])]
    };
    for &(name, arguments) in steps {
        report.check(name, || {
            if !built {
                return Outcome::CouldNotRun("the build failed".into());
            }
            let arguments = arguments.iter().chain(selection).copied();
            run_tests(cargo(root, arguments), &environment).into()
        });
    }
    if let Some(reason) = unrenderable {
        report.check("tests of the application and of the kernels", || Outcome::CouldNotRun(reason));
    }

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

fn run_tests(mut command: Command, environment: &TestEnvironment) -> Result<String> {
    if on_build_server() {
        command.arg("--locked");
    }
    run_command(environment.apply(&mut command)).map(|()| String::new())
}
