//! Predictions as text, with as many digits as their intervals support, and shares of a time.

use std::cmp::Ordering;

use super::Unit;

/// Significant digits of a prediction.
const DIGITS: u32 = 2;
/// Most significant digits of a prediction that is compared with another number: those of a measured one.
const MOST_DIGITS: u32 = 4;
/// Numbers that differ by less than this share are the same number, rounded twice.
const SAME: f64 = 1e-9;
/// Smallest share of a time that is written as a number.
const LEAST_SHARE: f64 = 0.001;

/// A prediction with two significant digits: its interval supports no more.
#[must_use]
pub fn predicted(value: f64) -> f64 {
    significant(value, DIGITS)
}

/// A number with this many significant digits.
#[must_use]
pub fn significant(value: f64, digits: u32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10_f64.powf(value.abs().log10().floor() - f64::from(digits - 1));
    let rounded = (value / unit).round() * unit;
    // The smallest numbers have no such unit.
    if rounded.is_finite() { rounded } else { value }
}

/// A number that predictions are compared with, and as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    value: f64,
    shown: f64,
}

impl Compared {
    /// A measured or entered number.
    #[must_use]
    pub fn exact(value: f64) -> Self {
        Self { value, shown: significant(value, MOST_DIGITS) }
    }

    /// A prediction.
    #[must_use]
    pub fn predicted(value: f64) -> Self {
        Self { value, shown: predicted(value) }
    }
}

/// A prediction with two significant digits, or with as many more, at most four, as put it on the right side of each of the numbers that
/// it is compared with: 19.83 beside a limit of 20 is 19.8.
#[must_use]
pub fn predicted_beside(value: f64, others: &[Compared]) -> f64 {
    let others =
        || others.iter().map(move |other| (order(value, other.value), other.shown)).filter(|(of, _)| of.is_ne());
    let is_in_order = |rounded: &f64| others().all(|(of, shown)| order(*rounded, shown) == of);
    let is_told_apart = |rounded: &f64| others().all(|(_, shown)| order(*rounded, shown).is_ne());
    let rounded = || (DIGITS..=MOST_DIGITS).map(move |digits| significant(value, digits));
    let found = rounded().find(is_in_order).or_else(|| rounded().find(is_told_apart));
    found.unwrap_or_else(|| significant(value, MOST_DIGITS))
}

fn order(one: f64, other: f64) -> Ordering {
    if (one - other).abs() <= SAME * other.abs() { Ordering::Equal } else { one.total_cmp(&other) }
}

/// A positive limit rounded up to two significant digits, so that it is still met.
#[must_use]
pub fn predicted_limit(limit: f64) -> f64 {
    let unit = 10_f64.powf(limit.log10().floor() - f64::from(DIGITS - 1));
    (limit / unit).ceil() * unit
}

/// A chance in whole percent, never 0 or 100 %: "88 %", ">99 %".
#[must_use]
pub fn chance(chance: f64) -> String {
    match (chance * 100.0).round() {
        rounded if rounded >= 100.0 => ">99 %".to_owned(),
        rounded if rounded >= 1.0 => format!("{rounded:.0} %"),
        _ => "<1 %".to_owned(),
    }
}

/// A share of samples to a tenth of a percent, all or nothing only where it is: "94.2 %", "99.9 %", "100 %".
#[must_use]
pub fn share_of_samples(share: f64) -> String {
    let thousandths = (share * 1_000.0).round();
    let thousandths = if share > 0.0 && share < 1.0 { thousandths.clamp(1.0, 999.0) } else { thousandths };
    Unit::Share.format(thousandths / 1_000.0)
}

/// A share of a time with one decimal of a percent: "18.4 %", "50 %", "<0.1 %"; a part is never all of it: ">99.9 %".
#[must_use]
pub fn share_of_time(share: f64) -> String {
    let rounded = (share / LEAST_SHARE).round() * LEAST_SHARE;
    if share > 0.0 && share < LEAST_SHARE {
        "<0.1 %".to_owned()
    } else if share < 1.0 && rounded >= 1.0 {
        ">99.9 %".to_owned()
    } else {
        Unit::Share.format(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_has_two_digits() {
        for (value, expected) in [(0.0, 0.0), (4.054, 4.1), (25.26, 25.0), (0.004_403, 0.0044), (-1234.0, -1200.0)] {
            assert!((predicted(value) - expected).abs() <= 1e-12 * expected.abs(), "{value}: {}", predicted(value));
        }
        assert_eq!((predicted(f64::INFINITY), predicted(5e-324)), (f64::INFINITY, 5e-324));
    }

    /// With two digits 19.83, 20.31 and 19.96 are 20, and 43.61 is 44, above 43.66.
    #[test]
    fn a_prediction_has_the_digits_that_tell_it_from_what_it_is_compared_with() {
        let limit = [Compared::exact(20.0)];
        let today = [Compared::exact(43.66)];
        let both = [today[0], limit[0]];
        for (value, others, expected) in [
            (19.83, &limit[..], 19.8),
            (20.31, &limit, 20.3),
            (19.96, &limit, 19.96),
            (19.4, &limit, 19.0),
            (20.6, &limit, 21.0),
            (19.83, &[], 20.0),
            (20.0, &limit, 20.0),
            // Four digits are the most.
            (19.9999, &limit, 20.0),
            (43.61, &today, 43.6),
            (43.72, &today, 44.0),
            (19.83, &both, 19.8),
            // Today's prediction is written as 44.
            (43.61, &[Compared::predicted(43.82)], 43.6),
            (44.21, &[Compared::predicted(43.82)], 44.2),
        ] {
            let found = predicted_beside(value, others);
            assert!((found - expected).abs() <= 1e-12 * expected, "{value}: {found} instead of {expected}");
        }
    }

    #[test]
    fn shares_of_samples_round_to_all_or_nothing_only_where_they_are() {
        let texts = [1.0, 0.999_51, 0.995_4, 0.942_26, 0.000_2, 0.0].map(share_of_samples);
        assert_eq!(texts, ["100 %", "99.9 %", "99.5 %", "94.2 %", "0.1 %", "0 %"]);
    }

    #[test]
    fn a_share_of_a_time_has_one_decimal_and_a_small_one_is_no_number() {
        for (share, expected) in [
            (0.0, "0 %"),
            (0.000_599_5, "<0.1 %"),
            (0.000_999, "<0.1 %"),
            (0.001, "0.1 %"),
            (0.059_95, "6 %"),
            (0.184_2, "18.4 %"),
            (0.5, "50 %"),
            (0.999_4, "99.9 %"),
            (0.999_6, ">99.9 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(share_of_time(share), expected, "{share}");
        }
    }

    #[test]
    fn a_chance_is_never_certain() {
        let texts = [0.0, 0.004, 0.005, 0.5, 0.994, 0.995, 1.0].map(chance);
        assert_eq!(texts, ["<1 %", "<1 %", "1 %", "50 %", "99 %", ">99 %", ">99 %"]);
        assert_eq!(chance(f64::NAN), "<1 %");
    }
}
