//! A fleet as text: its applications, those first that save most, and what all of them come to.

use std::borrow::Cow;

use crossover_fleet::Overview;
use crossover_fleet::application::{Summary, Verdict};
use crossover_fleet::tables::rows::id_of;
use crossover_model::text::csv::Records;
use crossover_model::text::{Column, Table, shortened};
use crossover_model::unit::Unit;
use serde::Serialize;

use super::json;

/// Applications of a table for the terminal; all are in the files.
const SHOWN: usize = 20;
/// Longest name in such a table, characters.
const LONGEST_NAME: usize = 40;
/// The share of all savings that a few applications bring.
const MOST: f64 = 0.8;

/// The applications of a fleet and their sum.
pub(crate) struct Answer<'a> {
    overview: &'a Overview<'a>,
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
    few: Option<FewRecord>,
    list: Vec<ApplicationRecord<'a>>,
}

/// How few applications bring a share of the saving.
#[derive(Serialize)]
struct FewRecord {
    applications: usize,
    share: f64,
}

/// An application, for programs.
#[derive(Serialize)]
struct ApplicationRecord<'a> {
    application_id: &'a str,
    name: &'a str,
    user: &'a str,
    queue: &'a str,
    seconds: Option<f64>,
    gpu_seconds: Option<f64>,
    gpu_seconds_low: Option<f64>,
    gpu_seconds_high: Option<f64>,
    chance: Option<f64>,
    saved_usd: Option<f64>,
    verdict: &'static str,
    blocked_by: Vec<&'static str>,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(overview: &'a Overview<'a>) -> Self {
        Self { overview }
    }

    fn records(&self) -> impl Iterator<Item = ApplicationRecord<'a>> + use<'a> {
        self.overview.applications.iter().map(|(log, summary)| ApplicationRecord {
            application_id: id_of(&log.head.key, summary),
            name: &summary.name,
            user: &summary.user,
            queue: &summary.queue,
            seconds: summary.seconds,
            gpu_seconds: summary.gpu.map(|gpu| gpu.value),
            gpu_seconds_low: summary.gpu.map(|gpu| gpu.low),
            gpu_seconds_high: summary.gpu.map(|gpu| gpu.high),
            chance: summary.chance,
            saved_usd: summary.saved_usd(),
            verdict: summary.verdict.label(),
            blocked_by: labels(summary),
        })
    }

    /// Everything, for programs.
    pub(crate) fn json(&self) -> String {
        let Overview { applications, left_out, today_seconds, saving, .. } = self.overview;
        let few = self.overview.few_for(MOST).map(|applications| FewRecord { applications, share: MOST });
        json(&FleetRecord {
            applications: applications.len(),
            left_out: left_out.len(),
            to_move: saving.applications,
            today_seconds: *today_seconds,
            saved_seconds: saving.seconds.value,
            saved_seconds_low: saving.seconds.low,
            saved_seconds_high: saving.seconds.high,
            saved_usd: saving.usd,
            few,
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
            "gpu_seconds",
            "gpu_seconds_low",
            "gpu_seconds_high",
            "chance",
            "saved_usd",
            "verdict",
            "blocked_by",
        ]);
        for record in self.records() {
            records.push([
                Cow::Borrowed(record.application_id),
                Cow::Borrowed(record.name),
                Cow::Borrowed(record.user),
                Cow::Borrowed(record.queue),
                number(record.seconds),
                number(record.gpu_seconds),
                number(record.gpu_seconds_low),
                number(record.gpu_seconds_high),
                number(record.chance),
                number(record.saved_usd),
                Cow::Borrowed(record.verdict),
                Cow::Owned(record.blocked_by.join("; ")),
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

    fn shown(&self) -> Table {
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default();
        let row = |(log, summary): &(&crossover_fleet::ledger::Known, &Summary)| {
            let range = summary
                .gpu
                .map(|gpu| format!("{} … {}", Unit::Seconds.format(gpu.low), Unit::Seconds.format(gpu.high)));
            vec![
                shortened(id_of(&log.head.key, summary), LONGEST_NAME),
                shortened(&summary.name, LONGEST_NAME),
                shortened(&summary.user, LONGEST_NAME),
                seconds(summary.seconds),
                seconds(summary.gpu.map(|gpu| gpu.value)),
                range.unwrap_or_default(),
                summary.chance.map(|chance| Unit::Share.format(rounded(chance))).unwrap_or_default(),
                summary.saved_usd().map(|usd| format!("${}", Unit::Ratio.format(usd))).unwrap_or_default(),
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
                Column::number("on GPUs"),
                Column::number("90 % range"),
                Column::number("faster"),
                Column::number("saves"),
                Column::text("verdict"),
                Column::text("blocked by"),
            ],
            rows: self.overview.applications.iter().take(SHOWN).map(row).collect(),
        };
        table.without_empty_columns()
    }
}

fn labels(summary: &Summary) -> Vec<&'static str> {
    summary.blocked_by.iter().map(|blocker| blocker.label()).collect()
}

/// A chance in whole percent; never 0 or 100 %.
fn rounded(chance: f64) -> f64 {
    (chance * 100.0).round().clamp(1.0, 99.0) / 100.0
}

/// "40 of 312 applications bring 80 % of the saving: …".
pub(crate) fn sentence(overview: &Overview<'_>) -> String {
    let all = overview.applications.len();
    let applications = |count: usize| format!("{count} application{}", if count == 1 { "" } else { "s" });
    let hours = |seconds: f64| Unit::Seconds.format(seconds);
    let saving = &overview.saving;
    let count = |verdict: Verdict| overview.verdicts.get(&verdict).copied().unwrap_or(0);
    let blocked = |text: &str| {
        let mut blockers: Vec<_> = overview.blockers.iter().collect();
        blockers.sort_by_key(|(blocker, count)| (std::cmp::Reverse(**count), **blocker));
        let why: Vec<String> = blockers.iter().map(|(blocker, count)| format!("{} {count}", blocker.label())).collect();
        if why.is_empty() { String::new() } else { format!(" {text}: {}.", why.join(", ")) }
    };
    let Some(few) = overview.few_for(MOST) else {
        return format!("None of {} is to move.{}", applications(all), blocked("What blocks them"));
    };
    let usd = saving.usd.map(|usd| match usd {
        usd if usd < 0.0 => format!(", at ${} more", Unit::Ratio.format(-usd)),
        usd => format!(" and ${}", Unit::Ratio.format(usd)),
    });
    let usd = usd.unwrap_or_default();
    format!(
        "{few} of {} {} 80 % of the saving: {}{usd} (90 %: {} … {} saved), if the {} that {} to move move. {} more are too \
         close to call.{}",
        applications(all),
        if few == 1 { "brings" } else { "bring" },
        hours(saving.seconds.value),
        hours(saving.seconds.low),
        hours(saving.seconds.high),
        saving.applications,
        if saving.applications == 1 { "is" } else { "are" },
        count(Verdict::Try),
        blocked("What blocks the others"),
    )
}
