//! Progress of a run on standard error: one replaced line in a terminal, else one line per measurement.
//!
//! Nothing moves between measurements: drawing would cost the CPU, and in a window the GPU, that is measured.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crossover_quantity::text::one_line;

use super::{message, write_error};
use crate::quantity;
use crate::runner::Event;

/// Longest line: narrower than any usual terminal, because a wrapped line cannot be replaced.
const COLUMNS: usize = 79;

/// Returns to the start of the line and clears it.
const CLEARED: &str = "\r\x1b[2K";

/// Progress of one run.
#[derive(Debug)]
pub(super) struct Progress {
    start: Instant,
    live: bool,
    total: usize,
    what: String,
}

impl Progress {
    pub(super) fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "nothing is written here")]
        let live = io::stderr().is_terminal();
        Self { start: Instant::now(), live, total: 0, what: String::new() }
    }

    /// Shows an event.
    pub(super) fn on_event(&mut self, event: &Event) {
        match event {
            Event::Planned { total, report } => {
                self.total = *total;
                for note in &report.notes {
                    self.print(note);
                }
            }
            Event::Started { index, what } => {
                self.what.clone_from(what);
                if self.live {
                    let line = shortened(&format!("{}  {what}", self.place(*index)));
                    // What is measured has a name of a device in it.
                    show(&format!("{CLEARED}{}", one_line(&line)));
                }
            }
            Event::Finished { index, measurement } if !self.live => {
                let outcome = match (measurement.time, &measurement.reason) {
                    (Some(time), _) => quantity::seconds(time.median_s),
                    (None, Some(reason)) => reason.clone(),
                    (None, None) => "no time".to_owned(),
                };
                _ = write_error(format!("{}  {}: {outcome}\n", self.place(*index), self.what));
            }
            Event::Finished { .. } => {}
            Event::Noted { note } => self.print(note),
            Event::Ended { .. } => self.clear(),
        }
    }

    /// Clears the line and writes a message.
    pub(super) fn print(&self, text: &str) {
        self.clear();
        message(text);
    }

    fn clear(&self) {
        if self.live {
            show(CLEARED);
        }
    }

    /// "[3/12] 00:05".
    fn place(&self, index: usize) -> String {
        format!("[{}/{}] {}", index + 1, self.total, clock(self.start.elapsed()))
    }
}

/// Sends control sequences to a terminal: text from outside is escaped.
#[expect(clippy::disallowed_methods, reason = "the line of progress is replaced by commands to the terminal")]
fn show(text: &str) {
    let mut messages = io::stderr();
    _ = messages.write_all(text.as_bytes()).and_then(|()| messages.flush());
}

/// Minutes and seconds.
fn clock(elapsed: Duration) -> String {
    format!("{:02}:{:02}", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= COLUMNS {
        return line.to_owned();
    }
    line.chars().take(COLUMNS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_written_in_minutes_and_seconds() {
        assert_eq!(clock(Duration::from_millis(5_999)), "00:05");
        assert_eq!(clock(Duration::from_secs(3_723)), "62:03");
    }

    #[test]
    fn a_line_never_wraps() {
        let line = shortened(&"µ".repeat(200));
        assert_eq!((line.chars().count(), line.chars().last()), (79, Some('…')));
        assert_eq!(shortened("short"), "short");
    }
}
