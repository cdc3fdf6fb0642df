//! Which log of an application counts: of several attempts, and of copies, the latest complete one.

use std::collections::BTreeMap;

use crate::application::Summary;
use crate::found::LeftOut;
use crate::ledger::LedgerEntry;

/// The logs that count, in the order of the tables, and the others with the reason.
#[derive(Debug, Default)]
pub struct Selection<'a> {
    /// By application, attempt and path.
    pub applications: Vec<(&'a LedgerEntry, &'a Summary)>,
    /// By path.
    pub left_out: Vec<LeftOut>,
}

/// Selects one log of each application id.
pub fn select<'a>(logs: impl IntoIterator<Item = &'a LedgerEntry>) -> Selection<'a> {
    let mut by_id: BTreeMap<&str, (&LedgerEntry, &Summary)> = BTreeMap::new();
    let mut selection = Selection::default();
    for log in logs {
        let summary = match &log.outcome {
            Ok(summary) => summary,
            Err(why) => {
                selection.left_out.push(LeftOut { path: log.head.key.clone(), reason: why.text().to_owned() });
                continue;
            }
        };
        // A log without an id is an application of its own.
        let id = if summary.id.is_empty() { &log.head.key } else { &summary.id };
        let Some(before) = by_id.get(id.as_str()).copied() else {
            by_id.insert(id, (log, summary));
            continue;
        };
        let (kept, other) = if rank(log, summary) > rank(before.0, before.1) {
            ((log, summary), before)
        } else {
            (before, (log, summary))
        };
        by_id.insert(id, kept);
        let what = match (other.1.attempt.as_str(), kept.1.attempt.as_str()) {
            (same, kept) if same == kept => "the same application".to_owned(),
            (attempt, _) => format!("attempt {attempt} of an application"),
        };
        let why = format!("{what} as in {}; only the latest complete log counts", kept.0.head.key);
        selection.left_out.push(LeftOut { path: other.0.head.key.clone(), reason: why });
    }
    selection.applications = by_id.into_values().collect();
    selection.left_out.sort();
    selection
}

/// The log with the greatest rank counts. Paths break ties, so that the order of the logs does not matter.
fn rank<'a>(log: &'a LedgerEntry, summary: &'a Summary) -> impl Ord + use<'a> {
    let attempt: u64 = summary.attempt.parse().unwrap_or(0);
    let path = std::cmp::Reverse(&log.head.key);
    (summary.ended, attempt, &summary.attempt, summary.end_ms, log.head.stamp.bytes, path)
}
