//! The results of an earlier run, read from their folder without changes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::FleetError;
use crate::ledger::{Ledger, NAME};
use crate::outcomes::Outcomes;
use crate::tables;

/// What is wrong with results that are damaged.
pub const DAMAGED: &str = "the ledger is damaged, or of another version, and lacks logs that the tables had";

/// The results of an earlier run.
#[derive(Debug)]
pub struct Opened {
    /// Their folder.
    pub folder: PathBuf,
    /// The results, as of a run that finds nothing new.
    pub outcomes: Outcomes,
    /// Whether the run has ended; otherwise the results are partial.
    pub has_ended: bool,
    /// Whether results are missing that the tables of the run had: [`DAMAGED`].
    pub is_damaged: bool,
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
    let (has_ended, shard) = (ledger.has_ended(), ledger.done().map_or((1, 1), |done| done.shard));
    let outcomes = outcomes_of(ledger);
    let is_damaged = is_damaged(&outcomes);
    Ok(Opened { folder: folder.to_owned(), outcomes, has_ended, is_damaged, shard })
}

/// The results in a ledger, as of a run that finds nothing new.
pub(crate) fn outcomes_of(ledger: Ledger) -> Outcomes {
    let keys = ledger.counting();
    let (mut left_out, mut kept) = (Vec::new(), BTreeMap::new());
    if let Some(done) = ledger.done() {
        (left_out, kept) = (done.left_out.clone(), done.kept.clone());
    }
    let unchanged = keys.len();
    let (missing, gone) = (Vec::new(), BTreeSet::new());
    Outcomes { ledger, keys, left_out, missing, kept, gone, read: 0, unchanged, tables_written: false }
}

/// Whether a run has ended and its ledger lacks results that the tables had: a damaged line loses its log. Tables of another
/// version have another digest, too.
pub(crate) fn is_damaged(outcomes: &Outcomes) -> bool {
    let done = outcomes.ledger.done().filter(|done| outcomes.ledger.has_ended() && !done.tables.is_empty());
    done.is_some_and(|done| done.tables != tables::digest(outcomes))
}
