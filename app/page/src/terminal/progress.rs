//! How far a long computation is, on standard error, where somebody sits at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How often it is told; nothing is told of what takes less.
const INTERVAL: Duration = Duration::from_millis(500);

/// Works, and tells how far that is by a line that `line` makes.
pub fn told_while<T>(line: impl Fn() -> String + Sync, work: impl FnOnce() -> T) -> T {
    let (working, ends) = channel::<()>();
    thread::scope(|scope| {
        if io::stderr().is_terminal() {
            let line = &line;
            scope.spawn(move || {
                let mut is_told = false;
                while ends.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    is_told = true;
                    tell(&format!("\rcrossover: {}\x1b[K", line()));
                }
                if is_told {
                    // The line is wiped, so that the result stands alone.
                    tell("\r\x1b[K");
                }
            });
        }
        let result = work();
        drop(working);
        result
    })
}

/// If standard error is closed, nobody wants it.
fn tell(text: &str) {
    let mut messages = io::stderr();
    _ = messages.write_all(text.as_bytes());
    _ = messages.flush();
}
