//! How an import is watched and ended.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::ImportError;

/// Progress of an import, and the wish to end it. Shared between the thread that imports and the one that watches.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Asks the import to end soon.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// An error if the user asked for the end.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`].
    pub fn check(&self) -> Result<(), ImportError> {
        if self.cancelled.load(Ordering::Relaxed) { Err(ImportError::Cancelled) } else { Ok(()) }
    }

    /// Bytes of the file read so far, and in all (0 while unknown).
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Says how many bytes there are in all.
    pub fn set_total(&self, bytes: u64) {
        self.total.store(bytes, Ordering::Relaxed);
    }

    /// Says that so many more bytes of the file were read.
    pub fn add(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}
