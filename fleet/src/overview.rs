//! The sum of all applications: which bring most of the saving, and what blocks the others.

use std::collections::BTreeMap;

use crossover_decision::Objective;
use crossover_plan::history::Histories;
use crossover_quantity::text::counted;

use crate::application::{Range, Summary, Verdict};
use crate::base::Base;
use crate::blocker::Blocker;
use crate::costs::{ApplicationCosts, Costs};
use crate::effort::{EffortSum, Recurrence};
use crate::found::LeftOut;
use crate::frequency::Frequency;
use crate::ledger::{LedgerEntry, Rejection};
use crate::listed::{Cumulative, Total};
use crate::outcomes::Outcomes;
use crate::portfolio::{Budget, Item, Portfolio};
use crate::selection::select;
use crate::tables;
use crate::tables::rows::id_of;

/// Queries with contradicting runs that are named.
const CONTRADICTIONS: usize = 3;

/// The sum of all applications.
#[derive(Debug)]
pub struct Overview<'a> {
    /// All applications with their logs: largest saving first, without a prediction last.
    pub applications: Vec<(&'a LedgerEntry, &'a Summary)>,
    /// Files that are not logs, and logs that do not count.
    pub left_out: Vec<LeftOut>,
    /// Number of them without a base for their engine.
    pub without_base: usize,
    /// Number of applications by verdict.
    pub verdicts: BTreeMap<Verdict, usize>,
    /// Number of applications that are neither to move nor to be tried, by their first blocker.
    pub blockers: BTreeMap<Blocker, usize>,
    /// From the first start to the last end, milliseconds since 1970; `None` if no log has times.
    pub period_ms: Option<(u64, u64)>,
    /// Time of all today, seconds.
    pub today_seconds: f64,
    /// The saving of the applications to move.
    pub saving: Saving,
}

/// The saving of all applications with the verdict “move”.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saving {
    /// Number of applications to move.
    pub applications: usize,
    /// Saved time with its 90 % interval, seconds.
    pub seconds: Range,
    /// Saved cost of those with a price, US dollars; `None` if none has a price.
    pub usd: Option<f64>,
    /// Number of them with a price.
    pub priced: usize,
}

/// The applications that save most within a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The choice; its places are those of `applications` and `left_out`.
    pub portfolio: Portfolio,
    /// Places of the chosen applications in [`Overview::applications`].
    pub applications: Vec<usize>,
    /// Places of the others that are to move, largest saving first.
    pub left_out: Vec<usize>,
    /// Expected saving of the chosen ones with its 90 % interval, US dollars.
    pub saving_usd: Range,
    /// Whether a price of today's machines of the chosen ones is taken from other machines.
    pub is_price_assumed: bool,
}

/// The fewest applications that bring a share of the saving.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopApplications {
    /// Their number.
    pub applications: usize,
    /// The share that they bring, 0 … 1.
    pub share: f64,
}

impl<'a> Overview<'a> {
    /// Of the outcomes of a run.
    #[must_use]
    pub fn new(outcomes: &'a Outcomes) -> Self {
        let without_base = outcomes.logs().filter(|log| matches!(log.outcome, Err(Rejection::NoBase(_)))).count();
        let selection = select(outcomes.logs());
        let left_out = tables::all_left_out(outcomes, &selection);
        let mut applications = selection.applications;
        let (mut verdicts, mut blockers) = (BTreeMap::new(), BTreeMap::new());
        for (_, summary) in &applications {
            *verdicts.entry(summary.verdict).or_default() += 1;
            if let Some(first) = summary.blocker() {
                *blockers.entry(first).or_default() += 1;
            }
        }
        let total = Total::of(applications.iter().map(|(_, summary)| (*summary).into()));
        // By id where they save the same: paths differ from machine to machine.
        applications.sort_by(|(a_log, a), (b_log, b)| {
            let order = may_save(b).total_cmp(&may_save(a));
            order.then_with(|| id_of(&a_log.head.key, a).cmp(id_of(&b_log.head.key, b)))
        });
        let moving = applications.iter().filter(|(_, summary)| summary.verdict == Verdict::Move);
        let prices: Vec<f64> = moving.filter_map(|(_, summary)| summary.saved_usd()).collect();
        let saving = Saving {
            applications: total.moving,
            seconds: total.saved(),
            usd: (!prices.is_empty()).then(|| prices.iter().sum()),
            priced: prices.len(),
        };
        let period_ms = period(applications.iter().map(|(_, summary)| *summary));
        Self {
            applications,
            left_out,
            without_base,
            verdicts,
            blockers,
            period_ms,
            today_seconds: total.seconds,
            saving,
        }
    }

