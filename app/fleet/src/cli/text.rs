//! A fleet as text: its applications, largest saving first, and their sum.

use std::borrow::Cow;

use crossover_export::json;
use crossover_fleet::application::{Range, Summary, Verdict};
use crossover_fleet::blocker::Blocker;
use crossover_fleet::ledger::LedgerEntry;
use crossover_fleet::overview::{Chosen, Saving};
use crossover_fleet::tables::column::Cell;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{ApplicationCosts, Base, Budget, Costs, Frequency, Overview, Portfolio};
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, counted, shortened};
use crossover_quantity::unit::{Unit, chance};
use serde::Serialize;

use crate::money;
use crate::report::{in_words, why};
use crate::words::none_moves;

/// Applications in the table for the terminal; the files have all.
const SHOWN: usize = 20;
/// Longest name in such a table, characters.
const LONGEST_NAME: usize = 40;
/// The share of the saving that the top applications bring at least.
const MOST: f64 = 0.8;
/// Letters of "2026-11-24T23:45".
const MINUTES: usize = 16;
/// Milliseconds of a day.
const MS_PER_DAY: f64 = 86_400_000.0;
/// Most digits of an amount of less than a dollar.
const MOST_DIGITS: usize = 12;
/// Shares that differ by less are the same.
const ROUNDING: f64 = 1e-9;

/// The applications of a fleet and their sum.
pub(crate) struct Answer<'a> {
    overview: &'a Overview<'a>,
    frequency: Frequency,
    /// The applications that save most within the budget, if there is one.
    chosen: Option<Chosen>,
}

/// A fleet, for programs.
#[derive(Serialize)]
struct FleetRecord<'a> {
    applications: usize,
    left_out: usize,
    to_move: usize,
    today_seconds: f64,
    saved_seconds: f64,
    saved_seconds_low: f64,
    saved_seconds_high: f64,
    saved_usd: Option<f64>,
    /// Of those to move, how many have a price.
    saved_usd_applications: usize,
    top: Option<TopRecord>,
    /// What costs are of: a month, or a run of each application.
    costs_per: &'static str,
    /// Runs in a month for each run of the list, if they are known.
    runs_per_month: Option<f64>,
    costs: Option<CostsRecord>,
    portfolio: Option<PortfolioRecord<'a>>,
    list: Vec<ApplicationRecord<'a>>,
}

/// The fewest applications that bring a share of the saving.
#[derive(Serialize)]
struct TopRecord {
    applications: usize,
    share: f64,
}

/// Costs of all applications, US dollars.
#[derive(Serialize)]
struct CostsRecord {
    /// Applications in these sums, and applications without a cost today.
    applications: usize,
    applications_without_cost: usize,
    /// Applications whose price today is taken from other machines.
    applications_at_assumed_price: usize,
    today_usd: f64,
    recommended_usd: f64,
    expected_saving_usd: f64,
    expected_saving_usd_low: f64,
    expected_saving_usd_high: f64,
}

/// The applications that save most within a budget.
#[derive(Serialize)]
struct PortfolioRecord<'a> {
    max_gpu_machines: Option<f64>,
    max_gpu_usd: Option<f64>,
    /// Ids.
    chosen: Vec<&'a str>,
    left_out: Vec<&'a str>,
    expected_saving_usd: f64,
    expected_saving_usd_low: f64,
    expected_saving_usd_high: f64,
    /// Whether a price of today's machines is taken from other machines.
    is_price_assumed: bool,
    /// Whether no other choice saves more.
    is_best: bool,
    /// No other choice saves more than this in addition.
    gap_usd: f64,
    /// Of the budget: what the chosen applications need, and what all would need.
    used: f64,
    needed: f64,
    /// A larger budget, and the saving that it adds.
    further: f64,
    further_saving_usd: f64,
}

