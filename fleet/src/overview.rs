//! What all applications come to: which bring most of the saving, and what blocks the others.

use std::collections::BTreeMap;

use crate::application::{Blocker, Range, Summary, Verdict};
use crate::chosen::choose;
use crate::find::LeftOut;
use crate::ledger::Known;
use crate::outcomes::Outcomes;
use crate::spread::Sum;
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
        let (mut verdicts, mut blockers, mut today_seconds) = (BTreeMap::new(), BTreeMap::new(), 0.0);
        let (mut there, mut today, mut usd, mut moving) = (Sum::default(), 0.0, Some(0.0), 0);
        for (_, summary) in &applications {
            *verdicts.entry(summary.verdict).or_default() += 1;
            today_seconds += summary.seconds.unwrap_or(0.0);
            if summary.verdict != Verdict::Move {
                if let Some(first) = summary.blocked_by.first() {
                    *blockers.entry(*first).or_default() += 1;
                }
                continue;
            }
            let Some((gpu, seconds)) = summary.gpu.zip(summary.seconds) else { continue };
            moving += 1;
            let staying = summary.staying_seconds;
            let deviations = summary.deviations.iter().map(|(query, deviation)| (query.as_str(), *deviation));
            there.add_all(gpu.value - staying, deviations);
            today += seconds - staying;
            usd = usd.zip(summary.saved_usd()).map(|(sum, saved)| sum + saved);
        }
        applications
            .sort_by(|(a_log, a), (b_log, b)| saved(b).total_cmp(&saved(a)).then(a_log.head.key.cmp(&b_log.head.key)));
        let Range { value, low, high } = there.range(0.0);
        let seconds = Range { value: today - value, low: today - high, high: today - low };
        let saving = Saving { applications: moving, seconds, usd: usd.filter(|_| moving > 0) };
        Self { applications, left_out, verdicts, blockers, today_seconds, saving }
    }

    /// How few applications bring this share of the time that is saved: "40 of 312 applications bring 80 %". `None` if nothing is
    /// saved.
    #[must_use]
    pub fn few_for(&self, share: f64) -> Option<usize> {
        let worth = |summary: &Summary| saved(summary).max(0.0);
        let all: f64 = self.applications.iter().map(|(_, summary)| worth(summary)).sum();
        let mut sum = 0.0;
        let reaches = |(_, summary): &(&Known, &Summary)| {
            sum += worth(summary);
            sum >= share * all * (1.0 - 1e-9)
        };
        (all > 0.0).then(|| self.applications.iter().position(reaches)).flatten().map(|place| place + 1)
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
