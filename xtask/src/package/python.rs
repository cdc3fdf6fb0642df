//! The wheel as a user has it: installed in an environment of its own, where the tests of the Python module run, one of them in a
//! Jupyter kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

use super::wheel::{self, Parts};
use crate::environment::TestEnvironment;
use crate::packages::install;
use crate::process::{run, succeeds};
use crate::report::Outcome;

/// Python, as its installation names it.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// What an environment is made with: a Python that the module supports, and pip. Debian has both in packages of their own.
const PROBE: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))";

/// The Debian package that has what [`PROBE`] looks for.
const DEBIAN_PACKAGE: &str = "python3-venv";

/// What the tests need beside the wheel.
const REQUIREMENTS: &str = "tests/requirements.txt";

/// A wheel with a program that lies somewhere, in a folder that is removed with the first value.
pub(super) fn wheel_with(root: &Path, program: &Path) -> Result<(TempDir, PathBuf)> {
    let folder = TempDir::with_prefix("crossover-wheel-")?;
    let content = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let target = super::host(root)?;
    // What is installed once, on this machine, need not be small.
    let parts = Parts { program: &content, target: &target, licences: wheel::licences(root)?, compression: 1 };
    let path = wheel::write(root, &parts, folder.path())?;
    Ok((folder, path))
}

/// Tests a wheel, and checks the sources of the module, if there is a Python for it.
pub(super) fn check(python: Result<PythonEnvironment>, wheel: &Path, environment: &TestEnvironment) -> Outcome {
    match python {
        Ok(python) => python.check(wheel, environment).into(),
        Err(error) => Outcome::CouldNotRun(format!("{error:#}")),
    }
}

/// A Python with packages of its own, which are removed with this value.
pub(crate) struct PythonEnvironment {
    folder: TempDir,
    /// The folder with the module, its tests and the settings of the tools.
    sources: PathBuf,
}

impl PythonEnvironment {
    /// One with what the tests need, from the package index.
    pub(crate) fn make(root: &Path) -> Result<Self> {
        let has_python = || succeeds(Command::new(PYTHON).args(["-c", PROBE]));
        if !has_python() {
            install(&[DEBIAN_PACKAGE])?;
            ensure!(has_python(), "needs Python 3.10 or newer with ensurepip and venv");
        }
        let made = Self { folder: TempDir::with_prefix("crossover-python-")?, sources: root.join("python") };
        run(Command::new(PYTHON).args(["-m", "venv"]).arg(made.folder.path()))?;
        let requirements = made.sources.join(REQUIREMENTS);
        run(made.pip().args(["--only-binary", ":all:", "--requirement"]).arg(requirements))
            .context("what the tests of the module need cannot be installed")?;
        Ok(made)
    }

    /// A Python program of this environment, in the folder of the module.
    fn python(&self, module: &str) -> Command {
        let folder = self.folder.path().join(if cfg!(windows) { "Scripts" } else { "bin" });
        let mut command = Command::new(folder.join("python"));
        // Without files beside the sources.
        command.current_dir(&self.sources).env("PYTHONDONTWRITEBYTECODE", "1").args(["-m", module]);
        command
    }

    fn pip(&self) -> Command {
        let mut command = self.python("pip");
        // What runs once is not compiled for later.
        command.args(["install", "--quiet", "--disable-pip-version-check", "--no-compile"]);
        command
    }

    fn check(&self, wheel: &Path, environment: &TestEnvironment) -> Result<String> {
        // Only what lies in the file: no index, and no package that it would need.
        run(self.pip().args(["--no-index", "--no-deps"]).arg(wheel))?;
        run(self.python("ruff").args(["check", "--no-cache", "."]))?;
        run(self.python("ruff").args(["format", "--check", "--no-cache", "."]))?;
        run(self.python("mypy").arg("--cache-dir").arg(self.folder.path().join("mypy")))?;

        let report = self.folder.path().join("tests.xml");
        // From another folder, because the module lies in its own, and the one of the wheel is to be tested.
        let mut tests = self.python("pytest");
        tests.current_dir(self.folder.path()).arg(&self.sources).arg("--junit-xml").arg(&report);
        run(environment.apply(&mut tests))?;
        let report = fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
        Ok(format!("{} tests of {}", count(&report)?, super::file_name(wheel)?))
    }
}

/// The number of tests in a report of pytest in the form of `JUnit`.
fn count(report: &str) -> Result<usize> {
    let (_, rest) = report.split_once(" tests=\"").context("the report of pytest has no number of tests")?;
    let (number, _) = rest.split_once('"').context("the report of pytest ends early")?;
    number.parse().with_context(|| format!("“{number}” is no number of tests"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_from_the_report_of_pytest() {
        // Written by pytest 9.2.
        let report = "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites name=\"pytest tests\"><testsuite name=\"pytest\" \
                      errors=\"0\" failures=\"0\" skipped=\"0\" tests=\"27\" time=\"7.6\">";
        assert_eq!(count(report).unwrap(), 27);
        assert!(count("<testsuites name=\"pytest tests\"></testsuites>").is_err());
    }
}
