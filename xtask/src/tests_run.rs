//! How many tests ran, how they ended, and which said that they did not run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::ops::AddAssign;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::process::shown;

/// How many tests ended how. A test that ends early because something is missing has passed for the test runner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub passed: usize,
    pub failed: usize,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Count {
    /// The first element of a `JUnit` report has the sums of all that follow.
    pub(crate) fn of_junit(report: &str) -> Result<Self> {
        let (_, rest) = report.split_once("<testsuites ").context("a JUnit report begins with `<testsuites`")?;
        let (element, _) = rest.split_once('>').context("its first element ends")?;
        let number = |name: &str| {
            let (_, value) = element.split_once(&format!(" {name}=\"")).with_context(|| format!("no `{name}`"))?;
            let (value, _) = value.split_once('"').context("a value ends")?;
            value.parse::<usize>().with_context(|| format!("`{name}` is “{value}”, not a number"))
        };
        let failed = number("failures")? + number("errors")?;
        let passed = number("tests")?.checked_sub(failed).context("more failures than tests")?;
        Ok(Self { passed, failed })
    }

    /// What `cargo test` says at the end of each program: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
    fn of_libtest(line: &str) -> Option<Self> {
        let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let number = |word: &str| {
            counts.split("; ").find_map(|part| part.strip_suffix(word)).and_then(|number| number.trim().parse().ok())
        };
        Some(Self { passed: number("passed")?, failed: number("failed")? })
    }
}

/// Runs `cargo test` in the foreground and counts what it says.
pub(crate) fn cargo_test(command: &mut Command) -> (Result<()>, Count) {
    let mut count = Count::default();
    let line = shown(command);
    eprintln!("$ {line}");
    let mut run = || -> Result<()> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("`{line}` cannot start"))?;
        let output = child.stdout.take().context("the output is piped")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            eprintln!("{line}");
            count += Count::of_libtest(&line).unwrap_or_default();
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`{line}` ended with {status}");
        }
        Ok(())
    };
    (run(), count)
}

/// The tests that did not run, by the reason they gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NotRun(BTreeMap<String, BTreeSet<String>>);

impl NotRun {
    /// Reads the list to which tests add; none has been made if all ran.
    pub(crate) fn read(list: &Path) -> Result<Self> {
        if !list.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        Ok(Self::of(&text))
    }

    pub(crate) fn of(text: &str) -> Self {
        let mut reasons: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in text.lines() {
            let (reason, test) = line.split_once('\t').unwrap_or((line, "a test"));
            reasons.entry(reason.to_owned()).or_default().insert(test.to_owned());
        }
        Self(reasons)
    }

    /// Each reason with each of its tests.
    pub(crate) fn tests_with_reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|(reason, tests)| tests.iter().map(move |test| (reason.as_str(), test.as_str())))
    }

    /// Each reason with its number of tests.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(reason, tests)| (reason.as_str(), tests.len()))
    }

    /// How many tests did not run. One with two reasons is one.
    pub(crate) fn tests(&self) -> usize {
        self.0.values().flatten().collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_from_what_either_runner_says() {
        let junit = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
            <testsuites name=\"nextest-run\" tests=\"7\" failures=\"2\" errors=\"1\" uuid=\"0\" time=\"0.1\">\n\
            <testsuite name=\"crossover\" tests=\"7\" failures=\"0\" errors=\"0\">\n";
        assert_eq!(Count::of_junit(junit).unwrap(), Count { passed: 4, failed: 3 });
        assert!(Count::of_junit("<testsuites name=\"none\">").is_err());
        assert!(Count::of_junit("").is_err());
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.1s";
        assert_eq!(Count::of_libtest(line), Some(Count { passed: 12, failed: 3 }));
        assert_eq!(Count::of_libtest("test model::result: 1 passed ... ok"), None);
    }

    #[test]
    fn tests_that_did_not_run_are_counted_once_for_each_reason() {
        let list =
            "no data\tplan-1 logs::a\nno data\tplan-1 logs::b\nno data\tplan-1 logs::a\nno GPU\tplan-1 logs::b\n";
        let not_run = NotRun::of(list);
        assert_eq!(not_run.reasons().collect::<Vec<_>>(), [("no GPU", 1), ("no data", 2)]);
        assert_eq!(not_run.tests(), 2);
        assert_eq!(NotRun::read(Path::new("no such list")).unwrap(), NotRun::default());
    }
}
