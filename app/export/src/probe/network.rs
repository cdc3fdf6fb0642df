//! The hours in which a network is fast, as text.

use crossover_probe::{Level, Network, Window};
use crossover_quantity::finite::{self, NotFinite};
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::{Unit, elapsed};
use serde::Serialize;

use crate::json;

/// Days of the week.
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// All of it; times in hours, from the midnight before a Monday or from midnight, else in seconds.
#[derive(Serialize)]
struct NetworkRecord<'a> {
    probes: usize,
    mean_seconds: f64,
    best_window: Option<BestWindow>,
    levels: Vec<LevelRecord>,
    hours_of_day_seconds: &'a [Option<f64>],
    weekdays_seconds: &'a [Option<f64>],
}

#[derive(Serialize)]
struct BestWindow {
    from: String,
    until: String,
    from_hour: f64,
    until_hour: f64,
    mean_seconds: f64,
    standard_error_seconds: f64,
    probes: usize,
}

#[derive(Serialize)]
struct LevelRecord {
    from: String,
    until: String,
    from_hour: f64,
    until_hour: f64,
    mean_seconds: f64,
    probes: usize,
}

impl LevelRecord {
    fn new(level: &Level, first_week: f64) -> Self {
        Self {
            from: day_and_clock(level.from, first_week),
            until: day_and_clock(level.until, first_week),
            from_hour: level.from,
            until_hour: level.until,
            mean_seconds: level.seconds,
            probes: level.probes,
        }
    }
}

/// Checks a profile before it is written.
///
/// # Errors
/// A number of it is not finite.
pub fn check_network(probes: usize, network: &Network) -> Result<(), NotFinite> {
    finite::check(&record(probes, network))
}

/// The same for programs.
#[must_use]
pub fn network_json(probes: usize, network: &Network) -> String {
    json(&record(probes, network))
}

fn record(probes: usize, network: &Network) -> NetworkRecord<'_> {
    let best = |window: &Window| BestWindow {
        from: clock(window.from),
        until: clock(window.until),
        from_hour: window.from,
        until_hour: window.until,
        mean_seconds: window.seconds,
        standard_error_seconds: window.error,
        probes: window.probes,
    };
    NetworkRecord {
        probes,
        mean_seconds: network.seconds,
        best_window: network.best.as_ref().map(best),
        levels: network.levels.iter().map(|level| LevelRecord::new(level, first_week(network))).collect(),
        hours_of_day_seconds: &network.hours,
        weekdays_seconds: &network.weekdays,
    }
}

/// A line for each time between two changes; hours from the midnight before a Monday.
#[must_use]
pub fn network_csv(network: &Network) -> String {
    let mut csv = Records::default();
    csv.push(["from_hour", "until_hour", "mean_seconds", "probes"]);
    for level in &network.levels {
        let times = [level.from, level.until, level.seconds].map(|value| value.to_string());
        csv.push(times.into_iter().chain([level.probes.to_string()]));
    }
    csv.into_text()
}

/// "14:30" of hours from midnight.
#[must_use]
pub fn clock(hours: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "minutes of a day")]
    let minutes = (hours * 60.0).round().rem_euclid(1_440.0) as u32;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// "Tue 14:30", and the week from the second on, of hours from the midnight before a Monday.
pub(super) fn day_and_clock(hours: f64, first_week: f64) -> String {
    // Of the minute that is shown, which may be the first of the next day.
    let hours = (hours * 60.0).round() / 60.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 6")]
    let weekday = WEEKDAYS[((hours / 24.0).floor().rem_euclid(7.0)) as usize];
    let week = (hours / 168.0).floor() - first_week + 1.0;
    if week > 1.0 { format!("week {week}, {weekday} {}", clock(hours)) } else { format!("{weekday} {}", clock(hours)) }
}

fn answer(network: &Network) -> String {
    match &network.best {
        None => "no window of this length is covered by probes without gaps".to_owned(),
        Some(window) => {
            let less = 1.0 - window.seconds / network.seconds;
            let against = if less.abs() < 0.005 {
                "as on average".to_owned()
            } else if less > 0.0 {
                format!("{} less than on average", Unit::Share.format(less))
            } else {
                format!("{} more than on average", Unit::Share.format(-less))
            };
            format!(
                "{} – {}: a probe takes {} ± {}, {against}",
                clock(window.from),
                clock(window.until),
                elapsed(window.seconds),
                elapsed(window.error)
            )
        }
    }
}

/// The week in which the series begins, from the midnight before a Monday.
fn first_week(network: &Network) -> f64 {
    network.levels.first().map_or(0.0, |level| (level.from / 168.0).floor())
}

fn levels(network: &Network) -> Table {
    let first_week = first_week(network);
    let rows = network.levels.iter().map(|level| {
        vec![
            day_and_clock(level.from, first_week),
            day_and_clock(level.until, first_week),
            elapsed(level.seconds),
            Unit::Count.format(level.probes as f64),
        ]
    });
    let columns =
        vec![Column::text("From"), Column::text("Until"), Column::number("Probe time"), Column::number("Probes")];
    Table { columns, rows: rows.collect() }
}

fn bands(network: &Network) -> Table {
    let shown = |seconds: &Option<f64>| seconds.map(elapsed);
    let hours =
        network.hours.iter().enumerate().filter_map(|(hour, band)| Some((format!("{hour:02}:00"), shown(band)?)));
    let weekdays =
        WEEKDAYS.iter().zip(&network.weekdays).filter_map(|(day, band)| Some(((*day).to_owned(), shown(band)?)));
    let rows = hours.chain(weekdays).map(|(name, seconds)| vec![name, seconds]).collect();
    Table { columns: vec![Column::text("Hour, day"), Column::number("Probe time")], rows }
}

/// The best hours, the times between changes and the means, as a report. Errors are standard errors of means.
#[must_use]
pub fn network_text_report(name: &str, probes: usize, network: &Network) -> TextReport {
    let mut text_report = TextReport::titled(name);
    text_report
        .paragraph(counted(probes as f64, "probe"))
        .facts([("Answer", answer(network)), ("On average", elapsed(network.seconds))])
        .section("Times between changes", |section| section.table(levels(network)))
        .section("Means", |section| section.table(bands(network)));
    text_report
}
