//! Time limits on the command line: "1.2x" of today's time, or "10s".

use crossover_decision::TimeLimit;
use crossover_quantity::unit::Unit;

/// Smallest factor of today's time that a scenario has.
const SMALLEST_FACTOR: f64 = 0.01;
/// Highest factor of a time limit.
const LARGEST_FACTOR: f64 = 1e3;
/// Longest time limit, seconds.
const LONGEST_SECONDS: f64 = 1e9;
/// Units of an absolute time, in seconds; the longest name first.
const UNITS: [(&str, f64); 4] = [("min", 60.0), ("ms", 1e-3), ("h", 3600.0), ("s", 1.0)];

/// Reads a time limit: "1.2x" or "1.2×"; "10s", "5min" or "1h". A number alone could be either.
///
/// # Errors
/// What was expected instead.
pub fn limit(text: &str) -> Result<TimeLimit, String> {
    let refused = || {
        "expected a factor above 0 and up to 1,000 with an x, such as 1.2x, or a time with its unit, such as 10s or 5min"
            .to_owned()
    };
    let text = text.trim().to_lowercase();
    let number = |text: &str, largest: f64| {
        let number = Unit::Count.parse(text).ok()?;
        (number > 0.0 && number <= largest).then_some(number)
    };
    for (unit, seconds) in UNITS {
        if let Some(amount) = text.strip_suffix(unit) {
            let amount = number(amount, LONGEST_SECONDS / seconds).ok_or_else(refused)?;
            return Ok(TimeLimit::Seconds(amount * seconds));
        }
    }
    let factor = text.strip_suffix(['x', '×']).and_then(|factor| number(factor, LARGEST_FACTOR));
    factor.map(TimeLimit::Factor).ok_or_else(refused)
}

/// Reads a time limit of applications whose times differ: a factor of today's time, "1.2x" or "1.2".
///
/// # Errors
/// What was expected instead.
pub fn factor(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let number = text.parse::<f64>();
    let read = if number.is_ok() { limit(&format!("{text}x")) } else { limit(text) };
    match read {
        Ok(TimeLimit::Factor(factor)) if factor >= SMALLEST_FACTOR => Ok(factor),
        _ => Err("expected a factor of today's time from 0.01 to 1,000, such as 1.2x".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_many_applications_is_a_factor() {
        assert_eq!([factor("1.2x"), factor("0.01")], [Ok(1.2), Ok(0.01)]);
        for wrong in ["10s", "0.001x", "1001x", "fast"] {
            assert!(factor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_limit_is_a_factor_or_a_time() {
        for (text, expected) in [
            ("1.2x", TimeLimit::Factor(1.2)),
            ("0.5X", TimeLimit::Factor(0.5)),
            ("2×", TimeLimit::Factor(2.0)),
            ("10s", TimeLimit::Seconds(10.0)),
            ("5 min", TimeLimit::Seconds(300.0)),
            ("1.5h", TimeLimit::Seconds(5400.0)),
            ("3,000s", TimeLimit::Seconds(3000.0)),
        ] {
            assert_eq!(limit(text), Ok(expected), "{text}");
            assert_eq!(limit(&expected.to_string()), Ok(expected), "{text}");
        }
        for wrong in ["", "30", "0.5", "0x", "-1x", "nan", "inf", "0s", "s", "-2s", "1001x", "2d", "infs"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
