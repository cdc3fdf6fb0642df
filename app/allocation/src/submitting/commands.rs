//! Commands of Slurm: started without a shell, and ended at a limit.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use crossover_files::process::{OwnedProcess, Stopped, last_line};
use crossover_files::{atomic, process_group, read};
use crossover_quantity::text::{one_line, shortened};
use crossover_traces::slurm::live::{self, LiveCluster};
use tempfile::NamedTempFile;

/// Largest answer of `sbatch` or `sinfo`.
const LARGEST_ANSWER: u64 = 16 << 20;
/// Time limit of a command of Slurm; a controller that is down lets it wait ten seconds or more.
const ANSWER: Duration = Duration::from_mins(1);
/// Longest pause before a command that failed is repeated.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Characters of an answer that are quoted.
const LONGEST_QUOTE: usize = 60;
/// Time limit of a checkpoint.
const LONGEST_CHECKPOINT: Duration = Duration::from_hours(24);

/// Runs a program that takes a checkpoint; what it prints is ignored.
///
/// # Errors
/// It cannot be started, or fails, with its last line; or it does not end, or is interrupted.
pub(crate) fn checkpoint(words: &[String], is_interrupted: &dyn Fn() -> bool) -> Result<()> {
    complete(words, LONGEST_CHECKPOINT, is_interrupted, temporary()?.as_file())
}

/// What a command of Slurm prints.
///
/// # Errors
/// It cannot be started, does not answer, is stopped or fails; of a failure, with its last line.
pub(crate) fn answer(words: &[String], is_stopped: &dyn Fn() -> bool) -> Result<String> {
    to_file(words, is_stopped, |file| Ok(read::text(file, LARGEST_ANSWER)?))
}

/// The cluster as Slurm has it now.
///
/// # Errors
/// Slurm does not answer until this is stopped, or no node accepts jobs.
pub(crate) fn cluster(is_stopped: &dyn Fn() -> bool) -> Result<LiveCluster> {
    let nodes = ["scontrol", "--oneliner", "show", "node"].map(str::to_owned);
    let jobs = ["squeue", "--json"].map(str::to_owned);
    let jobs_as_text = ["scontrol", "--details", "--oneliner", "show", "job"].map(str::to_owned);
    to_file(&nodes, is_stopped, |nodes| {
        let read = |jobs: &Path| -> Result<LiveCluster> { Ok(live::read(nodes, jobs)?) };
        match to_file(&jobs, is_stopped, read) {
            Err(why) if has_no_json(&why) => to_file(&jobs_as_text, is_stopped, read),
            outcome => outcome,
        }
    })
}

/// Whether a squeue failed because it has no `--json`: before 21.08, or without the library that writes it.
fn has_no_json(why: &anyhow::Error) -> bool {
    let why = why.to_string().to_ascii_lowercase();
    why.starts_with("squeue (") && ["--help", "json", "serializer"].iter().any(|sign| why.contains(sign))
}

/// The name of the cluster.
///
/// # Errors
/// Slurm does not answer until this is stopped.
pub(crate) fn cluster_name(is_stopped: &dyn Fn() -> bool) -> Result<String> {
    let answer = answer(&["scontrol", "show", "config"].map(str::to_owned), is_stopped)?;
    let names = answer.lines().filter_map(|line| line.strip_prefix("ClusterName")?.trim_start().strip_prefix('='));
    let name = names.map(str::trim).find(|name| !name.is_empty()).context("scontrol printed no ClusterName")?;
    // Part of a file's name.
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
        bail!(
            "the ClusterName is “{}”; expected letters, digits, hyphens and underscores",
            shortened(name, LONGEST_QUOTE)
        );
    }
    Ok(name.to_owned())
}

/// The partition of jobs that name none.
///
/// # Errors
/// Slurm does not answer.
pub(crate) fn default_partition() -> Result<Option<String>> {
    let answer = answer(&["sinfo", "--noheader", "--format=%P"].map(str::to_owned), &|| false)?;
    Ok(answer.lines().find_map(|line| line.trim().strip_suffix('*')).map(str::to_owned))
}

/// The state of a job, e.g. `RUNNING`; none if Slurm does not list the job: it forgets a job some minutes after its end.
///
/// # Errors
/// Slurm does not answer until this is stopped, or not with a state.
pub(crate) fn state_of(job: &str, is_stopped: &dyn Fn() -> bool) -> Result<Option<String>> {
    let Some(state) = of_job(job, "%T", is_stopped)? else { return Ok(None) };
    if !state.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
        bail!("squeue printed “{}”; expected the state of job {job}", shortened(&state, LONGEST_QUOTE));
    }
    Ok(Some(state))
}

