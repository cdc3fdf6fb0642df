//! Steps of a run: how each ended and what it took, as a table for people and as lines of a file that several runs add to.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};

use crate::tests_run::Count;
use crate::usage::Usage;

/// How one step ended.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// It ran and holds; the text says what was seen.
    Passed(String),
    /// It ran and does not hold.
    Failed(String),
    /// It did not run, so nothing is known; the text says what is missing.
    CouldNotRun(String),
}

impl From<Result<String>> for Outcome {
    fn from(result: Result<String>) -> Self {
        match result {
            Ok(seen) => Self::Passed(seen),
            Err(error) => Self::Failed(format!("{error:#}")),
        }
    }
}

impl Outcome {
    /// How it ended in a word or three, and the first line of what there is to say.
    fn parts(&self) -> (&'static str, &str) {
        let (word, detail) = match self {
            Self::Passed(seen) => ("passed", seen),
            Self::Failed(reason) => ("FAILED", reason),
            Self::CouldNotRun(reason) => ("could not run", reason),
        };
        (word, detail.lines().next().unwrap_or_default())
    }
}

/// One step.
#[derive(Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    /// How many tests ran, if it is one that runs tests.
    pub(crate) count: Option<Count>,
    pub(crate) usage: Usage,
}

/// Stands for what was not measured, and for what has no tests.
const NONE: &str = "–";

impl Step {
    /// A line of the file: name, outcome, passed and failed tests, wall and CPU seconds, memory and disk in MB, detail.
    pub(crate) fn to_line(&self) -> String {
        let (word, detail) = self.outcome.parts();
        let (passed, failed) = match self.count {
            Some(count) => (count.passed.to_string(), count.failed.to_string()),
            None => (NONE.to_owned(), NONE.to_owned()),
        };
        let Usage { wall_seconds, cpu_seconds, memory_mb, disk_mb } = self.usage;
        let wall = format!("{wall_seconds:.1}");
        let [cpu, memory, disk] = [(cpu_seconds, 1), (memory_mb, 0), (disk_mb, 0)].map(figure);
        let detail = detail.replace('\t', " ");
        let fields: [&str; 9] = [&self.name, word, &passed, &failed, &wall, &cpu, &memory, &disk, &detail];
        fields.join("\t")
    }

    /// Reads what [`Self::to_line`] writes.
    pub(crate) fn of_line(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, word, passed, failed, wall, cpu, memory, disk, detail] = fields[..] else {
            bail!("a step has 9 fields with tabs between them, not {}: “{line}”", fields.len());
        };
        let number = |text: &str| -> Result<Option<f64>> {
            let read = |text: &str| text.parse::<f64>().with_context(|| format!("“{text}” is no number: “{line}”"));
            (text != NONE).then(|| read(text)).transpose()
        };
        let tests =
            |text: &str| text.parse::<usize>().with_context(|| format!("“{text}” is no number of tests: “{line}”"));
        Ok(Self {
            name: name.into(),
            outcome: match word {
                "passed" => Outcome::Passed(detail.into()),
                "FAILED" => Outcome::Failed(detail.into()),
                "could not run" => Outcome::CouldNotRun(detail.into()),
                _ => bail!("“{word}” is no outcome of a step: “{line}”"),
            },
            count: if passed == NONE { None } else { Some(Count { passed: tests(passed)?, failed: tests(failed)? }) },
            usage: Usage {
                wall_seconds: number(wall)?.with_context(|| format!("a step has wall seconds: “{line}”"))?,
                cpu_seconds: number(cpu)?,
                memory_mb: number(memory)?,
                disk_mb: number(disk)?,
            },
        })
    }
}

/// A figure with so many digits behind the point.
fn figure((value, digits): (Option<f64>, usize)) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| format!("{value:.digits$}"))
}

/// The table of all steps.
pub(crate) fn table(steps: &[Step]) -> String {
    let width = steps.iter().map(|step| step.name.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    let mut add = |[step, wall, cpu, memory, disk, result]: [&str; 6]| {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{step:<width$} {wall:>8} {cpu:>8} {memory:>10} {disk:>8}  {result}");
    };
    add(["step", "wall s", "CPU s", "memory MB", "disk MB", "result"]);
    for Step { name, outcome, usage, .. } in steps {
        let (word, detail) = outcome.parts();
        let result = if detail.is_empty() { word.to_owned() } else { format!("{word}: {detail}") };
        let wall = format!("{:.1}", usage.wall_seconds);
        let [cpu, memory, disk] = [(usage.cpu_seconds, 1), (usage.memory_mb, 0), (usage.disk_mb, 0)].map(figure);
        add([name, &wall, &cpu, &memory, &disk, &result]);
    }
    text + "memory: peak of the machine, above the start of the step; disk: size of target and the build folder after it\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> [Step; 3] {
        let usage =
            Usage { wall_seconds: 412.3, cpu_seconds: Some(790.1), memory_mb: Some(3120.0), disk_mb: Some(9120.0) };
        let step = |name: &str, outcome, count, usage| Step { name: name.into(), outcome, count, usage };
        [
            step("dependencies, downloaded", Outcome::Passed(String::new()), Some(Count::default()), Usage::default()),
            step("tests", Outcome::Failed("3 of 1412 fail".into()), Some(Count { passed: 1409, failed: 3 }), usage),
            step("real window", Outcome::CouldNotRun("needs Xvfb".into()), None, Usage::default()),
        ]
    }

    #[test]
    fn steps_are_read_as_they_were_written() {
        for step in steps() {
            assert_eq!(Step::of_line(&step.to_line()).unwrap(), step);
        }
        assert_eq!(steps()[1].to_line(), "tests\tFAILED\t1409\t3\t412.3\t790.1\t3120\t9120\t3 of 1412 fail");
        let several = Outcome::Failed("status 1\tof 2\nand more".into());
        let line = Step { name: "lints".into(), outcome: several, count: None, usage: Usage::default() }.to_line();
        assert_eq!(line, "lints\tFAILED\t–\t–\t0.0\t–\t–\t–\tstatus 1 of 2");
    }

    #[test]
    fn a_line_that_is_no_step_is_refused() {
        for (line, expected) in [
            ("tests", "a step has 9 fields with tabs between them, not 1: “tests”"),
            ("a\tgood\t0\t0\t1\t1\t1\t1\t", "“good” is no outcome of a step"),
            ("a\tpassed\t0\t0\tone\t1\t1\t1\t", "“one” is no number"),
            ("a\tpassed\t0\t0\t–\t1\t1\t1\t", "a step has wall seconds"),
            ("a\tpassed\t-1\t0\t1\t1\t1\t1\t", "“-1” is no number of tests"),
        ] {
            let error = Step::of_line(line).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_step() {
        let expected = "\
step                       wall s    CPU s  memory MB  disk MB  result
dependencies, downloaded      0.0        –          –        –  passed
tests                       412.3    790.1       3120     9120  FAILED: 3 of 1412 fail
real window                   0.0        –          –        –  could not run: needs Xvfb
memory: peak of the machine, above the start of the step; disk: size of target and the build folder after it
";
        assert_eq!(table(&steps()), expected);
    }
}
