//! A Spark job that distributes this program to the executors, each of which reads some of the shards.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use crossover_files::{atomic, shell};
use crossover_fleet::LogStores;
use crossover_page::terminal::{message, print};
use crossover_scenario::Scenario;
use serde::Serialize;

/// Folder of the job below that of the results.
const FOLDER: &str = "spark";
/// The job.
const JOB: &str = include_str!("job.py");
/// Default number of shards: enough for some tens of executors, each of which lists all paths.
pub(super) const SHARDS: u16 = 64;

/// Options of a job.
pub(super) struct JobOptions<'a> {
    /// Files, folders and addresses, as on the command line.
    pub(super) paths: &'a [PathBuf],
    /// Folder of results.
    pub(super) out: &'a Path,
    /// The scenarios with the engines.
    pub(super) bases: &'a [Scenario],
    /// Number of parts of the logs.
    pub(super) shards: u16,
    /// Logs that a task reads at once.
    pub(super) threads: usize,
    /// The program for the executors; `None`: this one.
    pub(super) program: Option<&'a Path>,
    /// Options of the last step, which merges the shards.
    pub(super) more: Vec<String>,
}

/// The job's input, `job.json`.
#[derive(Serialize)]
struct Job<'a> {
    paths: Vec<String>,
    out: String,
    shards: u16,
    threads: usize,
    /// Name of the program among the files of the job.
    program: String,
    program_path: String,
    /// This program, which merges the shards; that of the executors may be for another system.
    own_path: String,
    /// Names of the scenarios with the engines.
    bases: Vec<String>,
    more: &'a [String],
}

/// Writes the job; with `start` starts it with these options of `spark-submit`.
pub(super) fn submit(order: &JobOptions<'_>, start: bool, options: &[OsString]) -> Result<()> {
    let folder = order.out.join(FOLDER);
    let own = env::current_exe().context("this program's own file")?;
    let program = order.program.unwrap_or(&own);
    if !program.is_file() {
        bail!("--program {}: not a file; expected the program for the executors", program.display());
    }
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let job = Job {
        paths: order.paths.iter().map(|path| everywhere(path)).collect::<Result<_>>()?,
        out: text(&absolute(order.out)?)?,
        shards: order.shards,
        threads: order.threads,
        program: name,
        program_path: text(&absolute(program)?)?,
        own_path: text(&absolute(&own)?)?,
        bases: base_names(order.bases),
        more: &order.more,
    };
    let failed = |error| anyhow!("{}: cannot create the folder ({error})", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    for (name, base) in base_names(order.bases).iter().zip(order.bases) {
        atomic::write(&folder.join(name), base.to_ron().as_bytes())?;
    }
    atomic::write(&folder.join("job.json"), serde_json::to_string_pretty(&job)?.as_bytes())?;
    atomic::write(&folder.join("job.py"), JOB.as_bytes())?;
    let files = [absolute(folder.join("job.py"))?, absolute(folder.join("job.json"))?];
    if start { run(&files, options) } else { print(command_line(&files, options)) }
}

/// File names of these scenarios in the folder of the job.
pub(super) fn base_names(bases: &[Scenario]) -> Vec<String> {
    let name = |number: usize| if number == 1 { "base.ron".to_owned() } else { format!("base-{number}.ron") };
    (1..=bases.len()).map(name).collect()
}

/// Starts the job and waits for it.
fn run(files: &[PathBuf], options: &[OsString]) -> Result<()> {
    let submit = match env::var_os("SPARK_HOME") {
        Some(home) => PathBuf::from(home).join("bin/spark-submit"),
        None => PathBuf::from("spark-submit"),
    };
    message(format!("{} reads the logs on the cluster", submit.display()));
    let status = Command::new(&submit).args(options).args(files).stdin(Stdio::null()).status();
    let status = match status {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::NotFound => bail!(
            "cannot find {}; install Spark or set SPARK_HOME, or omit --start and run the printed command where Spark is",
            submit.display()
        ),
        Err(error) => bail!("cannot start {} ({error})", submit.display()),
    };
    if status.success() {
        Ok(())
    } else {
        bail!("the job failed ({status}); see Spark's messages above. Run the same command to continue.")
    }
}

/// The command that starts the job, for a shell.
fn command_line(files: &[PathBuf], options: &[OsString]) -> String {
    let words = options.iter().map(OsString::as_os_str).chain(files.iter().map(|path| path.as_os_str()));
    format!("spark-submit {}\n", shell::line(words.map(OsStr::to_string_lossy)))
}

/// A path that is valid on every machine: an absolute local path, or the address as it is.
fn everywhere(path: &Path) -> Result<String> {
    text(&if LogStores::is_remote(path) { path.to_owned() } else { absolute(path)? })
}

fn text(path: &Path) -> Result<String> {
    let problem = || anyhow!("{}: the path is not UTF-8 text, which the job needs; rename it", path.display());
    path.to_str().map(str::to_owned).ok_or_else(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_the_options_before_the_files_of_the_job() {
        let options = ["--master", "local-cluster[2,1,512]"].map(OsString::from);
        let files = ["/my logs/job.py", "/my logs/job.json"].map(PathBuf::from);
        let expected = "spark-submit --master 'local-cluster[2,1,512]' '/my logs/job.py' '/my logs/job.json'\n";
        assert_eq!(command_line(&files, &options), expected);
    }

    #[test]
    fn folders_are_named_from_the_root_and_addresses_as_they_are() {
        assert_eq!(everywhere(Path::new("s3://bucket/logs")).unwrap(), "s3://bucket/logs");
        for folder in ["logs", "a b://c"] {
            assert!(Path::new(&everywhere(Path::new(folder)).unwrap()).is_absolute(), "{folder}");
        }
    }
}
