//! Jobs of Slurm that a watch has suspended. A job is in a file before it is suspended, so that the next watch resumes what a
//! killed one has left. A process locks its file as long as it runs.

use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};

use super::commands;

/// Largest file: some thousand jobs.
const LARGEST_BYTES: u64 = 1 << 16;
/// How often a job is resumed before it is left to the user.
const TRIES: u32 = 5;
/// Shortest pause between two of them; it doubles.
const PAUSE: Duration = Duration::from_millis(500);

/// The folder of all files.
///
/// # Errors
/// The user has no folder for data.
pub(crate) fn folder() -> Result<PathBuf> {
    let of_user = choose_native_strategy().context("no folder for the list of suspended jobs")?;
    Ok(of_user.data_dir().join("crossover").join("suspended-jobs"))
}

/// Whether a watch has left a file, or still has one.
pub(crate) fn is_any(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some())
}

/// The files that killed watches of a cluster have left.
///
/// # Errors
/// A file cannot be read or locked.
pub(crate) fn of_killed(folder: &Path, cluster: &str) -> Result<Vec<Suspended>> {
    let unreadable = || format!("cannot read the folder {}", folder.display());
    let mut found = Vec::new();
    for file in fs::read_dir(folder).with_context(unreadable)? {
        let path = file.with_context(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let watched = name.strip_prefix(cluster).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".txt"));
        if watched.is_some_and(is_job) {
            found.extend(Suspended::locked(path)?);
        }
    }
    Ok(found)
}

fn is_job(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// The words of a command that suspends or resumes a job.
pub(crate) fn words(action: &str, job: &str) -> Vec<String> {
    ["scontrol", action, job].map(str::to_owned).to_vec()
}

/// The jobs that a watch has suspended.
#[derive(Debug)]
pub(crate) struct Suspended {
    path: PathBuf,
    file: File,
    jobs: Vec<String>,
}

impl Suspended {
    /// Those of a watch that starts: none.
    ///
    /// # Errors
    /// Another watch of the job suspends jobs, or the file cannot be written.
    pub(crate) fn of_watch(folder: &Path, cluster: &str, watched: &str) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let path = folder.join(format!("{cluster}-{watched}.txt"));
        Self::locked(path)?.with_context(|| format!("another watch of job {watched} may suspend jobs; end it first"))
    }

    /// A file with its lock; none if another process has it.
    fn locked(path: PathBuf) -> Result<Option<Self>> {
        let unreadable = || format!("cannot read {}", path.display());
        let file = File::options().create(true).read(true).append(true).open(&path).with_context(unreadable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(cause)) => return Err(cause).with_context(unreadable),
        }
        let mut text = String::new();
        (&file).take(LARGEST_BYTES).read_to_string(&mut text).with_context(unreadable)?;
        // A line that is not complete was written as the process was killed, before it suspended the job.
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let jobs = lines.filter(|line| is_job(line)).map(str::to_owned).collect();
        Ok(Some(Self { path, file, jobs }))
    }

    /// The jobs, in the order in which they were suspended.
    pub(crate) fn jobs(&self) -> &[String] {
        &self.jobs
    }

    /// Suspends a job that runs.
    ///
    /// # Errors
    /// It does not run, or Slurm refuses; it then goes on.
    pub(crate) fn suspend(&mut self, job: &str) -> Result<()> {
        let state = commands::state_of(job)?.unwrap_or_else(|| "not listed".to_owned());
        if state != "RUNNING" {
            bail!("job {job} is {state}; expected a running job");
        }
        let written = self.file.write_all(format!("{job}\n").as_bytes()).and_then(|()| self.file.sync_all());
        written.with_context(|| format!("no job is suspended, as {} cannot be written", self.path.display()))?;
        let answered = commands::answer(&words("suspend", job));
        // It is, too, if only the answer was lost.
        if answered.is_ok() || commands::state_of(job).is_ok_and(|state| state.as_deref() == Some("SUSPENDED")) {
            self.jobs.push(job.to_owned());
            return Ok(());
        }
        let why = "Slurm suspends jobs for its operators and administrators only";
        answered.map(drop).with_context(|| format!("job {job} was not suspended ({why})"))
    }

    /// Resumes all jobs that are still suspended, the last one first, and removes the file. Gives those that were resumed.
    ///
    /// # Errors
    /// A job could not be resumed; the file then stays, for the next watch.
    pub(crate) fn resume(self) -> Result<Vec<String>> {
        let (mut resumed, mut problems) = (Vec::new(), Vec::new());
        for job in self.jobs.iter().rev() {
            match resumed_one(job) {
                Ok(true) => resumed.push(job.clone()),
                Ok(false) => {}
                Err(why) => problems.push(format!("job {job} may still be suspended ({why:#})")),
            }
        }
        if !problems.is_empty() {
            bail!(
                "{}; run “scontrol resume”, or “crossover allocate watch --apply” of another job, which tries again",
                problems.join("; ")
            );
        }
        match fs::remove_file(&self.path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(anyhow!(cause).context(format!("cannot remove {}", self.path.display())))
            }
            Ok(()) | Err(_) => Ok(resumed),
        }
    }
}

/// Resumes a job; whether it was suspended.
fn resumed_one(job: &str) -> Result<bool> {
    let mut failures = 0;
    loop {
        let why = match commands::state_of(job) {
            Ok(Some(state)) if state == "SUSPENDED" => match commands::answer(&words("resume", job)) {
                Ok(_) => return Ok(true),
                Err(why) => why,
            },
            // It has ended, or runs: also after an answer that was lost.
            Ok(_) => return Ok(failures > 0),
            Err(why) => why,
        };
        failures += 1;
        if failures == TRIES {
            return Err(why);
        }
        thread::sleep(commands::pause(PAUSE, failures));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_watch_has_left_is_found_by_the_next_one() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_any(folder.path()));
        let mut watch = Suspended::of_watch(folder.path(), "east", "3").expect("a file");
        watch.file.write_all(b"18\n19\n2").expect("written");
        assert!(is_any(folder.path()));
        // It runs.
        let second = Suspended::of_watch(folder.path(), "east", "3").expect_err("locked").to_string();
        assert!(second.starts_with("another watch of job 3"), "{second}");
        assert!(of_killed(folder.path(), "east").expect("readable").is_empty());
        drop(watch);
        let left = of_killed(folder.path(), "east").expect("readable");
        let jobs: Vec<&[String]> = left.iter().map(Suspended::jobs).collect();
        assert_eq!(jobs, [["18", "19"]]);
        // Another cluster has other jobs under the same numbers.
        for other in ["west", "ea", "east-3"] {
            assert!(of_killed(folder.path(), other).expect("readable").is_empty(), "{other}");
        }
    }
}
