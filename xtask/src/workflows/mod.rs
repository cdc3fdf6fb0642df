//! Workflows of build servers, looked at before they run anywhere: whether they are ones, and what actionlint finds.

mod actionlint;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use github_actions_models::common::Uses;
use github_actions_models::common::expr::LoE;
use github_actions_models::workflow::job::{Matrix, NormalJob, RunsOn, Step, Strategy};
use github_actions_models::workflow::{Job, Workflow};

use crate::report::Report;

/// Where workflows are.
const FOLDER: &str = ".github/workflows";

/// The workflow that builds releases, and how the names of the machines begin that it is for.
const RELEASE: &str = "release.yml";
const RELEASED_FOR: [&str; 3] = ["ubuntu-", "windows-", "macos-"];

/// Whether the words behind `cargo xtask` are understood, or why not.
pub(crate) type Understands = fn(&[&str]) -> Result<()>;

/// Both checks; the first needs nothing but the files.
pub(crate) fn check(root: &Path, report: &mut Report, understands: Understands) {
    report.check("workflows", || check_structure(root, understands).into());
    report.check("actionlint", || match paths(root) {
        Ok(paths) => actionlint::run(root, &paths),
        Err(error) => Err(error).into(),
    });
}

fn paths(root: &Path) -> Result<Vec<PathBuf>> {
    let folder = root.join(FOLDER);
    let entries = fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn check_structure(root: &Path, understands: Understands) -> Result<String> {
    let paths = paths(root)?;
    let mut complaints = Vec::new();
    for path in &paths {
        let name = path.file_name().and_then(|name| name.to_str()).context("a name")?;
        let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        complaints.extend(complaints_about(name, &text, understands).into_iter().map(|line| format!("{name}: {line}")));
    }
    ensure!(paths.iter().any(|path| path.ends_with(RELEASE)), "{FOLDER}/{RELEASE} is not there");
    ensure!(complaints.is_empty(), "{} faults\n{}", complaints.len(), complaints.join("\n"));
    Ok(format!("{} files", paths.len()))
}

fn complaints_about(name: &str, text: &str, understands: Understands) -> Vec<String> {
    let workflow: Workflow = match serde_saphyr::from_str(text) {
        Ok(workflow) => workflow,
        Err(error) => return vec![format!("is no workflow: {error}")],
    };
    let mut complaints = Vec::new();
    for (id, job) in &workflow.jobs {
        let mut complain = |what: String| complaints.push(format!("job {id}: {what}"));
        let needs = match job {
            Job::NormalJob(job) => {
                check_job(job, understands, &mut complain);
                &job.needs
            }
            Job::ReusableWorkflowCallJob(job) => &job.needs,
        };
        for needed in needs.iter().filter(|needed| !workflow.jobs.contains_key(*needed)) {
            complain(format!("needs {needed}, which is no job"));
        }
    }
    if name == RELEASE {
        let machines: Vec<_> = workflow.jobs.values().flat_map(machines).collect();
        for beginning in RELEASED_FOR {
            if !machines.iter().any(|machine| machine.starts_with(beginning)) {
                complaints.push(format!("no job runs on {beginning}*"));
            }
        }
    }
    complaints
}

fn check_job(job: &NormalJob, understands: Understands, complain: &mut impl FnMut(String)) {
    if job.timeout_minutes.is_none() {
        complain("has no timeout-minutes: what hangs runs for hours".into());
    }
    for step in &job.steps {
        match step {
            Step::Run(step) => {
                for arguments in xtask_calls(&step.run) {
                    if let Err(error) = understands(&arguments) {
                        complain(format!("`cargo xtask {}`: {error:#}", arguments.join(" ")));
                    }
                }
            }
            // A branch is another program tomorrow.
            Step::Uses(step) => {
                if let Uses::Repository(action) = &step.uses
                    && !action.git_ref().trim_start_matches('v').starts_with(|first: char| first.is_ascii_hexdigit())
                {
                    complain(format!("{} is of no version", action.raw()));
                }
            }
            Step::Wait { .. } | Step::WaitAll { .. } | Step::Cancel { .. } | Step::Parallel { .. } => {
                complain("has steps beside each other, which nothing here looks into".into());
            }
        }
    }
}

/// The words behind each `cargo xtask` of a script.
fn xtask_calls(script: &str) -> impl Iterator<Item = Vec<&str>> {
    script.lines().filter_map(|line| {
        let (_, rest) = line.split_once("cargo xtask")?;
        Some(rest.split_whitespace().take_while(|word| !["&&", "||", "|", ";", ">", "#"].contains(word)).collect())
    })
}

/// The machines that a job runs on, its matrix told apart.
fn machines(job: &Job) -> Vec<String> {
    let Job::NormalJob(job) = job else { return Vec::new() };
    let axis = match &job.runs_on {
        LoE::Literal(RunsOn::Target(labels) | RunsOn::Group { labels, .. }) => return labels.clone(),
        LoE::Expr(expression) => expression.as_bare().trim().strip_prefix("matrix.").map(str::to_owned),
    };
    let Some(Strategy { matrix: Some(LoE::Literal(Matrix { dimensions: LoE::Literal(axes), .. })), .. }) =
        &job.strategy
    else {
        return Vec::new();
    };
    match axis.and_then(|axis| axes.get(&axis)) {
        Some(LoE::Literal(values)) => values.iter().filter_map(|value| Some(value.as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn understands(arguments: &[&str]) -> Result<()> {
        ensure!(arguments == ["package", "--debug"], "unknown");
        Ok(())
    }

    fn complaints(name: &str, text: &str) -> String {
        complaints_about(name, text, understands).join("\n")
    }

    const SOUND: &str = "\
on: push
jobs:
  build:
    strategy:
      matrix:
        os: [ubuntu-22.04, windows-latest, macos-latest]
    runs-on: ${{ matrix.os }}
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@v4
      - run: |
          echo first
          cargo xtask package --debug && echo done
  publish:
    needs: build
    runs-on: ubuntu-22.04
    timeout-minutes: 5
    steps:
      - run: echo done
";

    #[test]
    fn a_sound_workflow_has_no_faults() {
        assert_eq!(complaints(RELEASE, SOUND), "");
    }

    #[test]
    fn every_fault_is_named() {
        for (sound, faulty, expected) in [
            ("package --debug", "pakage", "job build: `cargo xtask pakage`: unknown"),
            ("needs: build", "needs: built", "job publish: needs built, which is no job"),
            ("checkout@v4", "checkout@main", "job build: actions/checkout@main is of no version"),
            ("checkout@v4", "checkout", "is no workflow"),
            (", macos-latest", "", "no job runs on macos-*"),
            ("    steps:\n      - run: echo done\n", "", "is no workflow"),
            (
                "    timeout-minutes: 5\n    steps:\n      - run",
                "    steps:\n      - run",
                "job publish: has no timeout",
            ),
            ("os: [", "system: [", "no job runs on windows-*"),
        ] {
            let text = SOUND.replacen(sound, faulty, 1);
            assert_ne!(text, SOUND, "{sound}");
            let complaints = complaints(RELEASE, &text);
            assert!(complaints.contains(expected), "{expected} in {complaints}");
        }
    }
}
