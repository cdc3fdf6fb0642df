//! A plain table: `centre,probe,unit_type,units,time,seconds,relative_error,target_seconds`, of which `units` and `seconds` are required.

use std::path::Path;

use super::Probed;
use super::found::RunCollector;
use super::{quantity, when};
use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::{Row, Table};

/// Columns that the table must have.
const COLUMNS: [&str; 2] = ["units", "seconds"];

/// Columns of times that are read where they are.
const TIMES: [&str; 3] = ["time", "seconds", "target_seconds"];

/// Whether a header is that of such a table.
pub(super) fn has_columns(header: &[String]) -> bool {
    COLUMNS.iter().all(|column| header.iter().any(|name| name == column))
}

/// Reads its lines. A time is written as `2026-11-02T14:00:00Z`, or as hours from the midnight before Monday 2001-01-01.
///
/// # Errors
/// [`TraceError`]: it is no such table.
pub(super) fn read(path: &Path, text: &str, found: &mut RunCollector) -> Result<(), TraceError> {
    let table = Table::of(path, text, &COLUMNS)?;
    table.name_unread(&TIMES, found.unread());
    table.each(|line, row| {
        if let Err(problem) = row.and_then(|row| run(&row, found)) {
            found.leave_out(1, || format!("line {line}"), &problem);
        }
    });
    Ok(())
}

fn run(row: &Row<'_>, found: &mut RunCollector) -> Result<(), String> {
    let filled = |column: &str| Some(row.text(column)).filter(|text| !text.is_empty());
    let seconds = quantity::above_zero("seconds", row.text("seconds"))?;
    let error = filled("relative_error").map(|text| quantity::error("relative_error", text)).transpose()?;
    let target_seconds =
        filled("target_seconds").map(|text| quantity::above_zero("target_seconds", text)).transpose()?;
    let units = filled("units").map(|text| quantity::units("units", text)).transpose()?;
    let time = |text| {
        let expected = || format!("time is “{}”; expected 2026-11-02T14:00:00Z, or hours", shown(text));
        when::hours(text).or_else(|| when::when(text)).ok_or_else(expected)
    };
    let time = filled("time").map(time).transpose()?;
    let probe = row.text("probe");
    let units = found.units(units, probe);
    let at_hours = time.map(|time| found.hours(time));
    found.add(Probed {
        centre: row.text("centre").to_owned(),
        unit: row.text("unit_type").to_owned(),
        at_hours,
        seconds: Some(seconds),
        error,
        target_seconds,
        ..Probed::new(probe, units)
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> super::super::Read {
        let mut found = RunCollector::new(["line", "lines"]);
        read(Path::new("a.csv"), text, &mut found).expect("such a table");
        found.end(Path::new("a.csv"), "line").expect("a run")
    }

    #[test]
    fn all_columns_are_read() {
        let read = read_text(
            "centre,unit_type,units,time,seconds,relative_error\nJSC,A100,8,2001-01-02T12:00:00Z,3.5,1e-7\nJSC,,2,-1.5,7,\n",
        );
        let first = Probed {
            centre: "JSC".into(),
            unit: "A100".into(),
            at_hours: Some(36.0),
            seconds: Some(3.5),
            error: Some(1e-7),
            ..Probed::new("", 8.0)
        };
        let second = Probed { centre: "JSC".into(), at_hours: Some(-1.5), seconds: Some(7.0), ..Probed::new("", 2.0) };
        assert_eq!(read.runs, [first, second]);
        assert!(read.left_out.is_none() && read.notes.is_empty());
    }

    #[test]
    fn other_times_and_accelerators_are_named_with_their_count() {
        let read = read_text("units,seconds,gpu_seconds,colour\n8,1,0.5,red\n4,2,,\n2,4,3.5,\n");
        assert_eq!(read.notes, ["not used: column gpu_seconds (2, first in a.csv)"]);
    }

    #[test]
    fn bad_fields_name_their_line_and_column() {
        let read = read_text("units,seconds,relative_error,time\n8,1,-1,\n8,1,,yesterday\n8,1\n8,2,,\n");
        assert_eq!(read.runs.len(), 1);
        let left_out = read.left_out.expect("three lines");
        for expected in
            ["line 2: relative_error is “-1”", "line 3: time is “yesterday”", "line 4: 2 fields; expected 4"]
        {
            assert!(left_out.contains(expected), "{left_out}");
        }
    }
}
