//! Probes on this machine: a process for each run, which ends at its time limit or when it is cancelled.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use crossover_files::process::{OwnedProcess, Stopped, last_line};

use super::{RunRequest, RunResult, report};

/// Runs a probe once on a number of units; the report is written to the folder.
pub(crate) fn run(request: &RunRequest, units: u32, folder: &Path, is_cancelled: &dyn Fn() -> bool) -> RunResult {
    let json = folder.join("report.json");
    let errors = folder.join("errors.txt");
    // A report of an earlier run must not be taken for this one's.
    drop(std::fs::remove_file(&json));
    let [program, first @ ..] = &request.program[..] else { return Err("no program to run".to_owned()) };
    let error_output = File::create(&errors).map_err(|error| format!("{}: {error}", errors.display()))?;
    let mut arguments = request.arguments(&request.task.to_string_lossy(), units, Some(&json.to_string_lossy()));
    // It ends with its input, so also when this process ends.
    arguments.insert(1, "--end-with-input".to_owned());
    let mut command = Command::new(program);
    command.args(first).args(arguments);
    let mut process = OwnedProcess::start(&mut command, Stdio::null(), error_output.into())?;
    let status = process.wait(request.limit, is_cancelled).map_err(|stopped| match stopped {
        Stopped::Cancelled => "it was cancelled".to_owned(),
        Stopped::TooLong => format!("it took longer than {} s and was terminated", request.limit.as_secs_f64()),
        Stopped::Unknown(why) => why,
    })?;
    if status.success() || json.exists() {
        return report(&json);
    }
    let words = last_line(&errors).unwrap_or_else(|| "no error output".to_owned());
    Err(format!("it ended with {status}: {words}"))
}
