//! The longest time of a run, in the form in which it was entered.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;

use crossover_quantity::unit::{Compared, Unit, predicted_beside};
use serde::{Deserialize, Serialize};

/// Smallest and largest factor of today's time.
const FACTORS: RangeInclusive<f64> = 0.01..=1e3;
/// Shortest and longest time, seconds.
const SECONDS: RangeInclusive<f64> = 1e-6..=1e9;

/// The longest time of a run. A factor follows today's time; a time does not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "WrittenLimit", into = "WrittenLimit")]
pub enum TimeLimit {
    /// As a factor of today's time.
    Factor(f64),
    /// Seconds.
    Seconds(f64),
}

/// A time limit as it is written: one of both is absent.
#[derive(Serialize, Deserialize)]
struct WrittenLimit {
    #[serde(default)]
    time_limit: Option<f64>,
    #[serde(default)]
    time_limit_seconds: Option<f64>,
}

impl TimeLimit {
    /// Today's time.
    pub const TODAY: Self = Self::Factor(1.0);

    /// It as a factor of today's time, seconds. A time that is printed like today's is today's, whose further digits are not printed: a limit a
    /// little below would be one that today's run breaks.
    #[must_use]
    pub fn factor(self, today_seconds: f64) -> f64 {
        match self {
            Self::Factor(factor) => factor,
            Self::Seconds(seconds) if Unit::Seconds.format(seconds) == Unit::Seconds.format(today_seconds) => 1.0,
            Self::Seconds(seconds) => seconds / today_seconds,
        }
    }

    /// It in seconds, where a run takes so long today.
    #[must_use]
    pub fn seconds(self, today_seconds: f64) -> f64 {
        match self {
            Self::Factor(factor) => factor * today_seconds,
            Self::Seconds(_) if self.is_today(today_seconds) => today_seconds,
            Self::Seconds(seconds) => seconds,
        }
    }

    /// Whether it is today's time.
    #[must_use]
    pub fn is_today(self, today_seconds: f64) -> bool {
        (self.factor(today_seconds) - 1.0).abs() < f64::EPSILON
    }

    /// The factor; `None` of a time.
    #[must_use]
    pub fn as_factor(self) -> Option<f64> {
        match self {
            Self::Factor(factor) => Some(factor),
            Self::Seconds(_) => None,
        }
    }

    /// The seconds; `None` of a factor.
    #[must_use]
    pub fn as_seconds(self) -> Option<f64> {
        match self {
            Self::Factor(_) => None,
            Self::Seconds(seconds) => Some(seconds),
        }
    }

    /// The number that was entered: the factor, or the seconds.
    #[must_use]
    pub fn amount(self) -> f64 {
        match self {
            Self::Factor(amount) | Self::Seconds(amount) => amount,
        }
    }

    /// One of the same form with another number.
    #[must_use]
    pub fn with_amount(self, amount: f64) -> Self {
        match self {
            Self::Factor(_) => Self::Factor(amount),
            Self::Seconds(_) => Self::Seconds(amount),
        }
    }

    /// The smallest and the largest number of this form.
    #[must_use]
    pub fn range(self) -> RangeInclusive<f64> {
        match self {
            Self::Factor(_) => FACTORS,
            Self::Seconds(_) => SECONDS,
        }
    }

    /// In the form in which it was entered: "0.5× today’s time", "20 s".
    #[must_use]
    pub fn in_words(self) -> String {
        match self {
            Self::Factor(factor) => format!("{} today’s time", Unit::Factor.format(factor)),
            Self::Seconds(seconds) => Unit::Seconds.format(seconds),
        }
    }

    /// The entered form first: "0.5× today’s time (10 s)", "20 s (0.46× today’s time)". A factor of another time than today's is not "1×".
    #[must_use]
    pub fn in_both_forms(self, today_seconds: f64) -> String {
        let other = match self {
            Self::Factor(_) => Unit::Seconds.format(self.seconds(today_seconds)),
            Self::Seconds(_) => {
                let factor = predicted_beside(self.factor(today_seconds), &[Compared::exact(1.0)]);
                Self::Factor(factor).in_words()
            }
        };
        format!("{} ({other})", self.in_words())
    }
}

/// As an argument: "1.2x", "20s".
impl Display for TimeLimit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Factor(factor) => write!(formatter, "{factor}x"),
            Self::Seconds(seconds) => write!(formatter, "{seconds}s"),
        }
    }
}

impl From<TimeLimit> for WrittenLimit {
    fn from(limit: TimeLimit) -> Self {
        Self { time_limit: limit.as_factor(), time_limit_seconds: limit.as_seconds() }
    }
}

impl From<WrittenLimit> for TimeLimit {
    fn from(written: WrittenLimit) -> Self {
        let seconds = written.time_limit_seconds.map(Self::Seconds);
        seconds.or(written.time_limit.map(Self::Factor)).unwrap_or(Self::TODAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_divided_by_that_of_today_and_stays_itself() {
        assert_eq!(TimeLimit::Seconds(10.0).factor(40.0), 0.25);
        assert_eq!(TimeLimit::Factor(1.5).factor(40.0), 1.5);
        assert_eq!([40.0, 60.0].map(|today| TimeLimit::Seconds(10.0).seconds(today)), [10.0; 2]);
        assert_eq!([40.0, 60.0].map(|today| TimeLimit::Factor(1.5).seconds(today)), [60.0, 90.0]);
        // Both are "56.71 s", and the next one is "56.7 s".
        assert_eq!(TimeLimit::Seconds(56.71).factor(56.7134), 1.0);
        assert_eq!(TimeLimit::Seconds(56.71).seconds(56.7134), 56.7134);
        assert_eq!(TimeLimit::Seconds(56.7).factor(56.7134), 56.7 / 56.7134);
    }

    /// 20 s of 43.66 s are 0.45808, and 0.5 of 20 s are 10 s.
    #[test]
    fn the_entered_form_is_first() {
        assert_eq!(TimeLimit::Seconds(20.0).in_both_forms(43.66), "20 s (0.46× today’s time)");
        assert_eq!(TimeLimit::Factor(0.5).in_both_forms(20.0), "0.5× today’s time (10 s)");
    }

    /// 43.6 s and 44 s of 43.66 s are 0.99863 and 1.00779, and 43.65 s are 0.99977.
    #[test]
    fn another_time_than_that_of_today_is_not_once_that_of_today() {
        let of = |seconds: f64| TimeLimit::Seconds(seconds).in_both_forms(43.66);
        assert_eq!(of(43.6), "43.6 s (0.999× today’s time)");
        assert_eq!(of(43.65), "43.65 s (0.9998× today’s time)");
        assert_eq!(of(44.0), "44 s (1.01× today’s time)");
        assert_eq!(of(43.66), "43.66 s (1× today’s time)");
    }
}
