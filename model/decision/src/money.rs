//! Amounts of US dollars as text.

use crossover_quantity::unit::{Unit, significant};

use crate::place::{floor, in_units, written};

/// Significant digits of a predicted amount.
const PREDICTED: u32 = 2;
/// Significant digits of a price.
const KNOWN: u32 = 3;
/// Most digits that tell two prices apart.
const MOST: u32 = 5;
/// Digits of the price of one of several machines beyond which something changes.
const DIGITS_OF_EACH: std::ops::RangeInclusive<i32> = 3..=5;
/// Smallest amount, US dollars, that is written without an exponent: its two digits are within ten decimals.
const SMALLEST_PLAIN: f64 = 1e-9;

/// A predicted amount: "$0.0044", "$0.000022"; a loss is "−$0.0044".
#[must_use]
pub fn dollars(value: f64) -> String {
    with_digits(value, PREDICTED)
}

/// A price: "$1.96".
#[must_use]
pub fn price_dollars(value: f64) -> String {
    with_digits(value, KNOWN)
}

/// An expected saving of a month or a year: "$18.6" and "$223". It has three digits, so that twelve months as shown are a year as shown.
#[must_use]
pub fn monthly_dollars(value: f64) -> String {
    with_digits(value, KNOWN)
}

/// A price beyond which something changes, rounded away from the present one, with three digits or as many as tell both apart: "$1.64",
/// and "$1.399" below a present price of $1.40.
#[must_use]
pub fn price_limit(limit: f64, present: f64) -> String {
    let rounded = |digits: u32| {
        let step = last_digit(limit, digits);
        let steps = limit / step;
        let steps = if limit > present { steps.ceil() } else { steps.floor() };
        with_digits(steps * step, digits)
    };
    let shown = price_dollars(present);
    (KNOWN..=MOST).map(rounded).find(|limit| *limit != shown).unwrap_or(shown)
}

/// The same of several machines: the price of all of them, and that of each, to the same place. The first is so many times the second:
/// "$1.842" and "$0.921" of two.
#[must_use]
pub fn price_limit_of_several(limit: f64, present: f64, machines: f64) -> [String; 2] {
    let each = limit / machines;
    let shown = [present, present / machines].map(price_dollars);
    if !each.is_finite() || each <= 0.0 {
        return shown;
    }
    let rounded = |digits: i32| {
        let mut place = floor(each.log10()) + 1 - digits;
        let units = in_units(each, place);
        let mut units = if limit > present { units.ceil() } else { units.floor() };
        // Trailing zeros of the price of each are left out.
        while place < 0 && units % 10.0 == 0.0 {
            units /= 10.0;
            place += 1;
        }
        [units * machines, units].map(|units| written(units, place))
    };
    let differs = |limits: &[String; 2]| limits.iter().zip(&shown).all(|(limit, shown)| limit != shown);
    DIGITS_OF_EACH.map(rounded).find(differs).unwrap_or(shown)
}

/// An amount with this many significant digits; of hundreds of dollars, no cents.
fn with_digits(value: f64, digits: u32) -> String {
    let rounded = significant(value, digits);
    let sign = if rounded < 0.0 { "−" } else { "" };
    let amount = rounded.abs();
    let digits = if amount >= 100.0 {
        Unit::Count.format(amount.round())
    } else if (SMALLEST_PLAIN..0.001).contains(&amount) {
        format!("{amount:.10}").trim_end_matches('0').to_owned()
    } else {
        Unit::Ratio.format(amount)
    };
    format!("{sign}${digits}")
}

/// One of the last of this many significant digits.
fn last_digit(value: f64, digits: u32) -> f64 {
    10_f64.powf(value.abs().log10().floor() - f64::from(digits - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_three_digits() {
        for (value, expected) in [(0.192, "$0.192"), (1.9552, "$1.96"), (18.432, "$18.4"), (184.32, "$184")] {
            assert_eq!(price_dollars(value), expected, "{value}");
        }
    }

    /// Of two machines at $1.8437, each costs $0.92185: rounded down, $0.921, which is $1.842 together and not $1.84.
    #[test]
    fn the_price_of_several_machines_is_that_of_each_times_their_number() {
        let limits = |limit, present, machines| price_limit_of_several(limit, present, machines);
        assert_eq!(limits(1.8437, 1.96, 2.0), ["$1.842", "$0.921"]);
        assert_eq!(limits(1.6418, 1.96, 2.0), ["$1.64", "$0.82"]);
        assert_eq!(limits(1.6112, 1.96, 2.0), ["$1.610", "$0.805"]);
        assert_eq!(limits(4.13, 3.91, 4.0), ["$4.16", "$1.04"]);
        assert_eq!(limits(1.9636, 1.9552, 2.0), ["$1.964", "$0.982"]);
        // With three digits, each would be the present $0.98.
        assert_eq!(limits(1.960_25, 1.960_6, 2.0), ["$1.9602", "$0.9801"]);
        assert_eq!(limits(1_234.0, 1_000.0, 4.0), ["$1,236", "$309"]);
    }

    /// Rounded towards the present price, a limit would not be passed by a price that looks like it.
    #[test]
    fn a_limit_is_rounded_away_from_the_present_price_and_differs_from_it() {
        assert_eq!(price_limit(1.6437, 2.0), "$1.64");
        assert_eq!(price_limit(2.1362, 2.0), "$2.14");
        assert_eq!(price_limit(1.3778, 1.36), "$1.38");
        assert_eq!(price_limit(1.3241, 1.4), "$1.32");
        assert_eq!(price_limit(1.403, 1.397_6), "$1.41");
        // With three digits both would be $1.4.
        assert_eq!(price_limit(1.399, 1.397_6), "$1.399");
    }
}