/// An application, for programs.
#[derive(Serialize)]
struct ApplicationRecord<'a> {
    application_id: &'a str,
    name: &'a str,
    user: &'a str,
    queue: &'a str,
    seconds: Option<f64>,
    option: &'a str,
    option_seconds: Option<f64>,
    option_seconds_low: Option<f64>,
    option_seconds_high: Option<f64>,
    likelihood: Option<f64>,
    saved_usd: Option<f64>,
    verdict: &'static str,
    blocked_by: Vec<&'static str>,
    /// Why it does not move, in words.
    why_not: &'static str,
    today_usd: Option<f64>,
    recommended_usd: Option<f64>,
    expected_saving_usd: Option<f64>,
    expected_saving_usd_low: Option<f64>,
    expected_saving_usd_high: Option<f64>,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(overview: &'a Overview<'a>, frequency: Frequency, budget: Option<Budget>) -> Self {
        Self { overview, frequency, chosen: budget.map(|budget| overview.within(budget, frequency)) }
    }

    /// Id of the application at a place.
    fn id(&self, place: usize) -> &'a str {
        let (log, summary) = self.overview.applications[place];
        id_of(&log.head.key, summary)
    }

    fn records(&self) -> impl Iterator<Item = ApplicationRecord<'a>> + use<'a> {
        let runs = self.frequency.runs();
        self.overview.applications.iter().map(move |(log, summary)| ApplicationRecord::of(log, summary, runs))
    }

    fn portfolio(&self) -> Option<PortfolioRecord<'a>> {
        let Chosen { portfolio, applications, left_out, saving_usd, is_price_assumed } = self.chosen.as_ref()?;
        let ids = |places: &[usize]| places.iter().map(|place| self.id(*place)).collect::<Vec<&'a str>>();
        let Portfolio { budget, is_best, gap_usd, used, needed, further: [further, further_saving_usd], .. } =
            *portfolio;
        let (max_gpu_machines, max_gpu_usd) = match budget {
            Budget::Instances(count) => (Some(count), None),
            Budget::Usd(usd) => (None, Some(usd)),
        };
        Some(PortfolioRecord {
            max_gpu_machines,
            max_gpu_usd,
            chosen: ids(applications),
            left_out: ids(left_out),
            expected_saving_usd: saving_usd.value,
            expected_saving_usd_low: saving_usd.low,
            expected_saving_usd_high: saving_usd.high,
            is_price_assumed: *is_price_assumed,
            is_best,
            gap_usd,
            used,
            needed,
            further,
            further_saving_usd,
        })
    }

    /// Everything, for programs.
    pub(crate) fn json(&self) -> String {
        let Overview { applications, left_out, today_seconds, saving, .. } = self.overview;
        let top = self.overview.top_for(MOST);
        let top = top.map(|top| TopRecord { applications: top.applications, share: top.share });
        json(&FleetRecord {
            applications: applications.len(),
            left_out: left_out.len(),
            to_move: saving.applications,
            today_seconds: *today_seconds,
            saved_seconds: saving.seconds.value,
            saved_seconds_low: saving.seconds.low,
            saved_seconds_high: saving.seconds.high,
            saved_usd: saving.usd,
            saved_usd_applications: saving.priced,
            top,
            costs_per: if self.frequency.is_monthly() { "month" } else { "run" },
            runs_per_month: Some(self.frequency.runs()).filter(|_| self.frequency.is_monthly()),
            costs: Some(self.overview.costs(self.frequency)).filter(|costs| costs.priced > 0).map(CostsRecord::of),
            portfolio: self.portfolio(),
            list: self.records().collect(),
        })
    }

    /// A line for each application, for spreadsheets.
    pub(crate) fn csv(&self) -> String {
        let number = |number: Option<f64>| Cow::Owned(number.map(|number| number.to_string()).unwrap_or_default());
        let mut records = Records::default();
        records.push([
            "application_id",
            "name",
            "user",
            "queue",
            "seconds",
            "option",
            "option_seconds",
            "option_seconds_low",
            "option_seconds_high",
            "likelihood",
            "saved_usd",
            "verdict",
            "blocked_by",
            "why_not",
            "costs_per",
            "today_usd",
            "recommended_usd",
            "expected_saving_usd",
            "expected_saving_usd_low",
            "expected_saving_usd_high",
        ]);
        let per = if self.frequency.is_monthly() { "month" } else { "run" };
        for record in self.records() {
            records.push([
                Cow::Borrowed(record.application_id),
                Cow::Borrowed(record.name),
                Cow::Borrowed(record.user),
                Cow::Borrowed(record.queue),
                number(record.seconds),
                record.option.into(),
                number(record.option_seconds),
                number(record.option_seconds_low),
                number(record.option_seconds_high),
                number(record.likelihood),
                number(record.saved_usd),
                Cow::Borrowed(record.verdict),
                Cow::Owned(record.blocked_by.join("; ")),
                Cow::Borrowed(record.why_not),
                Cow::Borrowed(per),
                number(record.today_usd),
                number(record.recommended_usd),
                number(record.expected_saving_usd),
                number(record.expected_saving_usd_low),
                number(record.expected_saving_usd_high),
            ]);
        }
        records.into_text()
    }

    /// The first applications, for the terminal.
    pub(crate) fn table(&self) -> String {
        self.shown().aligned() + "\n"
    }

    /// The first applications, for documents.
    pub(crate) fn markdown(&self) -> String {
        self.shown().markdown()
    }

    /// The saving, the costs, the portfolio, the clusters that were compared, and the period: a line for each.
    pub(crate) fn summary(&self, measured: Option<&Base>) -> String {
        let Self { overview, frequency, chosen } = self;
        let mut lines = vec![sentence(overview)];
        if let Some(costs) = money::costs(&overview.costs(*frequency), *frequency) {
            let hint = if frequency.is_monthly() { "" } else { " For costs per month, add --runs-per-month." };
            lines.push(format!("{costs} {}{hint}", money::runs(*frequency)));
        }
        lines.extend(chosen.as_ref().map(|chosen| in_words(overview, chosen, *frequency).join(" ")));
        lines.extend(engines(overview, measured));
        lines.extend(overview.period_ms.map(period));
        lines.extend(overview.repetitions());
        lines.join("\n") + "\n"
    }

    fn shown(&self) -> Table {
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default();
        let in_cents = is_in_cents(self.overview);
        let row = |(log, summary): &(&LedgerEntry, &Summary)| {
            let range = summary
                .option_time
                .filter(Range::is_known)
                .map(|gpu| format!("{} … {}", Unit::Seconds.format(gpu.low), Unit::Seconds.format(gpu.high)));
            vec![
                shortened(id_of(&log.head.key, summary), LONGEST_NAME),
                shortened(&summary.name, LONGEST_NAME),
                shortened(&summary.user, LONGEST_NAME),
                seconds(summary.seconds),
                summary.option.clone(),
                seconds(summary.option_time.map(|time| time.value)),
                range.unwrap_or_default(),
                summary.likelihood.map(chance).unwrap_or_default(),
                summary.saved_usd().map(|usd| dollars(usd, in_cents)).unwrap_or_default(),
                summary.verdict.label().to_owned(),
                labels(summary).join("; "),
            ]
        };
        let table = Table {
            columns: vec![
                Column::text("application"),
                Column::text("name"),
                Column::text("user"),
                Column::number("today"),
                Column::text("option"),
                Column::number("with option"),
                Column::number("90 % interval"),
                Column::number("likely cheaper, not slower"),
                Column::number("saved cost"),
                Column::text("verdict"),
                Column::text("blocked by"),
            ],
            rows: self.overview.applications.iter().take(SHOWN).map(row).collect(),
        };
        table.without_empty_columns()
    }
}

