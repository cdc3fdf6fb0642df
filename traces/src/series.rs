//! The same probe over and over: when it ran, and how long it took, as CSV.

use std::ops::RangeInclusive;
use std::path::Path;

use crossover_probe::Timed;
use crossover_quantity::balance::BalanceOf;
use crossover_quantity::unread::Unread;
use jiff::civil::{DateTime, date};

use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::{Row, Table};

/// Most probes of a series: a series without changes takes time that grows with its square.
const MOST_PROBES: usize = 20_000;

/// Shortest and longest time of a probe, seconds: a nanosecond, and thirty years.
const SHORTEST: f64 = 1e-9;
const LONGEST: f64 = 1e9;
/// Years in which a probe can have run.
const YEARS: RangeInclusive<i16> = 1970..=2200;

/// The probes of a table with the columns `time` and `seconds`, in the order of time. A time is written as
/// `2026-11-02T14:00:00`, with or without an offset, which is the clock by which days are cut; or as a number of hours from the
/// midnight before a Monday. Notes count and name bad lines, which are left out.
///
/// # Errors
/// [`TraceError`]: unreadable, other columns, no usable line, or more than 20,000 probes.
pub fn read(path: &Path) -> Result<(Vec<Timed>, Vec<String>), TraceError> {
    let table = Table::read(path, &["time", "seconds"])?;
    let mut unread = Unread::default();
    table.name_unread(&["time", "seconds"], &mut unread);
    let mut notes = unread.sentences();
    let (mut probes, _) = table
        .rows(("probe", BalanceOf::Runs), &mut notes, |row| Ok(Timed { at: hours(row)?, seconds: seconds(row)? }))?;
    if probes.len() > MOST_PROBES {
        let problem =
            format!("{} probes; at most {MOST_PROBES} are supported: remove some, or average over time", probes.len());
        return Err(TraceError::unusable(path, problem));
    }
    probes.sort_by(|a, b| a.at.total_cmp(&b.at));
    Ok((probes, notes))
}

fn seconds(row: &Row<'_>) -> Result<f64, String> {
    let text = row.text("seconds");
    let value = text.parse().ok().filter(|value: &f64| (SHORTEST..=LONGEST).contains(value));
    value.ok_or_else(|| format!("seconds is “{}”; expected a number from 10⁻⁹ to 10⁹", shown(text)))
}

/// Hours from the midnight before a Monday.
fn hours(row: &Row<'_>) -> Result<f64, String> {
    let text = row.text("time");
    if let Some(hours) = text.parse().ok().filter(|hours: &f64| hours.abs() < 1e6) {
        return Ok(hours);
    }
    let expected = || format!("time is “{}”; expected 2026-11-02T14:00:00, or hours", shown(text));
    let time: DateTime = text.trim_end_matches(['Z', 'z']).parse().map_err(|_| expected())?;
    if !YEARS.contains(&time.year()) {
        return Err(format!("time is “{}”; expected a year from {} to {}", shown(text), YEARS.start(), YEARS.end()));
    }
    let monday = date(2001, 1, 1).at(0, 0, 0, 0);
    let since = time.duration_since(monday).as_secs_f64();
    Ok(since / 3_600.0)
}
