//! One application of the list.

use super::pattern::pattern;
use crate::application::{Range, Summary, Tie, Verdict, blockers, is_kept, limits};
use crate::blocker::Blocker;
use crate::ledger::LedgerEntry;
use crate::outcomes::Outcomes;
use crate::portfolio::Item;
use crate::selection::select;
use crate::tables::rows::id_of;

/// One application of the list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Path of its log, the key in the ledger.
    pub log: String,
    /// Its id, or the log's path if it has none.
    pub id: String,
    /// Its name, or its id if it has none.
    pub name: String,
    /// User who ran it.
    pub user: String,
    /// Queue, pool or namespace.
    pub queue: String,
    /// Number of queries.
    pub queries: u64,
    /// From start to end, seconds.
    pub seconds: Option<f64>,
    /// The option that its time, cost and likelihood are of.
    pub option: String,
    /// The same for a narrow column: of several options their engines.
    pub short_option: String,
    /// As [`Summary::tie`].
    pub tie: Option<Tie>,
    /// The engine of that option.
    pub option_engine: String,
    /// The same with its queries in the option, seconds.
    pub option_time: Option<Range>,
    /// Time that a move does not change, seconds.
    pub staying_seconds: f64,
    /// Saved time; negative if slower, seconds.
    pub saved_seconds: Option<f64>,
    /// Saved cost; negative if it costs more, US dollars.
    pub saved_usd: Option<f64>,
    /// Likelihood of being cheaper within the time limit, 0 … 1.
    pub likelihood: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// Its blockers, the most important first.
    pub blocked_by: Vec<Blocker>,
    /// What it is in a portfolio, with savings of one run; `None` if it does not move or has no price.
    pub item: Option<Item>,
    /// Whether the price of today's machines is taken from other machines.
    pub is_price_assumed: bool,
    /// As [`Summary::standard_deviations`].
    pub standard_deviations: Vec<(String, f64)>,
    /// Its name without numbers.
    pub pattern: String,
    /// Name, id, user and queue in lower case.
    pub(super) searched: String,
}

impl Row {
    /// The row of the application of a log.
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
            option: summary.option.clone(),
            short_option: summary.short_option.clone(),
            tie: summary.tie.clone(),
            option_engine: summary.option_engine.clone(),
            option_time: summary.option_time,
            staying_seconds: summary.staying_seconds,
            saved_seconds: summary.saved_seconds(),
            saved_usd: summary.saved_usd(),
            likelihood: summary.likelihood,
            verdict: summary.verdict,
            blocked_by: summary.blocked_by.clone(),
            item: Item::of(summary, 1.0),
            is_price_assumed: summary.is_price_assumed(),
            standard_deviations: summary.standard_deviations.clone(),
            searched,
        }
    }

    /// Saved time if it is to move, else 0, seconds.
    #[must_use]
    pub fn brings(&self) -> f64 {
        if self.verdict == Verdict::Move { self.saved_seconds.unwrap_or(0.0).max(0.0) } else { 0.0 }
    }

    /// As [`Summary::blockers`].
    #[must_use]
    pub fn blockers(&self) -> &[Blocker] {
        blockers(self.verdict, &self.blocked_by)
    }

    /// As [`Summary::limits`].
    #[must_use]
    pub fn limits(&self) -> &[Blocker] {
        limits(self.verdict, &self.blocked_by)
    }

    /// What keeps it from moving: its first blocker; `None` if it is to move or to be tried.
    #[must_use]
    pub fn blocker(&self) -> Option<Blocker> {
        self.blocked_by.first().copied().filter(|_| is_kept(self.verdict))
    }
}

/// The applications that count, by id.
#[must_use]
pub fn rows(outcomes: &Outcomes) -> Vec<Row> {
    let row = |(log, summary): (&LedgerEntry, &Summary)| Row::new(&log.head.key, summary);
    select(outcomes.logs()).applications.into_iter().map(row).collect()
}
