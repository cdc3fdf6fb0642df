//! Unsaved work of an earlier run, until its document is open.

use std::path::PathBuf;

use crossover_page::compute::guarded::guarded;
use crossover_scenario::Scenario;

use crate::storage::recovery::Snapshot;

/// Unsaved work of an earlier run.
pub(super) struct Offer {
    pub(super) snapshot: Snapshot,
    /// Where it is on disk.
    pub(super) file: PathBuf,
}

/// Unsaved work of an earlier run, and its scenario or why it cannot be read.
pub(super) type ReadOffer = (Offer, Result<Box<Scenario>, String>);

impl Offer {
    /// With its scenario, which may have the plans of a whole application: read on another thread.
    pub(super) fn read(self) -> ReadOffer {
        let read = || crossover_scenario::read(&self.snapshot.text).map(Box::new).map_err(|error| error.to_string());
        let read = guarded("unsaved work", read).unwrap_or_else(Err);
        (self, read)
    }
}