/// The partition of a job.
///
/// # Errors
/// Slurm does not answer until this is stopped, or does not list the job.
pub(crate) fn partition_of(job: &str, is_stopped: &dyn Fn() -> bool) -> Result<String> {
    of_job(job, "%P", is_stopped)?.with_context(|| format!("Slurm does not list job {job}"))
}

/// A field of a job; none if Slurm does not list the job.
fn of_job(job: &str, format: &str, is_stopped: &dyn Fn() -> bool) -> Result<Option<String>> {
    let words = ["squeue", "--noheader", "--states=all", "--job", job, "--format", format].map(str::to_owned);
    match answer(&words, is_stopped) {
        Ok(answer) => Ok(answer.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)),
        Err(why) if why.to_string().contains("Invalid job id") => Ok(None),
        Err(why) => Err(why),
    }
}

/// The pause after so many failures in a row of a command that is repeated: it doubles up to a minute, or stays at a longer period.
pub(crate) fn pause(period: Duration, failures: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
    period.saturating_mul(factor).min(LONGEST_PAUSE.max(period))
}

/// A program that cannot be started.
#[derive(Debug)]
pub(crate) struct NotStarted(String);

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; check that Slurm is installed", self.0)
    }
}

impl Error for NotStarted {}

/// Starts a command with its output in a file, and takes that.
fn to_file<R>(words: &[String], is_stopped: &dyn Fn() -> bool, take: impl FnOnce(&Path) -> Result<R>) -> Result<R> {
    // The list of a large cluster is no matter of memory.
    let file = temporary()?;
    complete(words, ANSWER, is_stopped, file.as_file())?;
    take(file.path())
}

/// Runs a command to its end, with its output in a file. At the limit, or if it is interrupted, it is ended.
fn complete(words: &[String], limit: Duration, is_interrupted: &dyn Fn() -> bool, output: &File) -> Result<()> {
    let [program, arguments @ ..] = words else { bail!("there is no program") };
    let errors = temporary()?;
    let copy = |file: &File| file.try_clone().context("no temporary file");
    let mut command = Command::new(program);
    command.args(arguments);
    // Ctrl-C in the terminal ends this program, and no submission half-way.
    process_group::own(&mut command);
    let process = OwnedProcess::start(&mut command, copy(output)?.into(), copy(errors.as_file())?.into());
    let mut process = process.map_err(NotStarted)?;
    process.close_input();
    let ended = process.wait(limit, is_interrupted);
    let status = ended.map_err(|stopped| {
        process.end();
        match stopped {
            Stopped::Unknown(why) => anyhow!("{program}: {why}"),
            Stopped::Cancelled => anyhow!("{program} was interrupted"),
            Stopped::TooLong => anyhow!("{program} did not end within {} s", limit.as_secs_f64()),
        }
    })?;
    if !status.success() {
        let last = last_line(errors.path()).unwrap_or_else(|| "it printed nothing".to_owned());
        bail!("{program} ({status}): {}", one_line(last.trim()));
    }
    Ok(())
}

fn temporary() -> Result<NamedTempFile> {
    atomic::temporary_in(&std::env::temp_dir()).context("no temporary file")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_named_with_its_last_line() {
        let words = |script: &str| ["sh", "-c", script].map(str::to_owned);
        let answer = |words: &[String]| answer(words, &|| false);
        assert_eq!(answer(&words("echo 7")).expect("it runs"), "7\n");
        let failed = answer(&words("echo first >&2; echo sbatch: error: no >&2; exit 1")).expect_err("a failure");
        assert_eq!(failed.to_string(), "sh (exit status: 1): sbatch: error: no");
        let missing = answer(&["no such program".to_owned()]).expect_err("none").to_string();
        assert!(missing.starts_with("no such program cannot be started"), "{missing}");
    }

    #[test]
    fn pauses_double_up_to_a_minute_or_stay_at_a_longer_period() {
        let pauses =
            |seconds: u64| [1, 2, 3, 4, 40].map(|failures| pause(Duration::from_secs(seconds), failures).as_secs());
        assert_eq!(pauses(10), [10, 20, 40, 60, 60]);
        assert_eq!(pauses(300), [300; 5]);
    }

    #[test]
    fn a_command_that_does_not_end_is_ended() {
        let words = ["sleep", "600"].map(str::to_owned);
        let file = temporary().expect("a file");
        let stopped = complete(&words, Duration::ZERO, &|| false, file.as_file()).expect_err("it takes ten minutes");
        assert_eq!(stopped.to_string(), "sleep did not end within 0 s");
        let interrupted = checkpoint(&words, &|| true).expect_err("it takes ten minutes");
        assert_eq!(interrupted.to_string(), "sleep was interrupted");
    }
}
