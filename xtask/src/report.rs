//! The list of checks a run ends with: passed, failed, or could not run and why.
#![expect(clippy::print_stdout, reason = "the list of checks is the result of this command")]

use std::fmt::Write as _;
use std::process::ExitCode;

use crate::tests_run::{Count, NotRun};

/// How one check ended.
pub(crate) enum Outcome {
    /// It ran and holds; the text says what was seen.
    Passed(String),
    /// It ran and does not hold.
    Failed(String),
    /// It did not run, so nothing is known; the text says what is missing.
    CouldNotRun(String),
}

impl From<anyhow::Result<String>> for Outcome {
    fn from(result: anyhow::Result<String>) -> Self {
        match result {
            Ok(seen) => Self::Passed(seen),
            Err(error) => Self::Failed(format!("{error:#}")),
        }
    }
}

/// Every check of a run, in the order it ran.
#[derive(Default)]
pub(crate) struct Report {
    checks: Vec<(&'static str, Outcome, Option<Count>)>,
    not_run: NotRun,
}

impl Report {
    /// Runs one check under a heading and keeps its outcome.
    pub(crate) fn check(&mut self, name: &'static str, run: impl FnOnce() -> Outcome) {
        self.keep(name, || (run(), None));
    }

    /// Runs tests under a heading: each of them counts as a check.
    pub(crate) fn tests(&mut self, name: &'static str, run: impl FnOnce() -> (Outcome, Count)) {
        self.keep(name, || {
            let (outcome, count) = run();
            (outcome, Some(count))
        });
    }

    fn keep(&mut self, name: &'static str, run: impl FnOnce() -> (Outcome, Option<Count>)) {
        eprintln!("\n== {name}");
        let (outcome, count) = run();
        if let Outcome::Failed(reason) | Outcome::CouldNotRun(reason) = &outcome {
            eprintln!("{reason}");
        }
        self.checks.push((name, outcome, count));
    }

    /// Tests among those of [`Self::tests`] that ended early because something was missing. Where that is a failure, they
    /// have failed themselves.
    pub(crate) fn set_not_run(&mut self, not_run: NotRun) {
        self.not_run = not_run;
    }

    /// Prints the list and turns it into an exit code. Under `CI=true` a check that could not run
    /// counts as a failure: on a build server nobody reads the list of a green run.
    pub(crate) fn finish(self) -> ExitCode {
        let on_build_server = on_build_server();
        println!("\n{}", self.summary());
        if self.holds(on_build_server) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn holds(&self, on_build_server: bool) -> bool {
        self.checks.iter().all(|(_, outcome, _)| match outcome {
            Outcome::Passed(_) => true,
            Outcome::Failed(_) => false,
            Outcome::CouldNotRun(_) => !on_build_server,
        })
    }

    fn summary(&self) -> String {
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        let mut text = String::new();
        let mut add = |word: &str, name: &str, detail: &str| {
            let detail = detail.lines().next().unwrap_or_default();
            let line = format!("{word:<14} {name:<26} {detail}");
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
        };
        for (name, outcome, count) in &self.checks {
            match outcome {
                Outcome::Passed(seen) => {
                    passed += count.map_or(1, |count| count.passed);
                    add("passed", name, seen);
                }
                Outcome::Failed(reason) => {
                    let count = count.unwrap_or_default();
                    passed += count.passed;
                    // What failed may be the runner, before any test.
                    failed += count.failed.max(1);
                    add("FAILED", name, reason);
                }
                Outcome::CouldNotRun(reason) => {
                    skipped += 1;
                    add("could not run", name, reason);
                }
            }
        }
        for (reason, tests) in self.not_run.reasons() {
            add("not run", &format!("{tests} {}", if tests == 1 { "test" } else { "tests" }), reason);
        }
        let not_run = self.not_run.tests();
        // They ended well, but have shown nothing.
        passed = passed.saturating_sub(not_run);
        skipped += not_run;
        let _ = write!(text, "xtask: {passed} passed, {failed} failed, {skipped} skipped");
        text
    }
}

/// Whether this is a build server's run: `CI=true`, as all common build servers set it.
pub(crate) fn on_build_server() -> bool {
    std::env::var_os("CI").is_some_and(|value| value == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(outcomes: impl IntoIterator<Item = Outcome>) -> Report {
        Report { checks: outcomes.into_iter().map(|outcome| ("tests", outcome, None)).collect(), ..Report::default() }
    }

    #[test]
    fn last_line_counts_every_check() {
        let report = report([
            Outcome::Passed("12 tests".into()),
            Outcome::CouldNotRun("needs Xvfb".into()),
            Outcome::Failed("exit status: 1\nmore".into()),
            Outcome::Passed(String::new()),
        ]);
        let summary = report.summary();
        let lines: Vec<_> = summary.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[1].starts_with("could not run") && lines[1].ends_with("needs Xvfb"));
        assert_eq!(lines[4], "xtask: 2 passed, 1 failed, 1 skipped");
    }

    #[test]
    fn last_line_counts_tests_and_those_that_did_not_run_as_skipped() {
        let summary = |outcome, count| {
            let mut report = report([Outcome::Passed(String::new())]);
            report.tests("tests", || (outcome, count));
            report.set_not_run(NotRun::of("no data\tplan a\nno data\tplan b\nno GPU\tkernels c\n"));
            report.summary()
        };
        let green = summary(Outcome::Passed("1400 tests".into()), Count { passed: 1400, failed: 0 });
        let lines: Vec<_> = green.lines().collect();
        assert_eq!(
            lines[2..],
            [
                "not run        1 test                     no GPU",
                "not run        2 tests                    no data",
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
            let report = report([Outcome::Passed(String::new()), outcome]);
            assert_eq!(report.holds(false), at_home);
            assert_eq!(report.holds(true), on_server);
        };
        check(Outcome::Passed(String::new()), true, true);
        check(Outcome::CouldNotRun(String::new()), true, false);
        check(Outcome::Failed(String::new()), false, false);
    }
}
