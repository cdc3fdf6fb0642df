//! Network requests with timeouts, cancellation and retries.

use std::error::Error;
use std::fmt::{self, Display};
use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crossover_plan::Control;
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// Polling interval of cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// After this many failed requests in a row a server gets one try per request, so that a dead server costs little time.
const DOWN: u32 = 3;

/// Limits for retries and timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    /// Tries of a request.
    pub tries: u32,
    /// Wait before the second try; it doubles with each try.
    pub first_wait: Duration,
    /// Longest wait between two tries.
    pub longest_wait: Duration,
    /// Longest time without a byte of a response.
    pub silence: Duration,
}

impl Default for RetryLimits {
    /// A dead server fails after 6 s if it refuses connections, and after 3 min if it does not respond.
    fn default() -> Self {
        Self {
            tries: 6,
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(10),
            silence: Duration::from_secs(30),
        }
    }
}

/// Kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A retry may help: a lost connection, a busy server.
    Passing,
    /// A retry does not help.
    Lasting,
    /// Access denied.
    Refused,
    /// Not found.
    Missing,
    /// The user cancelled.
    Cancelled,
}

/// A failed network request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    /// The message, without a full stop.
    pub(super) why: String,
}

impl Failure {
    pub(super) fn new(kind: Kind, why: impl Into<String>) -> Self {
        Self { kind, why: why.into() }
    }

    pub(super) fn passing(why: impl Into<String>) -> Self {
        Self::new(Kind::Passing, why)
    }

    pub(super) fn lasting(why: impl Into<String>) -> Self {
        Self::new(Kind::Lasting, why)
    }

    /// The failure in an error of a reader.
    pub(super) fn of(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(|error| Self::lasting(error.to_string()))
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.why)
    }
}

impl Error for Failure {}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        let kind = match failure.kind {
            Kind::Refused => io::ErrorKind::PermissionDenied,
            Kind::Missing => io::ErrorKind::NotFound,
            Kind::Passing | Kind::Lasting | Kind::Cancelled => io::ErrorKind::Other,
        };
        Self::new(kind, failure)
    }
}

/// A connection to one server.
#[derive(Debug)]
pub(super) struct Connection {
    runtime: Arc<Runtime>,
    control: Arc<Control>,
    retry_limits: RetryLimits,
    /// Failed requests in a row.
    given_up: AtomicU32,
}

impl Connection {
    pub(super) fn new(runtime: Arc<Runtime>, control: Arc<Control>, retry_limits: RetryLimits) -> Self {
        Self { runtime, control, retry_limits, given_up: AtomicU32::new(0) }
    }

    /// Waits for a future.
    ///
    /// # Errors
    /// It takes too long, or the user cancelled.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let silence = self.retry_limits.silence;
        self.runtime.block_on(async {
            let begun = Instant::now();
            let mut future = pin!(future);
            loop {
                self.check()?;
                match timeout(POLL_INTERVAL.min(silence), &mut future).await {
                    Ok(output) => return Ok(output),
                    Err(_) if begun.elapsed() >= silence => {
                        return Err(Failure::passing(format!("no response for {} s", silence.as_secs_f64())));
                    }
                    Err(_) => {}
                }
            }
        })
    }

    /// Repeats a request as long as a retry may help.
    ///
    /// # Errors
    /// The last failure, with the number of tries.
    pub(super) fn retry<T>(&self, mut once: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
        let is_down = self.given_up.load(Ordering::Relaxed) >= DOWN;
        // All but the last are used up.
        let mut tries = if is_down { Tries(self.retry_limits.tries.saturating_sub(1)) } else { Tries::default() };
        loop {
            let failure = match once() {
                Ok(output) => {
                    self.given_up.store(0, Ordering::Relaxed);
                    return Ok(output);
                }
                Err(failure) => failure,
            };
            let was_passing = failure.kind == Kind::Passing;
            if let Err(failure) = self.pause(&mut tries, failure) {
                if was_passing && failure.kind != Kind::Cancelled {
                    self.given_up.fetch_add(1, Ordering::Relaxed);
                }
                return Err(failure);
            }
        }
    }

    /// Waits before the next try.
    ///
    /// # Errors
    /// A retry does not help, there were too many tries, or the user cancelled.
    pub(super) fn pause(&self, tries: &mut Tries, failure: Failure) -> Result<(), Failure> {
        if failure.kind != Kind::Passing {
            return Err(failure);
        }
        tries.0 += 1;
        if tries.0 >= self.retry_limits.tries {
            return Err(Failure::lasting(format!("{}; given up after {} tries", failure.why, tries.0)));
        }
        let doubled = self.retry_limits.first_wait.saturating_mul(1 << (tries.0 - 1).min(20));
        let until = Instant::now() + doubled.min(self.retry_limits.longest_wait);
        while let left = until.saturating_duration_since(Instant::now())
            && !left.is_zero()
        {
            self.check()?;
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
        self.check()
    }

    fn check(&self) -> Result<(), Failure> {
        let end = || Failure::new(Kind::Cancelled, "cancelled");
        if self.control.is_cancelled() { Err(end()) } else { Ok(()) }
    }
}

/// Failed tries of a request.
#[derive(Debug, Default)]
pub(super) struct Tries(u32);

/// A server's text as one line of limited length, without control characters.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text.chars().take(LONGEST).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line.trim().to_owned()
}

/// An error with its sources, each once.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    text
}