    /// The fewest applications that bring this share of the saved time, and their actual share: "40 of 312 applications bring
    /// 81 %". `None` if nothing is saved.
    #[must_use]
    pub fn top_for(&self, share: f64) -> Option<TopApplications> {
        let cumulative = Cumulative::of(self.applications.iter().map(|(_, summary)| saved(summary)));
        let applications = cumulative.top_for(share)?;
        let (all, top) = (cumulative.seconds.last()?, cumulative.seconds.get(applications - 1)?);
        Some(TopApplications { applications, share: top / all })
    }

    /// How often the applications run: the entered number of runs per month, else as often as in the logs, if those are a history.
    #[must_use]
    pub fn frequency(&self, runs_per_month: Option<f64>) -> Frequency {
        Frequency::new(runs_per_month, times(self.applications.iter().map(|(_, summary)| *summary)))
    }

    /// Costs of all applications.
    #[must_use]
    pub fn costs(&self, frequency: Frequency) -> Costs {
        Costs::of(self.applications.iter().map(|(_, summary)| *summary), frequency.runs())
    }

    /// The applications to move with their savings, and their places among all.
    #[must_use]
    pub fn items(&self, frequency: Frequency) -> (Vec<usize>, Vec<Item>) {
        let item = |(place, (_, summary)): (usize, &(&LedgerEntry, &Summary))| {
            Some((place, Item::of(summary, frequency.runs())?))
        };
        self.applications.iter().enumerate().filter_map(item).unzip()
    }

    /// The applications that save most within a budget.
    #[must_use]
    pub fn within(&self, budget: Budget, frequency: Frequency) -> Chosen {
        let (places, items) = self.items(frequency);
        let portfolio = Portfolio::of(&items, budget);
        let applications: Vec<usize> = portfolio.chosen.iter().map(|at| places[*at]).collect();
        let left_out = portfolio.left_out.iter().map(|at| places[*at]).collect();
        let chosen = applications.iter().map(|place| self.applications[*place].1);
        let Costs { saving_usd, assumed, .. } = Costs::of(chosen, frequency.runs());
        Chosen { portfolio, applications, left_out, saving_usd, is_price_assumed: assumed > 0 }
    }

    /// How often each application runs in a month.
    #[must_use]
    pub fn recurrence(&self, frequency: Frequency) -> Recurrence {
        Recurrence::new(frequency, self.applications.iter().map(|(_, summary)| *summary))
    }

    /// The effort of all recommended moves with a price; `None` without one, without an effort, and where time decides.
    #[must_use]
    pub fn effort(&self, objective: &Objective, frequency: Frequency) -> Option<EffortSum> {
        let runs = frequency.runs();
        let saving = |summary: &Summary| Some(ApplicationCosts::of(summary, runs)?.saving_usd?.value);
        let moves: Vec<(&str, &str, f64)> = self
            .applications
            .iter()
            .filter_map(|&(log, summary)| {
                let (name, user) = application_of(log, summary);
                Some((name, user, saving(summary)?))
            })
            .collect();
        let saving_usd: f64 = moves.iter().map(|(.., usd)| usd).sum();
        EffortSum::of(objective, frequency, moves.iter().map(|(name, user, _)| (*name, *user)), saving_usd)
    }

