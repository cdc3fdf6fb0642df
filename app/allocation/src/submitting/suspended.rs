//! Jobs of Slurm that a watch has suspended. A job is in a file before it is suspended, so that the next watch resumes what a
//! killed one has left. A process locks its file as long as it runs.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};

use super::commands;
use super::interrupts::Interrupts;

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
        let file = loop {
            let mut options = File::options();
            let opened = options.create(true).truncate(false).read(true).write(true).open(&path);
            let file = opened.with_context(unreadable)?;
            match file.try_lock() {
                // Between opening and lock another process may have removed it.
                Ok(()) if is_at(&file, &path) => break file,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(cause)) => return Err(cause).with_context(unreadable),
            }
        };
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
    pub(crate) fn suspend(&mut self, job: &str, interrupts: &Interrupts) -> Result<()> {
        let is_stopped = || interrupts.is_repeated();
        let state = commands::state_of(job, &is_stopped)?.unwrap_or_else(|| "not listed".to_owned());
        if state != "RUNNING" {
            bail!("job {job} is {state}; expected a running job");
        }
        self.jobs.push(job.to_owned());
        if let Err(cause) = self.write() {
            self.jobs.pop();
            let problem = format!("no job is suspended, as {} cannot be written", self.path.display());
            return Err(anyhow!(cause).context(problem));
        }
        let Err(why) = commands::answer(&words("suspend", job), &is_stopped) else { return Ok(()) };
        let state = commands::state_of(job, &is_stopped);
        match &state {
            // Only the answer was lost.
            Ok(Some(state)) if state == "SUSPENDED" => Ok(()),
            // An administrator may suspend it later, and is then the one who resumes it.
            Ok(_) => {
                self.jobs.pop();
                self.write().with_context(|| format!("job {job} is still in {}: {why:#}", self.path.display()))?;
                let only = "only operators and administrators of Slurm may suspend jobs";
                Err(why.context(format!("job {job} was not suspended ({only})")))
            }
            Err(_) => Err(why.context(format!("job {job} may be suspended; it is then resumed as the watch ends"))),
        }
    }

    /// Writes the jobs into the file, over the former text: a kill before it has its length leaves empty lines behind them, and no
    /// part of a number.
    fn write(&self) -> io::Result<()> {
        let text: String = self.jobs.iter().flat_map(|job| [job.as_str(), "\n"]).collect();
        let mut file = &self.file;
        let former = usize::try_from(file.metadata()?.len().min(LARGEST_BYTES)).unwrap_or_default();
        let rest = "\n".repeat(former.saturating_sub(text.len()));
        file.rewind()?;
        file.write_all(format!("{text}{rest}").as_bytes())?;
        file.set_len(text.len() as u64)?;
        file.sync_all()
    }

    /// Resumes these jobs if they are still suspended, the last one first. Gives those that were resumed.
    ///
    /// # Errors
    /// A job could not be resumed before a second interrupt; it stays in the file, for another try or the next watch.
    pub(crate) fn resume(
        &mut self,
        is_meant: &dyn Fn(&str) -> bool,
        interrupts: &Interrupts,
    ) -> (Vec<String>, Result<()>) {
        let (mut resumed, mut left, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        for job in self.jobs.iter().rev().filter(|job| is_meant(job)) {
            match resumed_one(job, interrupts) {
                Ok(true) => resumed.push(job.clone()),
                Ok(false) => {}
                Err(why) => {
                    problems.push(format!("job {job} may still be suspended ({why:#})"));
                    left.push(job.clone());
                }
            }
        }
        self.jobs.retain(|job| !is_meant(job) || left.contains(job));
        let written = self.write().with_context(|| format!("cannot write {}", self.path.display()));
        if left.is_empty() {
            return (resumed, written);
        }
        let (problems, left) = (problems.join("; "), left.join(","));
        let why = anyhow!(
            "{problems}; run “scontrol resume {left}”, or “crossover allocate watch --apply” of any job, which resumes them too"
        );
        (resumed, Err(why))
    }

    /// Removes the file, whose jobs are resumed.
    ///
    /// # Errors
    /// It cannot be removed.
    pub(crate) fn remove(self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(anyhow!(cause).context(format!("cannot remove {}", self.path.display())))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Whether a path still is that of an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let (open, there) = (file.metadata().map(id), fs::metadata(path).map(id));
    open.ok().is_some_and(|open| there.ok() == Some(open))
}

/// Whether a path still has a file; elsewhere than on Unix an open file keeps its name.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Resumes a job; whether it was suspended.
fn resumed_one(job: &str, interrupts: &Interrupts) -> Result<bool> {
    let is_stopped = || interrupts.is_repeated();
    let mut failures = 0;
    loop {
        if is_stopped() {
            bail!("a second interrupt stopped resuming");
        }
        let why = match commands::state_of(job, &is_stopped) {
            Ok(Some(state)) if state == "SUSPENDED" => match commands::answer(&words("resume", job), &is_stopped) {
                Ok(_) => return Ok(true),
                Err(why) => why,
            },
            // It has ended, or runs: also after an answer that was lost.
            Ok(_) => return Ok(failures > 0),
            Err(why) => why,
        };
        failures += 1;
        if failures == TRIES || is_stopped() {
            return Err(why);
        }
        interrupts.pause_restoring(commands::pause(PAUSE, failures));
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

    /// Half a line that a killed process has left becomes no part of a number.
    #[cfg(unix)]
    #[test]
    fn the_file_has_the_jobs_that_are_suspended_and_no_other_words() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("east-3.txt");
        fs::write(&path, "18\n2").expect("written");
        let mut watch = Suspended::of_watch(folder.path(), "east", "3").expect("a file");
        let text = || fs::read_to_string(&path).expect("readable");
        watch.jobs.push("7".to_owned());
        watch.write().expect("written");
        assert_eq!(text(), "18\n7\n");
        // The first one is resumed before the other.
        watch.jobs.remove(0);
        watch.write().expect("written");
        assert_eq!(text(), "7\n");
        assert!(is_at(&watch.file, &path));
        fs::remove_file(&path).expect("there");
        assert!(!is_at(&watch.file, &path));
    }
}
