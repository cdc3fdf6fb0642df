//! `gpu-bench run --events`: one line of JSON per step for another program, which can cancel the run.
//!
//! The other program reads [`Event`]s from standard output and may write the line `cancel` to standard input.
//! The end of standard input cancels too, so that a run does not outlive that program.

use std::io::{self, BufRead as _, Write as _};
use std::thread;

use anyhow::{Context as _, Result};
use crossover_harness::Cancel;

use crate::runner::Event;

/// The line that cancels the run.
const CANCEL: &str = "cancel";

/// Writes the events of a run to standard output.
#[derive(Debug)]
pub(super) struct EventStream {
    cancel: Cancel,
}

impl EventStream {
    /// Starts to read standard input.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn new(cancel: Cancel) -> Result<Self> {
        let request = cancel.clone();
        let read = move || {
            let mut lines = io::stdin().lock().lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| line.trim() != CANCEL)) {}
            request.request();
        };
        thread::Builder::new()
            .name("cancel".to_owned())
            .spawn(read)
            .context("cannot start the thread that reads cancellations")?;
        Ok(Self { cancel })
    }

    /// Writes an event. If standard output is closed, the run ends; its results are kept.
    #[expect(clippy::disallowed_methods, reason = "JSON for the program that reads it")]
    pub(super) fn on_event(&self, event: &Event) {
        let mut output = io::stdout().lock();
        let written = serde_json::to_writer(&mut output, event).map_err(io::Error::from);
        if written.and_then(|()| writeln!(output)).and_then(|()| output.flush()).is_err() {
            self.cancel.request();
        }
    }
}