    /// The effort of a choice within a budget of GPU machines.
    #[must_use]
    pub fn effort_of(&self, chosen: &Chosen, objective: &Objective, frequency: Frequency) -> Option<EffortSum> {
        let moves = chosen.applications.iter().map(|place| {
            let (log, summary) = self.applications[*place];
            application_of(log, summary)
        });
        EffortSum::of(objective, frequency, moves, chosen.saving_usd.value)
    }

    /// The runs of the queries that the applications repeat.
    #[must_use]
    pub fn histories(&self) -> Histories {
        let files = self.applications.iter();
        Histories::of_files(files.map(|(log, summary)| (named(&log.head.key, summary), summary.runs.clone())))
    }

    /// What the applications repeat, and runs that contradict each other, a sentence each.
    #[must_use]
    pub fn repetitions(&self) -> Vec<String> {
        let histories = self.histories();
        let contradictions = histories.contradictions();
        let more = contradictions.len().saturating_sub(CONTRADICTIONS);
        let named = contradictions.into_iter().take(CONTRADICTIONS).map(|found| format!("{}.", found.sentence));
        let have = if more == 1 { " has runs that" } else { " have runs that" };
        let more = (more > 0).then(|| counted(more as f64, "more query") + have + " contradict each other.");
        let repeated = histories.repeated().map(|repeated| format!("{}.", repeated.sentence()));
        repeated.into_iter().chain(named).chain(more).collect()
    }

    /// The bases, among this one and those beside it, that applications were measured with; this one first.
    #[must_use]
    pub fn bases<'b>(&self, base: &'b Base) -> Vec<&'b Base> {
        let mut bases: Vec<&'b Base> = Vec::new();
        for (_, summary) in self.applications.iter().filter(|(log, _)| base.is(&log.head.base)) {
            let own = base.of_engine(&summary.engine);
            bases.extend(own.filter(|own| bases.iter().all(|other| other.digest != own.digest)));
        }
        bases.sort_by_key(|own| own.digest != base.digest);
        bases
    }
}

/// Name and user of the application of a log; without a name its id.
fn application_of<'a>(log: &'a LedgerEntry, summary: &'a Summary) -> (&'a str, &'a str) {
    let is_named = !summary.name.trim().is_empty();
    (if is_named { &summary.name } else { id_of(&log.head.key, summary) }, &summary.user)
}

/// An application in a sentence: "shop (app-7)"; only its id if it has no name.
fn named(log: &str, summary: &Summary) -> String {
    let id = id_of(log, summary);
    if summary.name.is_empty() { id.to_owned() } else { format!("{} ({id})", summary.name) }
}

/// Starts and ends of those that have both, milliseconds since 1970.
pub(crate) fn times<'a>(summaries: impl Iterator<Item = &'a Summary>) -> impl Iterator<Item = (u64, u64)> {
    summaries.filter_map(|summary| summary.start_ms.zip(summary.end_ms))
}

/// From the first start to the last end, milliseconds since 1970.
fn period<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Option<(u64, u64)> {
    times(summaries)
        .reduce(|(from, to), (start, end)| (from.min(start), to.max(end)))
        .map(|(from, to)| (from, to.max(from)))
}

/// Saved seconds of an application, whatever its verdict; −∞ without a prediction.
fn may_save(summary: &Summary) -> f64 {
    summary.saved_seconds().unwrap_or(f64::NEG_INFINITY)
}

/// Saved seconds of an application that is to move, else −∞. A faster cluster may cost more, so dollars are separate.
fn saved(summary: &Summary) -> f64 {
    if summary.verdict != Verdict::Move {
        return f64::NEG_INFINITY;
    }
    summary.saved_seconds().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_in_a_sentence_has_its_name_and_its_id() {
        let of = |name: &str, id: &str| {
            named("logs/app-7.zstd", &Summary { name: name.to_owned(), id: id.to_owned(), ..Summary::default() })
        };
        assert_eq!(of("shop", "app-7"), "shop (app-7)");
        assert_eq!(of("", "app-7"), "app-7");
        assert_eq!(of("shop", ""), "shop (logs/app-7.zstd)");
    }
}
