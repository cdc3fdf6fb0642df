//! Numbers of measurements: above 0, with a unit of time or of a rate.

use super::Probed;
use crate::left_out::shown;

/// Most units of a run, as in `scaling`.
const MOST_UNITS: f64 = 1e9;

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Quantity {
    /// A time, seconds.
    Seconds(f64),
    /// Work in a time, with its unit.
    Rate(f64, String),
}

impl Quantity {
    /// The number with its unit: a time as seconds, anything with a stroke or named as a rate as it is.
    ///
    /// # Errors
    /// It is neither, or no number above 0 in seconds.
    pub(super) fn of(value: f64, unit: &str) -> Result<Self, String> {
        let is_rate = || {
            let unit = unit.to_ascii_lowercase();
            unit.contains('/') || ["flops", "flop", "ips", "iops", "bps", "hz"].iter().any(|end| unit.ends_with(end))
        };
        let seconds = match unit.to_lowercase().as_str() {
            "s" | "sec" | "secs" | "second" | "seconds" => value,
            "ms" | "msec" | "millisecond" | "milliseconds" => value / 1e3,
            // The sign of micro and the Greek letter.
            "us" | "usec" | "\u{b5}s" | "\u{3bc}s" | "microsecond" | "microseconds" => value / 1e6,
            "ns" | "nsec" | "nanosecond" | "nanoseconds" => value / 1e9,
            "min" | "mins" | "minute" | "minutes" => value * 60.0,
            "h" | "hour" | "hours" => value * 3_600.0,
            _ if is_rate() => return Ok(Self::Rate(value, unit.to_owned())),
            _ => return Err(format!("its unit is “{}”; expected a time or a rate", shown(unit))),
        };
        is_above_zero(seconds)
            .then_some(Self::Seconds(seconds))
            .ok_or_else(|| format!("{value} {unit} is out of range; expected a time above 0"))
    }

    /// Writes it where it belongs.
    pub(super) fn put_into(self, run: &mut Probed) {
        match self {
            Self::Seconds(seconds) => run.seconds = Some(seconds),
            Self::Rate(rate, unit) => run.rate = Some((rate, unit)),
        }
    }
}

/// Whether a time or a rate is valid.
pub(super) fn is_above_zero(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// Whether a number of units is valid.
pub(super) fn is_units(value: f64) -> bool {
    (1.0..=MOST_UNITS).contains(&value)
}

/// Whether a relative error is valid.
pub(super) fn is_error(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

/// The number above 0 of a field.
///
/// # Errors
/// It is none.
pub(super) fn above_zero(field: &str, text: &str) -> Result<f64, String> {
    number(field, text, "above 0", is_above_zero)
}

/// The number of units of a field.
///
/// # Errors
/// It is none.
pub(super) fn units(field: &str, text: &str) -> Result<f64, String> {
    number(field, text, "from 1 to 10⁹", is_units)
}

/// The relative error of a field.
///
/// # Errors
/// It is none.
pub(super) fn error(field: &str, text: &str) -> Result<f64, String> {
    number(field, text, "from 0 on", is_error)
}

fn number(field: &str, text: &str, expected: &str, is_allowed: fn(f64) -> bool) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| is_allowed(*value));
    value.ok_or_else(|| format!("{} is “{}”; expected a number {expected}", shown(field), shown(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_tells_a_time_from_a_rate() {
        let seconds = |value| Ok(Quantity::Seconds(value));
        assert_eq!(Quantity::of(250.0, "ms"), seconds(0.25));
        assert_eq!(Quantity::of(5.0, "us"), seconds(5.0 / 1e6));
        assert_eq!(Quantity::of(1.5, "min"), seconds(90.0));
        assert_eq!(Quantity::of(2.0, "s"), seconds(2.0));
        for unit in ["MB/s", "Gflop/s", "GFLOPS", "ns/day", "GHz"] {
            assert_eq!(Quantity::of(2.0, unit), Ok(Quantity::Rate(2.0, unit.to_owned())));
        }
        for (value, unit) in [(2.0, ""), (2.0, "W"), (f64::MAX, "h"), (5e-324, "ns")] {
            assert!(Quantity::of(value, unit).is_err(), "{value} {unit}");
        }
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        for text in ["0", "-1", "NaN", "inf", "1e999", "", "x"] {
            assert!(above_zero("seconds", text).is_err() && units("units", text).is_err(), "{text}");
        }
        assert!(units("units", "1e10").is_err() && units("units", "0.5").is_err() && error("error", "-0.1").is_err());
        assert_eq!((above_zero("", "1e-9"), units("", "8"), error("", "0")), (Ok(1e-9), Ok(8.0), Ok(0.0)));
    }
}
