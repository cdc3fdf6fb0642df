//! Progress of a long computation on standard error, if that is a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossover_quantity::text::one_line;

/// Time between updates; a shorter computation shows none.
const INTERVAL: Duration = Duration::from_millis(500);

/// Whether progress is shown: standard error is a terminal.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "nothing is written here")]
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Runs a computation and shows its progress with the text of `line`, on one line.
pub fn with_progress<T>(line: impl Fn() -> String + Sync, work: impl FnOnce() -> T) -> T {
    let (working, ends) = channel::<()>();
    thread::scope(|scope| {
        if is_watched() {
            let line = &line;
            scope.spawn(move || {
                let mut is_shown = false;
                while ends.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    is_shown = true;
                    show(&format!("\rcrossover: {}\x1b[K", one_line(&line())));
                }
                if is_shown {
                    // The line is cleared before the result.
                    show("\r\x1b[K");
                }
            });
        }
        let result = work();
        drop(working);
        result
    })
}

/// Lines on standard error that are drawn again as they change, if that is a terminal. Messages between them need [`clear`](Self::clear)
/// first.
#[derive(Debug)]
pub struct StatusLines {
    /// Lines on the terminal now.
    drawn: usize,
    are_shown: bool,
}

impl StatusLines {
    /// Lines that are shown on a terminal, if `is_wanted`.
    #[must_use]
    pub fn new(is_wanted: bool) -> Self {
        Self { drawn: 0, are_shown: is_wanted && is_watched() }
    }

    /// Whether lines are shown at all.
    #[must_use]
    pub fn are_shown(&self) -> bool {
        self.are_shown
    }

    /// Draws these lines in place of the former ones.
    pub fn show(&mut self, lines: &[String]) {
        if self.are_shown {
            self.clear();
            // A long line is cut off, as one that wraps would be two.
            let one = |line: &String| format!("\x1b[?7l{}\x1b[?7h\n", one_line(line));
            show(&lines.iter().map(one).collect::<Vec<String>>().concat());
            self.drawn = lines.len();
        }
    }

    /// Removes the lines.
    pub fn clear(&mut self) {
        if self.drawn > 0 {
            show(&format!("\x1b[{}A\x1b[J", self.drawn));
            self.drawn = 0;
        }
    }
}

/// Ignored if standard error is closed. The text commands the terminal: what comes from outside is escaped in it.
#[expect(clippy::disallowed_methods, reason = "the line of progress is replaced by commands to the terminal")]
fn show(text: &str) {
    let mut messages = io::stderr();
    _ = messages.write_all(text.as_bytes());
    _ = messages.flush();
}