impl<'a> ApplicationRecord<'a> {
    /// An application with the costs of so many runs.
    fn of(log: &'a LedgerEntry, summary: &'a Summary, runs: f64) -> Self {
        let costs = ApplicationCosts::of(summary, runs);
        let saving = costs.and_then(|costs| costs.saving_usd);
        let range = saving.filter(Range::is_known);
        Self {
            application_id: id_of(&log.head.key, summary),
            name: &summary.name,
            user: &summary.user,
            queue: &summary.queue,
            seconds: summary.seconds,
            option: &summary.option,
            option_seconds: summary.option_time.map(|time| time.value),
            option_seconds_low: summary.option_time.filter(Range::is_known).map(|time| time.low),
            option_seconds_high: summary.option_time.filter(Range::is_known).map(|time| time.high),
            likelihood: summary.likelihood,
            saved_usd: summary.saved_usd(),
            verdict: summary.verdict.label(),
            blocked_by: labels(summary),
            why_not: why(summary),
            today_usd: costs.map(|costs| costs.today_usd),
            recommended_usd: costs.map(|costs| costs.recommended_usd),
            expected_saving_usd: saving.map(|saving| saving.value),
            expected_saving_usd_low: range.map(|saving| saving.low),
            expected_saving_usd_high: range.map(|saving| saving.high),
        }
    }
}

