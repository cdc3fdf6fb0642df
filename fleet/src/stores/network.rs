//! Waiting for a network: with a limit, with an end when the user wants it, and again where that may help.

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

/// How often the wish of the user is looked at.
const GLANCE: Duration = Duration::from_millis(100);
/// A place that was given up so often in a row is asked once only, so that many logs of a dead place cost little.
const DOWN: u32 = 3;

/// How long is waited for whoever does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often the same is asked before it is given up.
    pub tries: u32,
    /// Wait before the second try; it doubles with each.
    pub first_wait: Duration,
    /// Longest wait between two tries.
    pub longest_wait: Duration,
    /// Longest time without a byte of an answer.
    pub silence: Duration,
}

impl Default for Patience {
    /// A dead place is given up after 6 s where it refuses connections, and 3 min where it swallows them.
    fn default() -> Self {
        Self {
            tries: 6,
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(10),
            silence: Duration::from_secs(30),
        }
    }
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It may go away: a lost connection, a server that is busy.
    Passing,
    /// It stays.
    Lasting,
    /// Somebody may not do that.
    Refused,
    /// There is nothing.
    Missing,
    /// The user wants the end.
    Cancelled,
}

/// Why something did not come over the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    /// A sentence without an end.
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

    /// The failure that an error of a reader stands for.
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

/// The way to one place.
#[derive(Debug)]
pub(super) struct Connection {
    runtime: Arc<Runtime>,
    control: Arc<Control>,
    patience: Patience,
    /// How often it was given up in a row.
    given_up: AtomicU32,
}

impl Connection {
    pub(super) fn new(runtime: Arc<Runtime>, control: Arc<Control>, patience: Patience) -> Self {
        Self { runtime, control, patience, given_up: AtomicU32::new(0) }
    }

    /// Waits for what a future gives.
    ///
    /// # Errors
    /// It takes too long, or the user wants the end.
    pub(super) fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Failure> {
        let silence = self.patience.silence;
        self.runtime.block_on(async {
            let begun = Instant::now();
            let mut future = pin!(future);
            loop {
                self.go_on()?;
                match timeout(GLANCE.min(silence), &mut future).await {
                    Ok(came) => return Ok(came),
                    Err(_) if begun.elapsed() >= silence => {
                        return Err(Failure::passing(format!("no answer for {} s", silence.as_secs_f64())));
                    }
                    Err(_) => {}
                }
            }
        })
    }

    /// Asks again as long as that may help.
    ///
    /// # Errors
    /// The last failure, with how often that was tried.
    pub(super) fn ask<T>(&self, mut once: impl FnMut() -> Result<T, Failure>) -> Result<T, Failure> {
        let is_down = self.given_up.load(Ordering::Relaxed) >= DOWN;
        // All but the last are used up.
        let mut tries = if is_down { Tries(self.patience.tries.saturating_sub(1)) } else { Tries::default() };
        loop {
            let failure = match once() {
                Ok(came) => {
                    self.given_up.store(0, Ordering::Relaxed);
                    return Ok(came);
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
    /// The failure does not go away, there were enough tries, or the user wants the end.
    pub(super) fn pause(&self, tries: &mut Tries, failure: Failure) -> Result<(), Failure> {
        if failure.kind != Kind::Passing {
            return Err(failure);
        }
        tries.0 += 1;
        if tries.0 >= self.patience.tries {
            return Err(Failure::lasting(format!("{}; given up after {} tries", failure.why, tries.0)));
        }
        let doubled = self.patience.first_wait.saturating_mul(1 << (tries.0 - 1).min(20));
        let until = Instant::now() + doubled.min(self.patience.longest_wait);
        while let left = until.saturating_duration_since(Instant::now())
            && !left.is_zero()
        {
            self.go_on()?;
            std::thread::sleep(left.min(GLANCE));
        }
        self.go_on()
    }

    fn go_on(&self) -> Result<(), Failure> {
        let end = || Failure::new(Kind::Cancelled, "cancelled");
        if self.control.is_cancelled() { Err(end()) } else { Ok(()) }
    }
}

/// How often the same failed.
#[derive(Debug, Default)]
pub(super) struct Tries(u32);

/// What a server said, fit for a sentence: one line, not too long.
pub(super) fn said(text: &str) -> String {
    const LONGEST: usize = 300;
    let mut line: String = text.chars().take(LONGEST).map(|char| if char.is_control() { ' ' } else { char }).collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push('…');
    }
    line.trim().to_owned()
}

/// An error with all that it comes from, each said once.
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
