//! Taking times honestly: how many samples, when to stop, and what they say.

pub mod sampling;
pub mod statistics;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish to end the run, seen between two samples.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
