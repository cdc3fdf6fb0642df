//! Probes on this machine: a process for each run, which never outlives its limit or the caller's wish to end.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Asked, Came, report};

/// How often the end of a run is looked for.
const POLL: Duration = Duration::from_millis(20);
/// How long a run may take to end by itself when it is called off.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most of what a run says about its failure, bytes.
const SAID: u64 = 2_000;

/// Runs a probe once on so many units; its report goes through the folder.
pub(crate) fn run(asked: &Asked, units: u32, folder: &Path, is_cancelled: &dyn Fn() -> bool) -> Came {
    let json = folder.join("report.json");
    let errors = folder.join("errors.txt");
    // One of a run before would be taken for this one's.
    drop(std::fs::remove_file(&json));
    let [program, first @ ..] = &asked.program[..] else { return Err("there is no program to run".to_owned()) };
    let said = File::create(&errors).map_err(|error| format!("{}: {error}", errors.display()))?;
    let mut arguments = asked.arguments(&asked.task.to_string_lossy(), units, Some(&json.to_string_lossy()));
    // It ends when its input does: with this process, whatever happens to that.
    arguments.insert(1, "--end-with-input".to_owned());
    let child = Command::new(program)
        .args(first)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let mut child = Ended(child);
    let until = Instant::now() + asked.limit;
    let status = loop {
        match child.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(format!("{program} cannot be waited for: {error}")),
        }
        if is_cancelled() {
            return Err("it was cancelled".to_owned());
        }
        if Instant::now() >= until {
            return Err(format!("it took longer than {} s and was ended", asked.limit.as_secs_f64()));
        }
        std::thread::sleep(POLL);
    };
    if status.success() || json.exists() {
        return report(&json);
    }
    let mut words = Vec::new();
    _ = File::open(&errors).map(|mut file| {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        _ = file.seek(SeekFrom::Start(length.saturating_sub(SAID)));
        file.take(SAID).read_to_end(&mut words)
    });
    let words = String::from_utf8_lossy(&words);
    let words = words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(format!("it ended with {status}: {words}"))
}

/// A process that ends with its owner.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // The end of its input asks it to end what it started, too.
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
