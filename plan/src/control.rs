//! Progress and cancellation of an import.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::ImportError;

/// Progress of an import, and its cancellation. Shared between the importing and the watching thread.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    files_done: AtomicU64,
    files: AtomicU64,
}

impl Control {
    /// Cancels the import.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// An error if the user cancelled.
    ///
    /// # Errors
    /// [`ImportError::Cancelled`].
    pub fn check(&self) -> Result<(), ImportError> {
        if self.is_cancelled() { Err(ImportError::Cancelled) } else { Ok(()) }
    }

    /// Bytes of the file read so far, and in all (0 while unknown).
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Sets the total bytes.
    pub fn set_total(&self, bytes: u64) {
        self.total.store(bytes, Ordering::Relaxed);
    }

    /// Files read so far, and in all (0 while unknown).
    #[must_use]
    pub fn files(&self) -> (u64, u64) {
        (self.files_done.load(Ordering::Relaxed), self.files.load(Ordering::Relaxed))
    }

    /// Sets the total files.
    pub fn set_files(&self, files: u64) {
        self.files.store(files, Ordering::Relaxed);
    }

    /// Counts one more file as read.
    pub fn add_file(&self) {
        self.files_done.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the user cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Counts more bytes as read.
    pub fn add(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }
}
