//! A child process of the page: its output lines, its end, and how it is cancelled.
//!
//! If a driver crashes, this loses a measurement, not the user's work. The process never outlives the
//! page: its input closes with it, and dropping the handle kills it.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use egui::Context;

/// Minimum time between repaints while lines arrive: drawing uses the GPU that is being measured.
const REPAINT_INTERVAL: Duration = Duration::from_millis(500);
/// Time in which a cancelled process must end before it is killed.
const PATIENCE: Duration = Duration::from_secs(3);
/// Polling interval for the end of the process.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// A whole report is one line of a few megabytes; a longer line is not valid output.
const LONGEST_LINE_BYTES: u64 = 256 << 20;
/// Lines of standard error that are kept for the message about a failure.
const KEPT_LINES: usize = 8;

/// A message of a process.
#[derive(Debug)]
pub(super) enum Message<T> {
    /// A line of its standard output.
    Line(T),
    /// It has ended; nothing follows.
    Ended(Ending),
}

/// How a process ended.
#[derive(Debug)]
pub(super) struct Ending {
    /// Whether its exit status is success.
    pub(super) is_success: bool,
    /// Whether it was killed, because it did not end after the request to cancel.
    pub(super) is_killed: bool,
    /// Its status and its last lines of standard error.
    pub(super) words: String,
}

/// A process, killed when this is dropped.
#[derive(Debug)]
pub(super) struct Child<T> {
    shared: Arc<Shared>,
    input: Option<ChildStdin>,
    messages: Receiver<Message<T>>,
}

#[derive(Debug)]
struct Shared {
    process: Mutex<std::process::Child>,
    kill_at: Mutex<Option<Instant>>,
    errors: Mutex<VecDeque<String>>,
}

impl<T: Send + 'static> Child<T> {
    /// Starts a program; `read` parses its lines on another thread. It is killed after `limit`.
    ///
    /// # Errors
    /// The program or a thread cannot be started.
    pub(super) fn start(
        program: &Path,
        arguments: &[String],
        read: fn(&str) -> T,
        limit: Option<Duration>,
        ctx: &Context,
    ) -> io::Result<Self> {
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (input, output, errors) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let shared = Arc::new(Shared {
            process: Mutex::new(process),
            kill_at: Mutex::new(limit.map(|limit| Instant::now() + limit)),
            errors: Mutex::new(VecDeque::new()),
        });
        let (sender, messages) = channel();
        // From here on an early return drops the handle, which kills the process.
        let child = Self { shared: Arc::clone(&shared), input, messages };
        let reader = {
            let (sender, ctx) = (sender.clone(), ctx.clone());
            thread::Builder::new().name("measurement output".into()).spawn(move || {
                for_each_line(output, |line| {
                    // Nothing receives after the page is closed.
                    drop(sender.send(Message::Line(read(line))));
                    ctx.request_repaint_after(REPAINT_INTERVAL);
                });
            })?
        };
        let error_reader = {
            let shared = Arc::clone(&shared);
            thread::Builder::new().name("measurement errors".into()).spawn(move || {
                for_each_line(errors, |line| {
                    let mut kept = lock(&shared.errors);
                    kept.push_back(line.to_owned());
                    if kept.len() > KEPT_LINES {
                        kept.pop_front();
                    }
                });
            })?
        };
        let ctx = ctx.clone();
        thread::Builder::new()
            .name("measurement process".into())
            .spawn(move || watch(&shared, &[reader, error_reader], &sender, &ctx))?;
        Ok(child)
    }

    /// The messages that have arrived.
    pub(super) fn messages(&self) -> Vec<Message<T>> {
        self.messages.try_iter().collect()
    }

    /// Asks the process to end; kills it if it does not do so soon.
    pub(super) fn cancel(&mut self) {
        if let Some(input) = &mut self.input
            && let Err(error) = input.write_all(b"cancel\n").and_then(|()| input.flush())
        {
            // It has ended, or closed its input; the kill below is for the latter.
            log::info!("cannot send the cancellation to the measuring process: {error}");
        }
        lock(&self.shared.kill_at).get_or_insert(Instant::now() + PATIENCE);
    }
}

impl<T> Drop for Child<T> {
    fn drop(&mut self) {
        // Fails if it has ended already.
        drop(lock(&self.shared.process).kill());
    }
}

/// A panic elsewhere leaves nothing half-done in what these locks guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn for_each_line(stream: Option<impl Read>, mut act: impl FnMut(&str)) {
    let Some(stream) = stream else { return };
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut stream).take(LONGEST_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim();
                if !text.is_empty() {
                    act(text);
                }
            }
        }
    }
}

/// Waits for the end of the process, kills it after its time limit, and reports its end after its last line.
fn watch<T>(shared: &Shared, readers: &[JoinHandle<()>], sender: &Sender<Message<T>>, ctx: &Context) {
    let mut is_killed = false;
    let status = loop {
        match lock(&shared.process).try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) => {}
            Err(error) => break Err(error),
        }
        if lock(&shared.kill_at).is_some_and(|time| time <= Instant::now()) && !is_killed {
            is_killed = lock(&shared.process).kill().is_ok();
        }
        thread::sleep(POLL_INTERVAL);
    };
    // A process that it started may hold the pipe open: then its last lines are lost.
    let patience = Instant::now() + Duration::from_secs(1);
    while readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < patience {
        thread::sleep(Duration::from_millis(5));
    }
    let errors = lock(&shared.errors).iter().cloned().collect::<Vec<_>>().join("\n");
    let ending = Ending {
        is_success: status.as_ref().is_ok_and(ExitStatus::success),
        is_killed,
        words: [status.map_or_else(|error| error.to_string(), |status| status.to_string()), errors]
            .into_iter()
            .filter(|words| !words.is_empty())
            .collect::<Vec<_>>()
            .join(": "),
    };
    drop(sender.send(Message::Ended(ending)));
    ctx.request_repaint();
}
