//! Interrupts of a command that changes jobs: after the first one it restores what it changed and ends, after the second one it
//! ends at once.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};

/// Interrupts so far; none arrive in a command that does not handle them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupts(Arc<Arrivals>);

#[derive(Debug, Default)]
struct Arrivals {
    count: Mutex<u32>,
    has_changed: Condvar,
}

impl Interrupts {
    /// Those of this process from now on: Ctrl-C, and the signals that end a process in order.
    ///
    /// # Errors
    /// They cannot be handled.
    pub(crate) fn handled() -> Result<Self> {
        let interrupts = Self::default();
        let handled = interrupts.clone();
        ctrlc::set_handler(move || handled.add())
            .context("cannot handle Ctrl-C, which would leave jobs held or suspended")?;
        Ok(interrupts)
    }

    /// Whether there was one: the command restores what it changed, and ends.
    pub(crate) fn is_any(&self) -> bool {
        *self.count() > 0
    }

    /// Whether there were several: the command ends at once.
    pub(crate) fn is_repeated(&self) -> bool {
        *self.count() > 1
    }

    /// Waits so long, or until the first one.
    pub(crate) fn pause(&self, time: Duration) {
        self.wait(time, 1);
    }

    /// Waits so long while something is restored, or until the second one.
    pub(crate) fn pause_restoring(&self, time: Duration) {
        self.wait(time, 2);
    }

    fn wait(&self, time: Duration, most: u32) {
        let waited = self.0.has_changed.wait_timeout_while(self.count(), time, |count| *count < most);
        drop(waited);
    }

    fn add(&self) {
        *self.count() += 1;
        self.0.has_changed.notify_all();
    }

    fn count(&self) -> MutexGuard<'_, u32> {
        self.0.count.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than any test may take.
    const LONG: Duration = Duration::from_hours(1);

    #[test]
    fn the_first_interrupt_ends_pauses_and_the_second_one_those_of_restoring() {
        let interrupts = Interrupts::default();
        interrupts.pause(Duration::ZERO);
        assert!(!interrupts.is_any() && !interrupts.is_repeated());
        interrupts.add();
        interrupts.pause(LONG);
        assert!(interrupts.is_any() && !interrupts.is_repeated());
        let other = interrupts.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || other.add());
            interrupts.pause_restoring(LONG);
        });
        assert!(interrupts.is_repeated());
    }
}
