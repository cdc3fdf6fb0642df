//! The list of checks a run ends with: passed, failed, or could not run and why.
#![expect(clippy::print_stdout, reason = "the list of checks is the result of this command")]

use std::fmt::Write as _;
use std::process::ExitCode;

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
    checks: Vec<(&'static str, Outcome)>,
}

impl Report {
    /// Runs one check under a heading and keeps its outcome.
    pub(crate) fn check(&mut self, name: &'static str, run: impl FnOnce() -> Outcome) {
        eprintln!("\n== {name}");
        let outcome = run();
        if let Outcome::Failed(reason) | Outcome::CouldNotRun(reason) = &outcome {
            eprintln!("{reason}");
        }
        self.checks.push((name, outcome));
    }

    /// Prints the list and turns it into an exit code. Under `CI=true` a check that could not run
    /// counts as a failure: on a build server nobody reads the list of a green run.
    pub(crate) fn finish(self) -> ExitCode {
        let on_build_server = on_build_server();
        println!("\n{}", self.summary());
        if self.holds(on_build_server) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn holds(&self, on_build_server: bool) -> bool {
        self.checks.iter().all(|(_, outcome)| match outcome {
            Outcome::Passed(_) => true,
            Outcome::Failed(_) => false,
            Outcome::CouldNotRun(_) => !on_build_server,
        })
    }

    fn summary(&self) -> String {
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        let mut text = String::new();
        for (name, outcome) in &self.checks {
            let (word, detail) = match outcome {
                Outcome::Passed(seen) => {
                    passed += 1;
                    ("passed", seen)
                }
                Outcome::Failed(reason) => {
                    failed += 1;
                    ("FAILED", reason)
                }
                Outcome::CouldNotRun(reason) => {
                    skipped += 1;
                    ("could not run", reason)
                }
            };
            let detail = detail.lines().next().unwrap_or_default();
            let line = format!("{word:<14} {name:<26} {detail}");
            // Writing into a String cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
        }
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
        Report { checks: outcomes.into_iter().map(|outcome| ("tests", outcome)).collect() }
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
