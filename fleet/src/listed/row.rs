//! One application of the list.

use super::pattern::pattern;
use crate::application::{Blocker, Range, Summary, Verdict};
use crate::chosen::choose;
use crate::ledger::Known;
use crate::outcomes::Outcomes;
use crate::tables::rows::id_of;

/// One application of the list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Path of its log, by which the ledger knows it.
    pub log: String,
    /// Its id; the log's path where it has none.
    pub id: String,
    /// What it calls itself; its id where it has no name.
    pub name: String,
    /// Who ran it.
    pub user: String,
    /// Queue, pool or namespace.
    pub queue: String,
    /// How many queries it has.
    pub queries: u64,
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// The same with its queries on the GPU cluster, seconds.
    pub gpu: Option<Range>,
    /// Time of it that stays whatever happens, seconds.
    pub staying_seconds: f64,
    /// What is saved; negative where it is slower there, seconds.
    pub saved_seconds: Option<f64>,
    /// What is saved; negative where it costs more there, US dollars.
    pub saved_usd: Option<f64>,
    /// Chance that it is faster there, 0 … 1.
    pub chance: Option<f64>,
    /// What to do with it.
    pub verdict: Verdict,
    /// What keeps it from moving, the most important first.
    pub blocked_by: Vec<Blocker>,
    /// As [`Summary::deviations`].
    pub deviations: Vec<(String, f64)>,
    /// Its name without numbers.
    pub pattern: String,
    /// Name, id, user and queue in small letters.
    pub(super) searched: String,
}

impl Row {
    /// The row of an application, which this log tells of.
    #[must_use]
    pub fn new(log: &str, summary: &Summary) -> Self {
        let id = id_of(log, summary).to_owned();
        let name = if summary.name.trim().is_empty() { id.clone() } else { summary.name.clone() };
        let searched = [name.as_str(), &id, &summary.user, &summary.queue].join("\n").to_lowercase();
        Self {
            log: log.to_owned(),
            pattern: pattern(&name),
            id,
            name,
            user: summary.user.clone(),
            queue: summary.queue.clone(),
            queries: summary.queries,
            seconds: summary.seconds,
            gpu: summary.gpu,
            staying_seconds: summary.staying_seconds,
            saved_seconds: summary.saved_seconds(),
            saved_usd: summary.saved_usd(),
            chance: summary.chance,
            verdict: summary.verdict,
            blocked_by: summary.blocked_by.clone(),
            deviations: summary.deviations.clone(),
            searched,
        }
    }

    /// What it saves if it is to move; nothing else counts, seconds.
    #[must_use]
    pub fn brings(&self) -> f64 {
        if self.verdict == Verdict::Move { self.saved_seconds.unwrap_or(0.0).max(0.0) } else { 0.0 }
    }

    /// What keeps it from moving, if it does not move.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        self.blocked_by.first().copied().filter(|_| self.verdict != Verdict::Move)
    }
}

/// The applications that count, by id.
#[must_use]
pub fn rows(outcomes: &Outcomes) -> Vec<Row> {
    let row = |(log, summary): (&Known, &Summary)| Row::new(&log.head.key, summary);
    choose(outcomes.logs()).applications.into_iter().map(row).collect()
}
