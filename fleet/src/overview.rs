//! What all applications come to: which bring most of the saving, and what blocks the others.

use std::collections::BTreeMap;

use crate::application::{Blocker, Range, Summary, Verdict};
use crate::chosen::choose;
use crate::find::LeftOut;
use crate::ledger::Known;
use crate::listed::{Cumulative, Total};
use crate::outcomes::Outcomes;
use crate::tables;

/// What all applications come to.
#[derive(Debug)]
pub struct Overview<'a> {
    /// All applications, those that save most first, each with its log.
    pub applications: Vec<(&'a Known, &'a Summary)>,
    /// What is no log, and logs that do not count.
    pub left_out: Vec<LeftOut>,
    /// How many have each verdict.
    pub verdicts: BTreeMap<Verdict, usize>,
    /// What keeps those from moving that do not: the first reason of each.
    pub blockers: BTreeMap<Blocker, usize>,
    /// Time of all today, seconds.
    pub today_seconds: f64,
    /// What moving those saves that are to move.
    pub saving: Saving,
}

/// What is saved if all applications move whose verdict says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saving {
    /// How many move.
    pub applications: usize,
    /// Time that is saved, with its 90 % range, seconds.
    pub seconds: Range,
    /// US dollars that are saved, where prices are known.
    pub usd: Option<f64>,
}

impl<'a> Overview<'a> {
    /// Of the outcomes of a run.
    #[must_use]
    pub fn new(outcomes: &'a Outcomes) -> Self {
        let chosen = choose(outcomes.logs());
        let left_out = tables::all_left_out(outcomes, &chosen);
        let mut applications = chosen.applications;
        let (mut verdicts, mut blockers) = (BTreeMap::new(), BTreeMap::new());
        for (_, summary) in &applications {
            *verdicts.entry(summary.verdict).or_default() += 1;
            if summary.verdict != Verdict::Move
                && let Some(first) = summary.blocked_by.first()
            {
                *blockers.entry(*first).or_default() += 1;
            }
        }
        let total = Total::of(applications.iter().map(|(_, summary)| (*summary).into()));
        applications
            .sort_by(|(a_log, a), (b_log, b)| saved(b).total_cmp(&saved(a)).then(a_log.head.key.cmp(&b_log.head.key)));
        let saving = Saving { applications: total.moving, seconds: total.saved(), usd: total.saved_usd };
        Self { applications, left_out, verdicts, blockers, today_seconds: total.seconds, saving }
    }

    /// How few applications bring this share of the time that is saved: "40 of 312 applications bring 80 %". `None` if nothing is
    /// saved.
    #[must_use]
    pub fn few_for(&self, share: f64) -> Option<usize> {
        Cumulative::of(self.applications.iter().map(|(_, summary)| saved(summary))).few_for(share)
    }
}

/// Seconds that an application saves if it is to move; nothing else counts. A cluster that is faster may cost more, so
/// dollars stand beside it.
fn saved(summary: &Summary) -> f64 {
    if summary.verdict != Verdict::Move {
        return f64::NEG_INFINITY;
    }
    summary.saved_seconds().unwrap_or(0.0)
}
