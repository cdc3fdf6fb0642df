//! What a run did, for tables and summaries.

use std::collections::{BTreeMap, BTreeSet};

use crate::found::LeftOut;
use crate::ledger::{Known, Ledger};

/// What a run did.
#[derive(Debug)]
pub struct Outcomes {
    /// The ledger with all logs.
    pub ledger: Ledger,
    /// Keys of the logs that are there.
    pub keys: BTreeSet<String>,
    /// What is no log, or cannot be read now.
    pub left_out: Vec<LeftOut>,
    /// Of the paths that were named those that cannot be looked at now, and why.
    pub missing: Vec<LeftOut>,
    /// Of the logs those that could not be looked at now: they count as the run before read them, and why.
    pub kept: BTreeMap<String, String>,
    /// Keys of logs of the ledger that are there no more: the place where they lay was looked at.
    pub gone: BTreeSet<String>,
    /// Logs that were read in this run.
    pub read: usize,
    /// Logs that had not changed.
    pub unchanged: usize,
    /// Whether the tables were written anew.
    pub tables_written: bool,
}

impl Outcomes {
    /// The logs that are there, by path.
    pub fn logs(&self) -> impl Iterator<Item = &Known> {
        self.ledger.known().iter().filter(|(key, _)| self.keys.contains(*key)).map(|(_, known)| known)
    }
}
