//! `gpu-bench run --events`: a run told to another program, one line of JSON per step, and cancelled by it.
//!
//! The other program reads [`Event`]s from standard output and may write the line `cancel` to standard input.
//! If it ends, standard input ends with it, and that cancels too.

use std::io::{self, BufRead as _, Write as _};
use std::thread;

use anyhow::{Context as _, Result};

use crate::runner::Event;
use crate::timing::Cancel;

/// What asks to end the run.
const CANCEL: &str = "cancel";

/// Tells a run on standard output.
#[derive(Debug)]
pub(super) struct EventStream {
    cancel: Cancel,
}

impl EventStream {
    /// Begins to listen to standard input.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn new(cancel: Cancel) -> Result<Self> {
        let asked = cancel.clone();
        let listen = move || {
            let mut lines = io::stdin().lock().lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| line.trim() != CANCEL)) {}
            asked.ask();
        };
        thread::Builder::new()
            .name("cancel".to_owned())
            .spawn(listen)
            .context("the thread that hears a wish to cancel cannot be started")?;
        Ok(Self { cancel })
    }

    /// Writes an event. If nobody reads it, the run ends: what was measured is kept all the same.
    pub(super) fn hear(&self, event: &Event) {
        let mut output = io::stdout().lock();
        let written = serde_json::to_writer(&mut output, event).map_err(io::Error::from);
        if written.and_then(|()| writeln!(output)).and_then(|()| output.flush()).is_err() {
            self.cancel.ask();
        }
    }
}
