//! The results of an earlier run, read from their folder without changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::FleetError;
use crate::ledger::{Ledger, NAME};
use crate::outcomes::Outcomes;

/// The results of an earlier run.
#[derive(Debug)]
pub struct Opened {
    /// Their folder.
    pub folder: PathBuf,
    /// The results, as of a run that finds nothing new.
    pub outcomes: Outcomes,
    /// Whether the run has ended; otherwise the results are partial.
    pub has_ended: bool,
    /// Which shard it is, counted from 1, and of how many.
    pub shard: (usize, usize),
}

/// Whether a folder has a ledger.
#[must_use]
pub fn has_results(folder: &Path) -> bool {
    folder.join(NAME).is_file()
}

/// Reads the results in a folder, or in the folder of one of its files. They come from the ledger: only it has the queries of
/// each application without reading all others, and the uncertainty of sums.
///
/// # Errors
/// [`FleetError::NoLedger`]: there are no results.
pub fn open(path: &Path) -> Result<Opened, FleetError> {
    let folder = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    let ledger = Ledger::of(folder)?;
    let (keys, has_ended) = (ledger.counting(), ledger.has_ended());
    let (mut left_out, mut kept, mut shard) = (Vec::new(), BTreeMap::new(), (1, 1));
    if let Some(done) = ledger.done() {
        (left_out, kept, shard) = (done.left_out.clone(), done.kept.clone(), done.shard);
    }
    let unchanged = keys.len();
    let (missing, gone) = (Vec::new(), BTreeSet::new());
    let outcomes = Outcomes { ledger, keys, left_out, missing, kept, gone, read: 0, unchanged, tables_written: false };
    Ok(Opened { folder: folder.to_owned(), outcomes, has_ended, shard })
}
