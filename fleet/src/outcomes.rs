//! The result of a run, for tables and summaries.

use std::collections::{BTreeMap, BTreeSet};

use crate::found::LeftOut;
use crate::ledger::{Ledger, LedgerEntry};

/// The result of a run.
#[derive(Debug)]
pub struct Outcomes {
    /// The ledger with all logs.
    pub ledger: Ledger,
    /// Keys of the logs that exist.
    pub keys: BTreeSet<String>,
    /// Files that are not logs, or cannot be read now.
    pub left_out: Vec<LeftOut>,
    /// Named paths that cannot be read now, and why.
    pub missing: Vec<LeftOut>,
    /// Logs that cannot be read now and count with the results of the previous run, and why.
    pub kept: BTreeMap<String, String>,
    /// Keys of logs in the ledger that no longer exist: their folder was read.
    pub gone: BTreeSet<String>,
    /// Number of logs read in this run.
    pub read: usize,
    /// Number of unchanged logs.
    pub unchanged: usize,
    /// Whether the tables were written.
    pub tables_written: bool,
}

impl Outcomes {
    /// The logs that exist, by path.
    pub fn logs(&self) -> impl Iterator<Item = &LedgerEntry> {
        self.ledger.entries().iter().filter(|(key, _)| self.keys.contains(*key)).map(|(_, known)| known)
    }
}
