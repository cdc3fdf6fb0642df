//! Commands of Slurm: started without a shell, and shown as a shell would take them.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use crossover_files::{atomic, process_group, read};
use crossover_quantity::text::one_line;
use crossover_traces::slurm::live::{self, LiveCluster};

/// Largest answer of `sbatch` or `sinfo`.
const LARGEST_ANSWER: u64 = 16 << 20;

/// Words quoted for a POSIX shell, with spaces between them.
pub(crate) fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word with an equals sign is quoted too, because a first one would set a variable; one that begins an option is not.
fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "-_./:,@+".contains(c) || (c == '=' && word.starts_with("--"));
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// What a command prints.
///
/// # Errors
/// It cannot be started, or fails; with its last line.
pub(crate) fn answer(words: &[String]) -> Result<String> {
    to_file(words, |file| Ok(read::text(file, LARGEST_ANSWER)?))
}

/// The cluster as Slurm has it now.
///
/// # Errors
/// Slurm does not answer, or no node accepts jobs.
pub(crate) fn cluster() -> Result<LiveCluster> {
    let nodes = ["scontrol", "--oneliner", "show", "node"].map(str::to_owned);
    let jobs = ["squeue", "--json"].map(str::to_owned);
    to_file(&nodes, |nodes| to_file(&jobs, |jobs| Ok(live::read(nodes, jobs)?)))
}

/// The partition of jobs that name none.
///
/// # Errors
/// Slurm does not answer.
pub(crate) fn default_partition() -> Result<Option<String>> {
    let answer = answer(&["sinfo", "--noheader", "--format=%P"].map(str::to_owned))?;
    Ok(answer.lines().find_map(|line| line.trim().strip_suffix('*')).map(str::to_owned))
}

/// The state of a job, e.g. `RUNNING`.
///
/// # Errors
/// Slurm does not answer, or does not list the job.
pub(crate) fn state_of(job: &str) -> Result<String> {
    of_job(job, "%T")
}

/// The partition of a job.
///
/// # Errors
/// Slurm does not answer, or does not list the job.
pub(crate) fn partition_of(job: &str) -> Result<String> {
    of_job(job, "%P")
}

/// A field of a job.
fn of_job(job: &str, format: &str) -> Result<String> {
    let words = ["squeue", "--noheader", "--states=all", "--job", job, "--format", format].map(str::to_owned);
    let answer = answer(&words)?;
    let first = answer.lines().map(str::trim).find(|line| !line.is_empty());
    first.map(str::to_owned).with_context(|| format!("squeue does not list job {job}"))
}

/// Starts a command with its output in a file, and takes that.
fn to_file<R>(words: &[String], take: impl FnOnce(&Path) -> Result<R>) -> Result<R> {
    let [program, arguments @ ..] = words else { bail!("there is no program") };
    // The list of a large cluster is no matter of memory.
    let file = atomic::temporary_in(&std::env::temp_dir()).context("no temporary file")?;
    let output = file.as_file().try_clone().context("no temporary file")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(Stdio::piped());
    // Ctrl-C in the terminal ends this program, and no submission half-way.
    process_group::own(&mut command);
    let output = command.output();
    let output = output.with_context(|| format!("{program} cannot be started; check that Slurm is installed"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it printed nothing");
        bail!("{program} ({}): {}", output.status, one_line(last.trim()));
    }
    take(file.path())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_every_word_as_it_is() {
        let words =
            ["a b", "", "$(touch x)", "`touch x`", "it's", "a=b", "--gres=gpu:1", "--x=$(touch x)", "x\ny; touch x"];
        for word in words {
            let script = format!("printf %s {}", line(&[word.to_owned()]));
            let output = Command::new("sh").arg("-c").arg(&script).output().expect("a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{script}");
        }
        assert_eq!(line(&["sbatch", "--gres=shard:2", "a=b"].map(str::to_owned)), "sbatch --gres=shard:2 'a=b'");
    }

    #[test]
    fn a_command_that_fails_is_named_with_its_last_line() {
        let words = |script: &str| ["sh", "-c", script].map(str::to_owned);
        assert_eq!(answer(&words("echo 7")).expect("it runs"), "7\n");
        let failed = answer(&words("echo first >&2; echo sbatch: error: no >&2; exit 1")).expect_err("a failure");
        assert_eq!(failed.to_string(), "sh (exit status: 1): sbatch: error: no");
        let missing = answer(&["no such program".to_owned()]).expect_err("none").to_string();
        assert!(missing.starts_with("no such program cannot be started"), "{missing}");
    }
}
