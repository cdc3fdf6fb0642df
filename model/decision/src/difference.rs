//! Costs today and after changes, and what the changes save, rounded so that they add up.

use crate::money::dollars;
use crate::place::{floor, in_units, written};

/// Most digits of the larger amount.
const MOST_DIGITS: i32 = 6;
/// Digits of the smallest of the amounts that are left or saved: the first if amounts add up so.
const DIGITS: [i32; 2] = [2, 3];

/// Costs today and after each of some changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostsAndSavings<T> {
    /// The cost today.
    pub today: T,
    /// The cost after each change, and what the change saves.
    pub changes: Vec<[T; 2]>,
}

/// Costs today and after a change, and what the change saves, US dollars: [`costs_and_savings`] of one change.
#[must_use]
pub fn costs_and_saving(today: f64, after: f64) -> [String; 3] {
    let CostsAndSavings { today, changes } = costs_and_savings(today, &[after]);
    let [after, saving] = changes.into_iter().next().unwrap_or_default();
    [today, after, saving]
}

/// Costs today and after each of some changes, and what each saves, US dollars, all rounded to the same place: the cost today minus
/// that after a change is what the change saves, to the digit.
///
/// Of each change, the smaller of the last two has two significant digits, or three if the nearest amounts of two digits do not add up,
/// unless today's cost would have more than six; of several changes the smallest amount decides. Where amounts of three digits do not add
/// up either, the one with the largest error is rounded the other way: it is off by at most two thirds of a unit of its last digit, or
/// three quarters if there are several changes. Any other is off by at most half a unit.
#[must_use]
pub fn costs_and_savings(today: f64, after: &[f64]) -> CostsAndSavings<String> {
    let exact = CostsAndSavings { today, changes: after.iter().map(|after| [*after, today - after]).collect() };
    let Some(places) = exact.places() else { return exact.each(dollars) };
    let at = |place: i32| exact.each(|usd| in_units(usd, place));
    let nearest = places.map(|place| (place, at(place).each(f64::round)));
    let (mut place, mut units) = nearest.into_iter().find(|(_, units)| units.adds_up()).unwrap_or_else(|| {
        let [.., place] = places;
        (place, at(place).adding_up())
    });
    // Zeros that all end in say nothing.
    while place < 0 && units.all().all(|count| count % 10.0 == 0.0) {
        units = units.each(|count| count / 10.0);
        place += 1;
    }
    units.each(|count| written(count, place))
}

impl CostsAndSavings<f64> {
    fn each<T>(&self, of: impl Fn(f64) -> T) -> CostsAndSavings<T> {
        let changes = self.changes.iter().map(|[after, saving]| [of(*after), of(*saving)]);
        CostsAndSavings { today: of(self.today), changes: changes.collect() }
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        std::iter::once(self.today).chain(self.changes.iter().flatten().copied())
    }

    /// The places that amounts are rounded to, the first one if they add up there; `None` if no change saves or costs anything.
    fn places(&self) -> Option<[i32; 2]> {
        let magnitude = |usd: f64| floor(usd.abs().log10());
        let changing = self.changes.iter().filter(|[_, saving]| *saving != 0.0);
        let smaller =
            changing.map(|[after, saving]| if *after == 0.0 { *saving } else { saving.abs().min(after.abs()) });
        let is_known = self.today != 0.0 && self.all().all(f64::is_finite);
        let smallest = smaller.map(magnitude).min().filter(|_| is_known)?;
        Some(DIGITS.map(|digits| (smallest + 1 - digits).max(magnitude(self.today) + 1 - MOST_DIGITS)))
    }

    /// Of each change, what the cost today is more than the sum of the others.
    fn excesses(&self) -> impl Iterator<Item = f64> {
        self.changes.iter().map(|[after, saving]| self.today - after - saving)
    }

    fn adds_up(&self) -> bool {
        self.excesses().all(|excess| excess == 0.0)
    }

    /// Whole numbers near these ones that add up: the one with the largest error is rounded the other way if the nearest ones do not. The
    /// cost today is one only if that makes all changes add up.
    fn adding_up(&self) -> Self {
        let error = |exact: f64| (exact - exact.round()).abs();
        let mut units = self.each(f64::round);
        let excesses: Vec<f64> = units.excesses().collect();
        let is_same = excesses.windows(2).all(|two| two[0] == two[1]);
        if is_same && self.changes.iter().flatten().all(|amount| error(self.today) > error(*amount)) {
            units.today -= excesses.first().copied().unwrap_or_default();
            return units;
        }
        for ((rounded, [after, saving]), excess) in units.changes.iter_mut().zip(&self.changes).zip(excesses) {
            rounded[usize::from(error(*after) <= error(*saving))] += excess;
        }
        units
    }
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

    /// Alone, the first would be $1.00, $0.01 and $0.99, and the second $1.000, $0.011 and $0.989.
    #[test]
    fn several_changes_have_one_cost_today() {
        let CostsAndSavings { today, changes } = costs_and_savings(1.0, &[0.010_46, 0.010_983]);
        assert_eq!(today, "$1.000");
        assert_eq!(changes, [["$0.010", "$0.990"], ["$0.011", "$0.989"]]);
    }

    #[test]
    fn every_one_of_several_changes_adds_up_to_the_digit() {
        let shares = [-0.7, 0.000_3, 0.077, 0.333, 0.353_74, 0.484_6, 0.474_3, 0.5, 0.999_6, 0.0];
        for today in [1e-5, 0.003_024_533, 0.005_555_556, 0.999_9, 52.4, 206.4, 98_765.432_1] {
            for one in shares {
                for other in shares {
                    let after = [one, other].map(|share| today * (1.0 - share));
                    let rounded = costs_and_savings(today, &after);
                    let now = number(&rounded.today);
                    for [after, saving] in &rounded.changes {
                        assert_eq!(now - number(after), number(saving), "{today}, {one} and {other}: {rounded:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_saved_is_nothing() {
        assert_eq!(costs_and_saving(4.0, 4.0)[2], dollars(0.0));
        assert_eq!(costs_and_saving(0.0, 0.0), [dollars(0.0), dollars(0.0), dollars(0.0)]);
    }
}
