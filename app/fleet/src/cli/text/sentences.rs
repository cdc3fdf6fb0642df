//! The sum of a fleet in sentences: what moves save, the clusters that were compared, and the period.

use crossover_decision::words::price_dollars;
use crossover_fleet::application::Verdict;
use crossover_fleet::blocker::Blocker;
use crossover_fleet::overview::Saving;
use crossover_fleet::tables::column::Cell;
use crossover_fleet::{Base, Overview};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

use crate::words::none_moves;

/// The share of the saving that the top applications bring at least.
pub(super) const MOST: f64 = 0.8;
/// Letters of "2026-11-24T23:45".
const MINUTES: usize = 16;
/// Milliseconds of a day.
const MS_PER_DAY: f64 = 86_400_000.0;
/// Shares that differ by less are the same.
const ROUNDING: f64 = 1e-9;

/// The clusters that were compared, a sentence each.
pub(crate) fn engines(overview: &Overview<'_>, measured: Option<&Base>) -> Vec<String> {
    let bases = measured.map(|base| overview.bases(base)).unwrap_or_default();
    let is_only_base = bases.len() == 1;
    bases.into_iter().map(|base| clusters(base, is_only_base)).collect()
}

/// "GPU cluster: …. Today's times are those of the logs, on the machines that ran them. …"
fn clusters(base: &Base, is_only_base: bool) -> String {
    let [cpu, _] = base.titles();
    let engine = cpu.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let of = if is_only_base || engine.is_empty() { String::new() } else { format!("{engine}: ") };
    let usd = match base.usd_per_hour() {
        Some(usd) => {
            let [core, gpu] = usd.map(price_dollars);
            format!("Prices: {core} per core-hour, {gpu} per hour of the GPU cluster.")
        }
        None => "No costs: this base has no prices.".to_owned(),
    };
    let (clusters, machine) = (base.sentence(), base.core_machine());
    format!("{of}{clusters} Assumed: a core in the logs is as fast as a core of {machine}. {usd}")
}

/// "The applications ran from 2026-11-01 00:01 to 2026-11-25 23:10 UTC, 24.96 days."
pub(super) fn period((from, to): (u64, u64)) -> String {
    let moment = |ms: u64| {
        let cell = Cell::time(Some(ms));
        let text = cell.written();
        // Without seconds: "2026-11-24T23:45:13Z".
        text.get(..MINUTES).unwrap_or(&text).replace('T', " ")
    };
    let days = (to - from) as f64 / MS_PER_DAY;
    let lasted = if days < 1.0 { "less than a day".to_owned() } else { format!("{} days", Unit::Ratio.format(days)) };
    format!("The applications ran from {} to {} UTC, {lasted}.", moment(from), moment(to))
}

/// A share in whole percent, rounded down: "81 %", "all".
fn share(share: f64) -> String {
    if share > 1.0 - ROUNDING { "all".to_owned() } else { format!("{} %", (share * 100.0 + ROUNDING).floor()) }
}

/// "Moving 190 of 312 applications saves …. 40 of 312 applications bring 81 % of the saving. …"
pub(super) fn sentence(overview: &Overview<'_>) -> String {
    let all = overview.applications.len();
    let applications = |count: usize| counted(count as f64, "application");
    let top = overview.top_for(MOST);
    let mut text = match top {
        None if all == 0 => "No applications found.".to_owned(),
        None => none_moves(all, overview.verdicts.get(&Verdict::Try).copied().unwrap_or(0)),
        Some(top) => {
            let brings = if top.applications == 1 { "brings" } else { "bring" };
            let bring =
                format!(" {} of {} {brings} {} of the saving.", top.applications, applications(all), share(top.share));
            // Of one application there is no part.
            let bring = if all == 1 { String::new() } else { bring };
            format!("{}{bring}", saving(overview, &applications(all)))
        }
    };
    let is_none = top.is_none();
    text += &match (overview.verdicts.get(&Verdict::Try).copied().unwrap_or(0), is_none) {
        // The first sentence names the only application.
        (0 | 1, _) if all == 1 => String::new(),
        (0, true) => String::new(),
        (0, false) => " No other is worth a trial.".to_owned(),
        (1, true) => " 1 is worth a trial.".to_owned(),
        (1, false) => " 1 more is worth a trial.".to_owned(),
        (count, true) => format!(" {count} are worth a trial."),
        (count, false) => format!(" {count} more are worth a trial."),
    };
    let mut blockers: Vec<_> = overview.blockers.iter().collect();
    blockers.sort_by_key(|(blocker, count)| (std::cmp::Reverse(**count), **blocker));
    let why: Vec<String> = blockers.iter().map(|(blocker, count)| format!("{} {count}", blocker.label())).collect();
    if !why.is_empty() {
        let of = if is_none { "" } else { " of applications that do not move" };
        text += &format!(" Blockers{of}: {}.", why.join(", "));
    }
    if overview.blockers.contains_key(&Blocker::NoPrice) {
        text += " The machines of the options have no price to compare with today’s: name a base with prices, or leave out \
                 today’s price.";
    }
    if overview.blockers.contains_key(&Blocker::NoErrorFactor) {
        text += " No measured error for this base, so there is no verdict: name a base with error factors.";
    }
    text
}

/// "Moving 9 of 12 applications saves 8 h of 10 h (90 % interval: 7 h … 9 h)." The saved cost is in the sentence on costs.
fn saving(overview: &Overview<'_>, all: &str) -> String {
    let Saving { applications, seconds, .. } = &overview.saving;
    let time = |seconds: f64| Unit::Seconds.format(seconds);
    let what = if overview.applications.len() == 1 {
        "the application".to_owned()
    } else {
        format!("{applications} of {all}")
    };
    format!(
        "Moving {what} saves {} of {} (90 % interval: {} … {}).",
        time(seconds.value),
        time(overview.today_seconds),
        time(seconds.low),
        time(seconds.high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!([0.8, 0.859, 0.999, 1.0].map(share), ["80 %", "85 %", "99 %", "all"]);
    }

    #[test]
    fn the_period_is_in_minutes_and_days() {
        // 2023-11-14 22:13:20 UTC, and 36 hours later.
        let from = 1_700_000_000_000;
        let days = period((from, from + 129_600_000));
        assert_eq!(days, "The applications ran from 2023-11-14 22:13 to 2023-11-16 10:13 UTC, 1.5 days.");
        assert!(period((from, from + 60_000)).ends_with("22:14 UTC, less than a day."));
    }
}
