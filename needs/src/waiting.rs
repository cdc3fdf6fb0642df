//! Waiting for what another thread or another process does. A test waits for the condition that it means; all
//! share one deadline, after which the test fails and names the condition.

use std::ffi::OsStr;
use std::time::{Duration, Instant};
use std::{env, thread};

/// Environment variable: a factor for the [`deadline`] of waits in tests, for machines that are slow or busy.
pub const TEST_PATIENCE: &str = "CROSSOVER_TEST_PATIENCE";

/// Long enough for whatever a test starts, on a machine with other work.
const BASE_DEADLINE: Duration = Duration::from_mins(1);
/// Short, because some conditions hold only for a while: that something is under way and can be cancelled.
const POLL_INTERVAL: Duration = Duration::from_micros(200);
/// Beyond this a test waits for days.
const LARGEST_FACTOR: f64 = 1e4;

/// How long a test waits for anything: a minute, times the factor in [`TEST_PATIENCE`]. For waits that take a limit
/// themselves, such as `recv_timeout`, and for processes; all others call [`wait_until`] or [`wait_for`].
///
/// # Panics
/// If [`TEST_PATIENCE`] is no factor.
#[must_use]
pub fn deadline() -> Duration {
    let factor = factor(env::var_os(TEST_PATIENCE).as_deref());
    BASE_DEADLINE.mul_f64(factor.unwrap_or_else(|problem| panic!("{problem}")))
}

/// Waits until the condition holds. `what` completes "still waiting for".
///
/// # Panics
/// If it does not hold within the [`deadline`].
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// Waits until there is a value. `what` completes "still waiting for".
///
/// # Panics
/// If there is none within the [`deadline`].
#[track_caller]
pub fn wait_for<T>(what: &str, mut value: impl FnMut() -> Option<T>) -> T {
    wait_until_ok(what, || value().ok_or(""))
}

/// Waits until an attempt succeeds; the failure names the last reason why it did not. `what` completes "still waiting
/// for".
///
/// # Panics
/// If none succeeds within the [`deadline`].
#[track_caller]
pub fn wait_until_ok<T, E: std::fmt::Display>(what: &str, attempt: impl FnMut() -> Result<T, E>) -> T {
    wait_at_most(deadline(), what, attempt)
}

#[track_caller]
fn wait_at_most<T, E: std::fmt::Display>(limit: Duration, what: &str, mut attempt: impl FnMut() -> Result<T, E>) -> T {
    let start = Instant::now();
    loop {
        // Looked at before the attempt, so that the last one begins after the whole time.
        let is_last = start.elapsed() >= limit;
        match attempt() {
            Ok(value) => return value,
            Err(reason) if is_last => {
                let seconds = start.elapsed().as_secs_f64();
                let reason = reason.to_string();
                let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
                panic!("still waiting for {what} after {seconds:.1} s{reason}; {TEST_PATIENCE} scales this time");
            }
            Err(_) => {}
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// The factor that [`TEST_PATIENCE`] names.
fn factor(value: Option<&OsStr>) -> Result<f64, String> {
    let Some(value) = value else { return Ok(1.0) };
    let factor = value.to_str().and_then(|value| value.trim().parse::<f64>().ok());
    factor.filter(|factor| *factor > 0.0 && *factor <= LARGEST_FACTOR).ok_or_else(|| {
        let value = value.display();
        format!(
            "{TEST_PATIENCE} is \"{value}\"; expected a factor above 0 and up to {LARGEST_FACTOR}, such as 3 or 0.5"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn what_holds_already_is_looked_at_once() {
        let mut polls = 0;
        wait_until("nothing", || {
            polls += 1;
            true
        });
        assert_eq!(polls, 1);
        assert_eq!(wait_for("nothing", || Some(7)), 7);
        assert_eq!(wait_at_most(Duration::ZERO, "nothing", || Ok::<_, String>(8)), 8);
    }

    #[test]
    fn what_another_thread_does_later_is_waited_for() {
        let (sender, receiver) = channel();
        let mut polls = 0;
        thread::scope(|scope| {
            let value = wait_for("the message", || {
                polls += 1;
                // It is sent only when it is waited for already.
                if polls == 3 {
                    let sender = sender.clone();
                    scope.spawn(move || sender.send("here").unwrap());
                }
                receiver.try_recv().ok()
            });
            assert_eq!(value, "here");
        });
        assert!(polls >= 3, "{polls}");
    }

    #[test]
    fn the_failure_says_what_was_waited_for_how_long_and_why_it_was_not_there() {
        let mut polls = 0;
        let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_at_most(Duration::from_millis(5), "the end of time", || {
                polls += 1;
                Err::<(), _>(format!("look {polls}"))
            });
        }));
        let message = *waited.unwrap_err().downcast::<String>().unwrap();
        assert!(message.starts_with("still waiting for the end of time after "), "{message}");
        assert!(message.contains(&format!(" s: look {polls}; {TEST_PATIENCE} scales")), "{message}");
    }

    #[test]
    fn the_factor_is_a_positive_number_and_one_if_none_is_named() {
        let read = |value: &str| factor(Some(OsStr::new(value)));
        assert_eq!(factor(None), Ok(1.0));
        for (value, expected) in [("1", 1.0), ("4", 4.0), ("0.25", 0.25), (" 10 ", 10.0), ("1e3", 1e3)] {
            assert_eq!(read(value), Ok(expected), "{value}");
        }
        for value in ["", "0", "-1", "NaN", "inf", "1e9", "three", "3x"] {
            let problem = read(value).unwrap_err();
            let expected = format!("{TEST_PATIENCE} is {value:?}; expected a factor above 0");
            assert!(problem.starts_with(&expected), "{problem}");
        }
    }
}
