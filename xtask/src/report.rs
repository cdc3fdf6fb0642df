//! What a run ends with: a table of its steps, tests that did not run and why, and the sums.
#![expect(clippy::print_stdout, reason = "the table and the sums are the result of this command")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use crossover_needs::on_build_server;

use crate::process::target_folder;
pub(crate) use crate::steps::Outcome;
use crate::steps::{Step, table};
use crate::tests_run::{Count, NotRun};
use crate::usage::{Meter, Usage};

/// Environment variable: the file to which a run adds its steps instead of showing them, so that `cargo xtask steps` shows
/// those of several runs in one table.
const STEPS: &str = "CROSSOVER_STEPS";

/// How a line of that file begins which names a test that did not run.
const NOT_RUN: &str = "not run\t";

/// A check that ran beside others. What it takes of the processors counts for those.
pub(crate) struct Beside {
    name: &'static str,
    outcome: Outcome,
    wall_seconds: f64,
}

impl Beside {
    /// Runs it.
    pub(crate) fn of(name: &'static str, run: impl FnOnce() -> Outcome) -> Self {
        let started = Instant::now();
        Self { name, outcome: run(), wall_seconds: started.elapsed().as_secs_f64() }
    }
}

/// Every step of a run, in the order they ran.
pub(crate) struct Report {
    /// The folders that cargo builds in: of final artefacts, and of everything else where that is another one.
    built: Vec<PathBuf>,
    steps: Vec<Step>,
    not_run: NotRun,
}

impl Report {
    /// One without any step, of the workspace in this folder.
    pub(crate) fn new(root: &Path) -> Self {
        let apart = std::env::var_os("CARGO_BUILD_BUILD_DIR").map(|folder| root.join(folder));
        let built = std::iter::once(target_folder(root)).chain(apart).collect();
        Self { built, steps: Vec::new(), not_run: NotRun::default() }
    }

    /// Runs one check under a heading and keeps its outcome.
    pub(crate) fn check(&mut self, name: &str, run: impl FnOnce() -> Outcome) {
        self.keep(name, || (run(), None));
    }

    /// Runs tests under a heading: each of them counts as a check.
    pub(crate) fn tests(&mut self, name: &str, run: impl FnOnce() -> (Outcome, Count)) {
        self.keep(name, || {
            let (outcome, count) = run();
            (outcome, Some(count))
        });
    }

    /// Keeps the outcome of a check that ran beside others.
    pub(crate) fn add(&mut self, Beside { name, outcome, wall_seconds }: Beside) {
        eprintln!("\n== {name}");
        self.push(Step { name: name.into(), outcome, count: None, usage: Usage { wall_seconds, ..Usage::default() } });
    }

    fn keep(&mut self, name: &str, run: impl FnOnce() -> (Outcome, Option<Count>)) {
        eprintln!("\n== {name}");
        let meter = Meter::start();
        let (outcome, count) = run();
        let usage = meter.stop(&self.built);
        self.push(Step { name: name.into(), outcome, count, usage });
    }

    fn push(&mut self, step: Step) {
        if let Outcome::Failed(reason) | Outcome::CouldNotRun(reason) = &step.outcome {
            eprintln!("{reason}");
        }
        self.steps.push(step);
    }

    /// Tests among those of [`Self::tests`] that ended early because something was missing. Where that is a failure, they
    /// have failed themselves.
    pub(crate) fn set_not_run(&mut self, not_run: NotRun) {
        self.not_run = not_run;
    }

