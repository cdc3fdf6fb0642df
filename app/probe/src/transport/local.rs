//! Probes on this machine: a process for each run, which ends at its time limit or when it is cancelled.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{RunRequest, RunResult, report};

/// Polling interval for the end of a run.
const POLL: Duration = Duration::from_millis(20);
/// Time that a cancelled run has to end before it is killed.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most bytes read from the end of its error output.
const LARGEST_TAIL: u64 = 2_000;

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
    let child = Command::new(program)
        .args(first)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(error_output)
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let mut child = OwnedProcess(child);
    let until = Instant::now() + request.limit;
    let status = loop {
        match child.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(format!("waiting for {program} failed: {error}")),
        }
        if is_cancelled() {
            return Err("it was cancelled".to_owned());
        }
        if Instant::now() >= until {
            return Err(format!("it took longer than {} s and was ended", request.limit.as_secs_f64()));
        }
        std::thread::sleep(POLL);
    };
    if status.success() || json.exists() {
        return report(&json);
    }
    let mut words = Vec::new();
    _ = File::open(&errors).map(|mut file| {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        _ = file.seek(SeekFrom::Start(length.saturating_sub(LARGEST_TAIL)));
        file.take(LARGEST_TAIL).read_to_end(&mut words)
    });
    let words = String::from_utf8_lossy(&words);
    let words = words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no error output");
    Err(format!("it ended with {status}: {words}"))
}

/// A process that ends with its owner.
struct OwnedProcess(Child);

impl Drop for OwnedProcess {
    fn drop(&mut self) {
        // It ends with its input, and ends its own processes.
        drop(self.0.stdin.take());
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(POLL);
        }
        // Fails if it has ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}