impl CostsRecord {
    fn of(costs: Costs) -> Self {
        let Costs { priced, unpriced, assumed, today_usd, recommended_usd, saving_usd, .. } = costs;
        Self {
            applications: priced,
            applications_without_cost: unpriced,
            applications_at_assumed_price: assumed,
            today_usd,
            recommended_usd,
            expected_saving_usd: saving_usd.value,
            expected_saving_usd_low: saving_usd.low,
            expected_saving_usd_high: saving_usd.high,
        }
    }
}

fn labels(summary: &Summary) -> Vec<&'static str> {
    summary.blocked_by.iter().map(|blocker| blocker.label()).collect()
}

/// The clusters that were compared, a sentence each.
pub(crate) fn engines(overview: &Overview<'_>, measured: Option<&Base>) -> Vec<String> {
    let bases = measured.map(|base| overview.bases(base)).unwrap_or_default();
    let is_alone = bases.len() == 1;
    bases.into_iter().map(|base| clusters(base, is_alone)).collect()
}

/// "GPU cluster: …. Today's times are those of the logs, on their own machines. …"
fn clusters(base: &Base, is_alone: bool) -> String {
    let [cpu, _] = base.titles();
    let engine = cpu.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let of = if is_alone || engine.is_empty() { String::new() } else { format!("{engine}: ") };
    let usd = match base.usd_per_hour() {
        Some(usd) => {
            let [core, gpu] = usd.map(|usd| format!("${}", Unit::Ratio.format(usd)));
            format!("Prices: {core} per core-hour, {gpu} per hour of the GPU cluster.")
        }
        None => "No costs: this base has no prices.".to_owned(),
    };
    format!("{of}{} Assumed: a core of each log is as fast as a core of {cpu}. {usd}", base.sentence())
}

/// "The applications ran from 2026-11-01 00:01 to 2026-11-25 23:10 UTC, 24.96 days."
fn period((from, to): (u64, u64)) -> String {
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

/// Whether dollars are shown in cents: if savings and extra costs of all applications sum to a dollar or more.
fn is_in_cents(overview: &Overview<'_>) -> bool {
    let saved = overview.applications.iter().filter_map(|(_, summary)| summary.saved_usd());
    saved.map(f64::abs).sum::<f64>() >= 1.0
}

/// "−$12.30": in cents, or two figures of less.
fn dollars(usd: f64, is_in_cents: bool) -> String {
    let amount = usd.abs();
    let text = if is_in_cents {
        let cents = (amount * 100.0).round();
        format!("{}.{:02.0}", Unit::Count.format((cents / 100.0).trunc()), cents % 100.0)
    } else {
        let (mut digits, mut figures) = (2, amount * 100.0);
        while figures > 0.0 && figures < 10.0 && digits < MOST_DIGITS {
            figures *= 10.0;
            digits += 1;
        }
        format!("{amount:.digits$}")
    };
    let is_nothing = text.chars().all(|c| matches!(c, '0' | '.'));
    format!("{}${text}", if usd < 0.0 && !is_nothing { "−" } else { "" })
}

/// A share in whole percent, rounded down: "81 %", "all".
fn share(share: f64) -> String {
    if share > 1.0 - ROUNDING { "all".to_owned() } else { format!("{} %", (share * 100.0 + ROUNDING).floor()) }
}

/// "Moving 190 of 312 applications saves …. 40 of 312 applications bring 81 % of the saving. …"
fn sentence(overview: &Overview<'_>) -> String {
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
        (0, true) => String::new(),
        (0, false) if all == 1 => String::new(),
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
    fn dollars_are_cents_where_all_come_to_a_dollar_and_two_figures_elsewhere() {
        for (usd, in_cents, expected) in [
            (-0.0074, false, "−$0.0074"),
            (0.033_93, false, "$0.034"),
            (0.505_3, false, "$0.51"),
            (0.0, false, "$0.00"),
            (-0.0074, true, "−$0.01"),
            (-0.000_4, true, "$0.00"),
            (0.999, true, "$1.00"),
            (12_345.678, true, "$12,345.68"),
        ] {
            assert_eq!(dollars(usd, in_cents), expected, "{usd}");
        }
    }

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
