//! Times in files, as hours from the midnight before Monday 2001-01-01, UTC.

use jiff::Timestamp;
use jiff::civil::{DateTime, date};

/// Seconds from 1970 to 2001-01-01.
const MONDAY: f64 = crossover_probe::window::MONDAY as f64;
/// Furthest hour, as in `series`: more than a century.
const FURTHEST: f64 = 1e6;

/// A time of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RecordedTime {
    /// Hours from the midnight before Monday 2001-01-01.
    pub(super) hours: f64,
    /// Whether these are hours of UTC; otherwise those of a clock that does not say where it stands.
    pub(super) has_offset: bool,
}

/// The time that a text like `2026-11-02T14:00:00Z` says, with or without an offset.
pub(super) fn when(text: &str) -> Option<RecordedTime> {
    let (seconds, has_offset) = if let Ok(time) = text.parse::<Timestamp>() {
        (time.as_microsecond() as f64 / 1e6 - MONDAY, true)
    } else {
        let time: DateTime = text.parse().ok()?;
        (time.duration_since(date(2001, 1, 1).at(0, 0, 0, 0)).as_secs_f64(), false)
    };
    within(seconds / 3_600.0).map(|hours| RecordedTime { hours, has_offset })
}

/// The time that a number of seconds since 1970 says.
pub(super) fn unix(text: &str) -> Option<RecordedTime> {
    let seconds: f64 = text.parse().ok()?;
    within((seconds - MONDAY) / 3_600.0).map(|hours| RecordedTime { hours, has_offset: true })
}

/// The time that a number of hours from the midnight before a Monday says.
pub(super) fn hours(text: &str) -> Option<RecordedTime> {
    within(text.parse().ok()?).map(|hours| RecordedTime { hours, has_offset: true })
}

fn within(hours: f64) -> Option<f64> {
    (hours.abs() < FURTHEST).then_some(hours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_hours_of_utc() {
        let cases = [
            ("2001-01-01T00:00:00Z", Some((0.0, true))),
            ("2001-01-02T01:30:00+01:00", Some((24.5, true))),
            ("2001-01-01T02:00:00", Some((2.0, false))),
            ("2001-01-01 02:00:00", Some((2.0, false))),
            ("2000-12-31T23:00:00Z", Some((-1.0, true))),
            ("9999-01-01T00:00:00Z", None),
            ("NA", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(when(text).map(|when| (when.hours, when.has_offset)), expected, "{text}");
        }
    }

    #[test]
    fn seconds_since_1970_and_hours_are_read_within_a_century() {
        // 2001-01-01T01:00:00Z.
        assert_eq!(unix("978310800").map(|when| when.hours), Some(1.0));
        assert_eq!(hours("-3.5").map(|when| when.hours), Some(-3.5));
        for text in ["NaN", "inf", "1e300", "x"] {
            assert_eq!((unix(text), hours(text)), (None, None), "{text}");
        }
    }
}