    /// Shows the table, or adds the steps to the file that [`STEPS`] names, and turns them into an exit code. Under `CI=true`
    /// a check that could not run counts as a failure: on a build server nobody reads the table of a green run.
    pub(crate) fn finish(self) -> ExitCode {
        let written = if let Some(list) = std::env::var_os(STEPS) {
            self.add_to(Path::new(&list))
        } else {
            println!("\n{}", self.summary());
            Ok(())
        };
        if let Err(error) = &written {
            eprintln!("xtask: {error:#}");
        }
        if written.is_ok() && self.holds(on_build_server()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn add_to(&self, list: &Path) -> Result<()> {
        let added = File::options().create(true).append(true).open(list);
        added
            .and_then(|mut file| file.write_all(self.lines().as_bytes()))
            .with_context(|| format!("the steps cannot be added to {}", list.display()))
    }

    fn lines(&self) -> String {
        let steps = self.steps.iter().map(|step| step.to_line() + "\n");
        let not_run = self.not_run.tests_with_reasons().map(|(reason, test)| format!("{NOT_RUN}{reason}\t{test}\n"));
        steps.chain(not_run).collect()
    }

    /// The steps that runs have added to a file.
    pub(crate) fn read(root: &Path, list: &Path) -> Result<Self> {
        let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        Self::of_lines(root, &text).with_context(|| format!("{}", list.display()))
    }

    fn of_lines(root: &Path, text: &str) -> Result<Self> {
        let mut report = Self::new(root);
        let mut not_run = String::new();
        for line in text.lines() {
            if let Some(test) = line.strip_prefix(NOT_RUN) {
                not_run += test;
                not_run += "\n";
            } else {
                report.steps.push(Step::of_line(line)?);
            }
        }
        report.set_not_run(NotRun::of(&not_run));
        Ok(report)
    }

    fn holds(&self, on_build_server: bool) -> bool {
        self.steps.iter().all(|step| match step.outcome {
            Outcome::Passed(_) => true,
            Outcome::Failed(_) => false,
            Outcome::CouldNotRun(_) => !on_build_server,
        })
    }

    fn summary(&self) -> String {
        let (mut passed, mut failed, mut skipped, mut tests) = (0, 0, 0, 0);
        for Step { outcome, count, .. } in &self.steps {
            let ran = count.unwrap_or_default();
            tests += ran.passed + ran.failed;
            match outcome {
                Outcome::Passed(_) => passed += count.map_or(1, |count| count.passed),
                // What failed may be the runner, before any test.
                Outcome::Failed(_) => (passed, failed) = (passed + ran.passed, failed + ran.failed.max(1)),
                Outcome::CouldNotRun(_) => skipped += 1,
            }
        }
        // They ended well, but have shown nothing.
        let not_run = self.not_run.tests();
        passed = passed.saturating_sub(not_run);
        skipped += not_run;

        let mut text = table(&self.steps);
        // Writing into a String cannot fail.
        if tests > 0 {
            let _ = writeln!(text, "tests: {} ran, {not_run} did not run", tests.saturating_sub(not_run));
        }
        for (reason, tests) in self.not_run.reasons() {
            let _ = writeln!(text, "  {tests} {} not run: {reason}", if tests == 1 { "test" } else { "tests" });
        }
        let _ = write!(text, "xtask: {passed} passed, {failed} failed, {skipped} skipped");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(steps: impl IntoIterator<Item = (Outcome, Option<Count>)>) -> Report {
        let step = |(outcome, count)| Step { name: "a step".into(), outcome, count, usage: Usage::default() };
        Report { steps: steps.into_iter().map(step).collect(), ..Report::new(Path::new("nowhere")) }
    }

    fn passed() -> Outcome {
        Outcome::Passed(String::new())
    }

    #[test]
    fn last_line_counts_every_check() {
        let report = report([
            (Outcome::Passed("12 files".into()), None),
            (Outcome::CouldNotRun("needs Xvfb".into()), None),
            (Outcome::Failed("exit status: 1\nmore".into()), None),
            (passed(), None),
            // What .ci/run does before is shown, but no check.
            (passed(), Some(Count::default())),
        ]);
        let summary = report.summary();
        assert_eq!(summary.lines().count(), 1 + 5 + 1 + 1, "{summary}");
        assert!(summary.ends_with("\nxtask: 2 passed, 1 failed, 1 skipped"), "{summary}");
    }

    #[test]
    fn last_line_counts_tests_and_those_that_did_not_run_as_skipped() {
        let summary = |outcome, count| {
            let mut report = report([(passed(), None), (outcome, Some(count))]);
            report.set_not_run(NotRun::of("no data\tplan a\nno data\tplan b\nno GPU\tkernels c\n"));
            report.summary()
        };
        let green = summary(Outcome::Passed("1400 tests".into()), Count { passed: 1400, failed: 0 });
        let lines: Vec<_> = green.lines().collect();
        assert_eq!(
            lines[4..],
            [
                "tests: 1397 ran, 3 did not run",
                "  1 test not run: no GPU",
                "  2 tests not run: no data",
                "xtask: 1398 passed, 0 failed, 3 skipped"
            ]
        );
        let red = summary(Outcome::Failed("exit status: 100".into()), Count { passed: 1390, failed: 10 });
        assert!(red.ends_with("\nxtask: 1388 passed, 10 failed, 3 skipped"), "{red}");
        let broken = summary(Outcome::Failed("cannot start".into()), Count::default());
        assert!(broken.ends_with("\nxtask: 0 passed, 1 failed, 3 skipped"), "{broken}");
    }

    #[test]
    fn check_that_could_not_run_fails_on_a_build_server_only() {
        let check = |outcome, at_home, on_server| {
            let report = report([(passed(), None), (outcome, None)]);
            assert_eq!(report.holds(false), at_home);
            assert_eq!(report.holds(true), on_server);
        };
        check(passed(), true, true);
        check(Outcome::CouldNotRun(String::new()), true, false);
        check(Outcome::Failed(String::new()), false, false);
    }

    #[test]
    fn a_check_that_ran_beside_others_has_its_outcome_and_its_time() {
        let mut report = report([(passed(), None)]);
        report.add(Beside { name: "tidy", outcome: Outcome::Failed("2 lines".into()), wall_seconds: 2.5 });
        let lines = report.lines();
        assert_eq!(lines.lines().nth(1), Some("tidy\tFAILED\t–\t–\t2.5\t–\t–\t–\t2 lines"), "{lines}");
        assert!(!report.holds(false));
    }

    #[test]
    fn steps_of_two_runs_are_shown_as_those_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("steps.tsv");
        let mut tests = report([(Outcome::Passed("20 tests".into()), Some(Count { passed: 20, failed: 0 }))]);
        tests.set_not_run(NotRun::of("no data\tplan a\n"));
        tests.add_to(&list).unwrap();
        report([(passed(), None), (Outcome::Failed("exit status: 1".into()), None)]).add_to(&list).unwrap();
        let both = Report::read(folder.path(), &list).unwrap();
        assert!(both.summary().ends_with("\n  1 test not run: no data\nxtask: 20 passed, 1 failed, 1 skipped"));
        assert!(!both.holds(false));
        assert!(Report::read(folder.path(), &folder.path().join("none")).is_err());
    }
}
