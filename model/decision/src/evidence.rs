//! What a prediction is based on: measured runs, their age, and how far they are from the workload.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Measurements that are older than this many days have a warning.
const OLD_FROM_DAYS: i32 = 365;

/// What a prediction is based on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// The measured runs: "48 TPC-DS queries at scale factor 1000 on AWS".
    pub runs: String,
    /// Day or month of the measurements, `YYYY-MM-DD` or `YYYY-MM`; empty if not known.
    pub date: String,
    /// What the time is predicted from, as the end of a sentence: "its measured time, data read, files and exchanges"; empty if it is
    /// the time in the model of the engine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub basis: String,
    /// Differences between those runs and this workload, a sentence each.
    pub distance: Vec<String>,
    /// Differences that may change the answer, a sentence each.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The version of the engine of today against the measured one, if it is another; also among the sentences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionDifference>,
    /// Whether the option's engine supports today's engine; `None` if its documents are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<VersionSupport>,
    /// The error of the predictions; `None` without a measured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<PredictionError>,
}

/// Whether an engine supports the version of today's engine that it would run on, as its own documents say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionSupport {
    /// Whether it does; `None` if the documents leave it open, as for a vendor's build.
    pub is_supported: Option<bool>,
    /// What the documents say, and the nearest version that is supported if this one is not; without a full stop.
    pub sentence: String,
    /// The documents and their date.
    pub source: String,
}

/// The error of predicted times of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictionError {
    /// Factor within which 90 % of the measured times lay.
    pub factor_90: f64,
    /// Which factor it is, and why this one; without a full stop.
    pub why: String,
}

/// Another version of today's engine than the one that was measured against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionDifference {
    /// The measured engine and its version: "Spark 3.5.3".
    pub measured: String,
    /// The engine of today and its version: "Spark 3.3.0".
    pub today: String,
    /// Whether its major version is another one; else only the minor one is.
    pub is_major: bool,
}

/// "Spark 4.3.0 differs in the major version from Spark 3.5.3, which was measured"
impl fmt::Display for VersionDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measured, today, is_major } = self;
        let what = if *is_major { "major" } else { "minor" };
        write!(f, "{today} differs in the {what} version from {measured}, which was measured")
    }
}

impl Evidence {
    /// A warning if the measurements are more than a year older than this day.
    #[must_use]
    pub fn age_warning(&self, today: Date) -> Option<String> {
        let (day, when) = self.measured()?;
        let is_old = (today - day).get_days() > OLD_FROM_DAYS;
        is_old.then(|| format!("measured {when}, more than a year ago; newer versions may be faster or slower"))
    }

    /// The latest day of the measurements, and when they were: "on 2026-01-12", "in 2026-06".
    fn measured(&self) -> Option<(Date, String)> {
        let Self { date, .. } = self;
        if let Ok(day) = date.parse() {
            return Some((day, format!("on {date}")));
        }
        let first: Date = format!("{date}-01").parse().ok()?;
        Some((first.last_of_month(), format!("in {date}")))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn of(date: &str) -> Evidence {
        Evidence { date: date.to_owned(), ..Evidence::default() }
    }

    /// 2025 has 365 days.
    #[test]
    fn measurements_of_the_last_365_days_have_no_warning() {
        let evidence = of("2025-01-12");
        for (today, is_old) in [
            (date(2025, 1, 12), false),
            (date(2026, 1, 11), false),
            (date(2026, 1, 12), false),
            (date(2026, 1, 13), true),
            (date(2024, 1, 1), false),
        ] {
            let warning = evidence.age_warning(today);
            assert_eq!(warning.is_some(), is_old, "{today}: {warning:?}");
            assert!(warning.is_none_or(|warning| warning.contains("on 2025-01-12")));
        }
    }

    #[test]
    fn a_month_counts_from_its_last_day_and_an_unknown_date_never() {
        assert_eq!(of("2025-01").age_warning(date(2026, 1, 31)), None);
        let warning = of("2025-01").age_warning(date(2026, 2, 1)).expect("366 days");
        assert!(warning.contains("in 2025-01"), "{warning}");
        for unknown in ["", "last year", "2025", "2025-13"] {
            assert_eq!(of(unknown).age_warning(date(2099, 1, 1)), None, "{unknown}");
        }
    }
}
