//! Amounts of US dollars as text.

use crossover_quantity::unit::{Unit, significant};

use crate::place::{floor, in_units, written};

/// Significant digits of a predicted amount.
const PREDICTED: u32 = 2;
/// Significant digits of an amount that is measured, or that others must add up to.
const KNOWN: u32 = 3;
/// Significant digits of a price per hour; one in cents may have more.
const DIGITS_OF_PRICE: i32 = 3;
/// Relative difference of equal amounts.
const ROUNDING: f64 = 1e-9;
/// Place of cents, as a power of ten of dollars.
const CENTS: i32 = -2;
/// More digits that tell a price beyond which something changes from the present one.
const MORE_DIGITS: std::ops::RangeInclusive<i32> = 0..=2;
/// Smallest amount, US dollars, that is written without an exponent: its two digits are within ten decimals.
const SMALLEST_PLAIN: f64 = 1e-9;

/// A predicted amount: "$0.0044", "$0.000022"; a loss is "−$0.0044".
#[must_use]
pub fn dollars(value: f64) -> String {
    with_digits(value, PREDICTED)
}

/// A price per hour, in cents: "$0.30", "$2.10", "$18.43". Below a dollar it has three digits where cents are fewer, "$0.192", and from a
/// hundred dollars on no cents.
#[must_use]
pub fn price_dollars(value: f64) -> String {
    if value == 0.0 {
        return "$0".to_owned();
    }
    let place = place_of_price(value);
    let (units, place) = without_zeros(in_units(value, place).round(), place);
    written(units, place)
}

/// An amount that is no prediction, such as what measured runs cost, or a budget: "$0.738".
#[must_use]
pub fn known_dollars(value: f64) -> String {
    with_digits(value, KNOWN)
}

/// An expected saving of a month or a year: "$18.6" and "$223". It has three digits, so that twelve months as shown are a year as shown.
#[must_use]
pub fn monthly_dollars(value: f64) -> String {
    with_digits(value, KNOWN)
}

/// A largest amount that something holds for, rounded down to three digits, so that it holds for the amount as shown: "$10.5".
#[must_use]
pub(crate) fn largest_dollars(value: f64) -> String {
    known_dollars(rounded_down(value))
}

/// The amount that [`largest_dollars`] shows.
pub(crate) fn rounded_down(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return value;
    }
    let place = floor(value.log10()) - (DIGITS_OF_PRICE - 1);
    let units = in_units(value, place);
    let nearest = units.round();
    // A product such as 36 × 10 may be a little below the amount that it stands for.
    let down = if (units - nearest).abs() < ROUNDING * units { nearest } else { units.floor() };
    in_units(down, -place)
}

/// A price beyond which something changes, rounded away from the present one, as a price or with as many more digits as tell both apart:
/// "$1.64", and "$1.399" below a present price of $1.40.
#[must_use]
pub fn price_limit(limit: f64, present: f64) -> String {
    let [limit, _] = price_limit_of_several(limit, present, 1.0);
    limit
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
    let rounded = |more: i32| {
        let place = to_cents(place_of_price(each) - more);
        let units = in_units(each, place);
        let (units, place) = without_zeros(if limit > present { units.ceil() } else { units.floor() }, place);
        [units * machines, units].map(|units| written(units, place))
    };
    let differs = |limits: &[String; 2]| limits.iter().zip(&shown).all(|(limit, shown)| limit != shown);
    MORE_DIGITS.map(rounded).find(differs).unwrap_or(shown)
}

/// The place of the last digit of a price that is not 0: three significant digits, and cents below a hundred dollars.
fn place_of_price(usd: f64) -> i32 {
    let place = floor(usd.abs().log10()) - (DIGITS_OF_PRICE - 1);
    if usd.abs() < 100.0 { place.min(CENTS) } else { place }
}

/// A place of dollars; tenths of a dollar are written in cents.
fn to_cents(place: i32) -> i32 {
    if place == CENTS + 1 { CENTS } else { place }
}

/// The same price, so many units of 10^`place` dollars, without zeros behind its cents.
fn without_zeros(mut units: f64, mut place: i32) -> (f64, i32) {
    while place < CENTS && units % 10.0 == 0.0 {
        units /= 10.0;
        place += 1;
    }
    (units, place)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_have_cents_and_below_a_dollar_up_to_three_digits() {
        for (value, expected) in [
            (0.0123, "$0.0123"),
            (0.05, "$0.05"),
            (0.192, "$0.192"),
            (0.3, "$0.30"),
            (1.9552, "$1.96"),
            (2.0, "$2.00"),
            (2.1, "$2.10"),
            (18.432, "$18.43"),
            (184.32, "$184"),
            (1234.0, "$1,230"),
            (0.0, "$0"),
        ] {
            assert_eq!(price_dollars(value), expected, "{value}");
        }
    }

    /// What is shown is at most the limit: $10.599 is not $10.6, and $996.9 is not $997. Of hundreds of dollars, no cents are shown.
    #[test]
    fn a_largest_amount_is_rounded_down() {
        for (value, expected) in [
            (10.548, "$10.5"),
            (10.599, "$10.5"),
            (0.012_39, "$0.0123"),
            (996.9, "$996"),
            (12_399.0, "$12,300"),
            (360.0, "$360"),
            (359.999_999_999_9, "$360"),
        ] {
            assert_eq!(largest_dollars(value), expected, "{value}");
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
