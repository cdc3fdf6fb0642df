//! Two amounts and their difference, rounded so that they add up.

use crossover_quantity::unit::Unit;

use crate::money::dollars;

/// Most digits of the larger amount.
const MOST_DIGITS: i32 = 6;
/// Fewest and most digits of the smaller of the difference and the amount that is left.
const DIGITS: [i32; 2] = [2, 3];

/// Costs today and after a change, and what the change saves, US dollars, all rounded to the same place: the first of the
/// texts minus the second is the third, to the digit.
///
/// The smaller of the last two has two significant digits, or three if the nearest amounts of two digits do not add up, unless today's
/// cost would have more than six. Where those of three digits do not add up either, the amount with the largest error is rounded the
/// other way: it is off by at most two thirds of a unit of its last digit, any other by at most half a unit.
#[must_use]
pub fn costs_and_saving(today: f64, after: f64) -> [String; 3] {
    let saving = today - after;
    let magnitude = |usd: f64| floor(usd.abs().log10());
    let is_finite = today.is_finite() && after.is_finite();
    if !is_finite || today == 0.0 || saving == 0.0 {
        return [today, after, saving].map(dollars);
    }
    let smaller = if after == 0.0 { saving } else { saving.abs().min(after.abs()) };
    let amounts = [today, after, saving];
    let place_of = |digits: i32| (magnitude(smaller) + 1 - digits).max(magnitude(today) + 1 - MOST_DIGITS);
    let nearest = |digits: i32| {
        let place = place_of(digits);
        let units = amounts.map(|usd| in_units(usd, place).round());
        (excess(units) == 0.0).then_some((place, units))
    };
    let [fewest, most] = DIGITS;
    let (mut place, mut units) = (fewest..=most).find_map(nearest).unwrap_or_else(|| {
        let place = place_of(most);
        (place, adding_up(amounts.map(|usd| in_units(usd, place))))
    });
    // Zeros that all three end in say nothing.
    while place < 0 && units.iter().all(|count| count % 10.0 == 0.0) {
        units = units.map(|count| count / 10.0);
        place += 1;
    }
    units.map(|count| written(count, place))
}

/// An amount in units of 10^`place` dollars.
fn in_units(usd: f64, place: i32) -> f64 {
    // Powers of ten with a positive exponent are exact.
    let power = 10.0_f64.powi(place.abs());
    if place < 0 { usd * power } else { usd / power }
}

/// What the first is more than the sum of the others.
fn excess([today, after, saving]: [f64; 3]) -> f64 {
    today - after - saving
}

/// Whole numbers near these ones that add up: the one with the largest error is rounded the other way if the nearest ones do not.
fn adding_up(exact: [f64; 3]) -> [f64; 3] {
    let mut units = exact.map(f64::round);
    let excess = excess(units);
    let error = |of: usize| (exact[of] - units[of]).abs();
    let farthest = (0..units.len()).max_by(|one, other| error(*one).total_cmp(&error(*other))).unwrap_or(0);
    units[farthest] += if farthest == 0 { -excess } else { excess };
    units
}

#[expect(clippy::cast_possible_truncation, reason = "the exponent of a number")]
fn floor(exponent: f64) -> i32 {
    exponent.floor() as i32
}

/// So many units of 10^`place` dollars: "−$1,234.50".
fn written(count: f64, place: i32) -> String {
    let sign = if count < 0.0 { "−" } else { "" };
    let count = count.abs();
    let decimals = usize::try_from(-place).unwrap_or(0);
    if decimals == 0 {
        return format!("{sign}${}", Unit::Count.format(count * 10.0_f64.powi(place)));
    }
    let scale = 10.0_f64.powi(-place);
    let whole = (count / scale).floor();
    format!("{sign}${}.{:0decimals$.0}", Unit::Count.format(whole), count - whole * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number in a text, in 10^−15 dollars.
    fn number(text: &str) -> i128 {
        let (sign, text) = text.strip_prefix('−').map_or((1, text), |rest| (-1, rest));
        let text = text.strip_prefix('$').expect("dollars").replace(',', "");
        let (whole, part) = text.split_once('.').unwrap_or((text.as_str(), ""));
        let digits = format!("{whole}{part:0<15}");
        sign * digits.parse::<i128>().expect("a number")
    }

    #[test]
    fn amounts_are_rounded_to_the_same_place() {
        for (today, after, expected) in [
            // Each to two digits: 210 − 190 is not 16.
            (206.4, 190.2, ["$206", "$190", "$16"]),
            (400.0, 280.0, ["$400", "$280", "$120"]),
            (10.0, 6.0, ["$10", "$6", "$4"]),
            (0.003_024_5, 0.002_033_5, ["$0.00302", "$0.00203", "$0.00099"]),
            (12_345.0, 1_045.0, ["$12,300", "$1,000", "$11,300"]),
            (5.0, 7.0, ["$5", "$7", "−$2"]),
            (1.05, 0.02, ["$1.05", "$0.02", "$1.03"]),
            // Of two digits, $52 and $34 are nearest, and differ by 18, not by the 19 that is nearest to 18.536.
            (52.4, 33.864, ["$52.4", "$33.9", "$18.5"]),
        ] {
            assert_eq!(costs_and_saving(today, after), expected, "{today}, {after}");
        }
    }

    /// The largest power of ten, in 10^−15 dollars, that numbers are multiples of.
    fn unit(numbers: [i128; 3]) -> i128 {
        let mut unit = 1;
        while numbers.iter().all(|number| number % (unit * 10) == 0) {
            unit *= 10;
        }
        unit
    }

    #[test]
    fn what_is_printed_adds_up_to_the_digit() {
        for today in [1e-5, 0.003_024_533, 0.666_666_667, 0.999_9, 9.996, 41.0, 52.4, 206.4, 98_765.432_1, 3.2e7] {
            for share in [-0.7, 1e-7, 0.000_3, 0.004_9, 0.077, 0.333, 0.353_74, 0.5, 0.95, 0.999_6, 1.0] {
                let after = today * (1.0 - share);
                let exact = [today, after, today - after];
                let texts = costs_and_saving(today, after);
                let shown = texts.each_ref().map(|text| number(text));
                assert_eq!(shown[0] - shown[1], shown[2], "{texts:?}");
                let unit = unit(shown) as f64 / 1e15;
                let errors = [0, 1, 2].map(|of: usize| (shown[of] as f64 / 1e15 - exact[of]).abs() / unit);
                let worst = errors.into_iter().fold(0.0, f64::max);
                assert!(worst <= 2.0 / 3.0 + 1e-6, "{exact:?}: {texts:?}");
                // Off by more than half a unit only where three digits do not add up, or the first has its six.
                let smaller = if after == 0.0 { exact[2] } else { exact[2].abs().min(after) };
                let has_most = smaller / unit >= 99.5 || today / unit >= 99_999.5;
                assert!(worst <= 0.5 + 1e-6 || has_most, "{exact:?}: {texts:?}");
            }
        }
    }

    #[test]
    fn nothing_saved_is_nothing() {
        assert_eq!(costs_and_saving(4.0, 4.0)[2], dollars(0.0));
        assert_eq!(costs_and_saving(0.0, 0.0), [dollars(0.0), dollars(0.0), dollars(0.0)]);
    }
}
