//! How far many runs are, on standard error, where somebody sits at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossover_model::regulation::tuning::Watch;

/// How often it is told; nothing is told of what takes less.
const INTERVAL: Duration = Duration::from_millis(500);

/// Does work of many runs and tells how many of them are done.
pub(super) fn watched<T>(work: impl FnOnce(Watch<'_>) -> T) -> T {
    let runs = AtomicUsize::new(0);
    let (working, ends) = channel::<()>();
    thread::scope(|scope| {
        if io::stderr().is_terminal() {
            let runs = &runs;
            scope.spawn(move || {
                let mut is_told = false;
                while ends.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    is_told = true;
                    tell(&format!("\rcrossover: {} runs", runs.load(Ordering::Relaxed)));
                }
                if is_told {
                    // The line is wiped, so that the result stands alone.
                    tell("\r\x1b[K");
                }
            });
        }
        let result = work(Watch { is_cancelled: &|| false, done: &runs });
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
