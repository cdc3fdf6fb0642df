//! Operators that are external programs: started, watched, ended with all their child processes, and read.

use std::io::{self, Read as _};
use std::process::{Child, ChildStdout, Command as Program, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossover_files::process_group;
use crossover_harness::Cancel;
use crossover_measured::probe::task::Command;
use crossover_quantity::text::visible;
use serde::Deserialize;

use super::execution::Execution;
use crate::failure::Failure;

/// Maximum output of a program, bytes: one line is expected.
const MOST_BYTES: u64 = 64 << 10;
/// Polling interval of the cancellation.
const TICK: Duration = Duration::from_millis(50);
/// How long the output may stay open after a program and its group have ended.
const GRACE: Duration = Duration::from_secs(1);
/// Characters of an output that is no line of JSON that a failure shows.
const SHOWN: usize = 80;

/// Environment variables of a program.
#[derive(Debug, Clone, Copy)]
pub struct Environment {
    /// Compute units, `CROSSOVER_UNITS`.
    pub units: u32,
    /// Threads of all of them, `CROSSOVER_THREADS`.
    pub threads: u32,
    /// Factor of an operand, `CROSSOVER_SCALE`.
    pub scale: f64,
}

/// The line that a program prints; it may have more fields.
#[derive(Debug, Deserialize)]
struct Line {
    value: f64,
    true_value: Option<f64>,
}

/// Runs a program once. Its time is from its start to its end.
///
/// # Errors
/// It does not start, takes longer than its limit, ends with another code than 0, or prints anything but one line of
/// JSON; a sentence about it.
pub fn execute(command: &Command, environment: Environment, cancel: &Cancel) -> Result<Execution, String> {
    let [program, arguments @ ..] = &command.line[..] else { return Err("the command has no program".to_owned()) };
    let mut start = Program::new(program);
    start
        .args(arguments)
        .env("CROSSOVER_UNITS", environment.units.to_string())
        .env("CROSSOVER_THREADS", environment.threads.to_string())
        .env("CROSSOVER_SCALE", environment.scale.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    process_group::own(&mut start);
    let begin = Instant::now();
    let mut child = start.spawn().map_err(|error| format!("cannot start “{}”: {error}", visible(program)))?;
    let (tell, events) = mpsc::channel();
    let watched = watch(&mut child, tell).map_err(|error| format!("cannot watch the program: {error}"));
    let ended = watched.and_then(|()| end_of(&mut child, &events, command.limit_seconds, begin, cancel));
    process_group::end(&mut child);
    let status = child.wait().map_err(|error| format!("cannot get the exit status of the program: {error}"))?;
    let Ended { at, printed } = ended?;
    let printed = match printed {
        Some(printed) => printed,
        None => output_after_end(&events)?,
    };
    let line = one_line(status, &printed?)?;
    Ok(Execution { seconds: at.duration_since(begin).as_secs_f64(), value: line.value, true_value: line.true_value })
}

/// Output of a program, or why it is unknown.
type Printed = Result<Vec<u8>, String>;

/// An event of a program.
enum Event {
    /// Its output has ended, or is too large.
    Output(Printed),
    /// It has ended.
    #[cfg(unix)]
    Ended(Instant),
}

/// The end of a program.
struct Ended {
    at: Instant,
    /// Its output, if that has ended before.
    printed: Option<Printed>,
}

/// Starts to read a program's output and to wait for its end.
fn watch(child: &mut Child, tell: Sender<Event>) -> io::Result<()> {
    let mut output = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
    let reader = tell.clone();
    thread::Builder::new().name("output of a program".to_owned()).spawn(move || {
        let printed = read(&mut output);
        // Nothing receives after a failure.
        _ = reader.send(Event::Output(printed));
        // Not before: a program that prints too much would end when its output is closed.
        drop(output);
    })?;
    #[cfg(unix)]
    {
        let process = rustix::process::Pid::from_child(child);
        thread::Builder::new().name("end of a program".to_owned()).spawn(move || {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            // It stays a zombie, so that its number is not given to another process before its group is ended.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            if rustix::io::retry_on_intr(|| waitid(WaitId::Pid(process), options)).is_ok() {
                _ = tell.send(Event::Ended(Instant::now()));
            }
        })?;
    }
    #[cfg(not(unix))]
    drop(tell);
    Ok(())
}

fn read(output: &mut ChildStdout) -> Printed {
    let mut printed = Vec::new();
    let unreadable = |error| format!("cannot read the output of the program: {error}");
    output.take(MOST_BYTES + 1).read_to_end(&mut printed).map_err(unreadable)?;
    if printed.len() as u64 > MOST_BYTES {
        return Err(format!("it printed more than {} KiB; expected {EXPECTED}", MOST_BYTES >> 10));
    }
    Ok(printed)
}

/// Waits for the end of a program, at most as long as its limit.
fn end_of(
    child: &mut Child,
    events: &Receiver<Event>,
    limit_seconds: f64,
    begin: Instant,
    cancel: &Cancel,
) -> Result<Ended, String> {
    let mut printed = None;
    loop {
        if cancel.is_requested() {
            return Err(Failure::Cancelled.to_string());
        }
        let left = limit_seconds - begin.elapsed().as_secs_f64();
        if left <= 0.0 {
            return Err(format!("it took longer than its limit of {limit_seconds} s and was terminated"));
        }
        match events.recv_timeout(TICK.min(Duration::from_secs_f64(left))) {
            #[cfg(unix)]
            Ok(Event::Ended(at)) => return Ok(Ended { at, printed }),
            Ok(Event::Output(Err(failure))) => return Err(failure),
            Ok(Event::Output(Ok(output))) => printed = Some(Ok(output)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) if cfg!(unix) => {
                return Err("cannot wait for the end of the program".to_owned());
            }
            Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
        }
        if cfg!(not(unix)) && child.try_wait().is_ok_and(|status| status.is_some()) {
            return Ok(Ended { at: Instant::now(), printed });
        }
    }
}

fn output_after_end(events: &Receiver<Event>) -> Result<Printed, String> {
    let deadline = Instant::now() + GRACE;
    loop {
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Output(printed)) => return Ok(printed),
            #[cfg(unix)]
            Ok(Event::Ended(_)) => {}
            Err(_) => return Err("it left a child process that keeps its output open".to_owned()),
        }
    }
}

const EXPECTED: &str = r#"one line like {"value": 1.5, "true_value": 1.5}"#;

fn one_line(status: ExitStatus, printed: &[u8]) -> Result<Line, String> {
    if !status.success() {
        return Err(match status.code() {
            Some(code) => format!("it ended with exit code {code}"),
            None => format!("it was killed: {status}"),
        });
    }
    let text = String::from_utf8_lossy(printed);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match (lines.next(), lines.next()) {
        (None, _) => Err(format!("it printed nothing; expected {EXPECTED}")),
        (Some(line), None) => serde_json::from_str(line)
            .map_err(|error| format!("it printed {}; expected {EXPECTED}: {error}", quoted(&text))),
        (Some(_), Some(_)) => Err(format!("it printed several lines, {}; expected {EXPECTED}", quoted(&text))),
    }
}

/// The beginning of a text, on one line.
fn quoted(text: &str) -> String {
    let text = text.trim();
    let shown: String = text.chars().take(SHOWN).map(|c| if c == '\n' || c == '\t' { ' ' } else { c }).collect();
    let more = if text.chars().nth(SHOWN).is_some() { "…" } else { "" };
    format!("“{}{more}”", visible(&shown))
}

#[cfg(all(test, unix))]
mod tests;
