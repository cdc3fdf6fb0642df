//! Numbers of a plan as text.

use crossover_chart::plan::ESTIMATE_MARK;
use crossover_quantity::unit::Unit;
use crossover_query::Amount;

/// Below this, rows are written in full.
const COUNTED: f64 = 10_000.0;
/// Thousands, millions, billions, trillions.
const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];
/// From here on, a count rounded to four digits has the next prefix.
const ROUNDED_UP: f64 = 0.99995;
/// Smaller speedups are written as less than this.
const SMALLEST_FACTOR: f64 = 0.001;

/// Most characters of a text in a box.
pub(super) fn shortened(subject: &str) -> String {
    const MOST: usize = 18;
    if subject.chars().count() <= MOST {
        return subject.to_owned();
    }
    let kept: String = subject.chars().take(MOST - 1).collect();
    format!("{}…", kept.trim_end_matches([' ', ',']))
}

/// "9,876 rows", "12.3 M rows".
pub(super) fn rows(count: f64) -> String {
    let (divisor, prefix) = if count < COUNTED {
        (1.0, "")
    } else {
        PREFIXES.into_iter().find(|(size, _)| count >= ROUNDED_UP * size).unwrap_or((1.0, ""))
    };
    let number = if divisor > 1.0 { Unit::Ratio.format(count / divisor) } else { Unit::Count.format(count.round()) };
    let space = if prefix.is_empty() { "" } else { " " };
    let noun = if number == "1" && prefix.is_empty() { "row" } else { "rows" };
    format!("{number}{space}{prefix} {noun}")
}

/// "2.316×", "< 0.001×".
pub(super) fn factor(value: f64) -> String {
    if value > 0.0 && value < SMALLEST_FACTOR {
        return format!("< {}", Unit::Factor.format(SMALLEST_FACTOR));
    }
    Unit::Factor.format(value)
}

/// "1.2 s", "< 1 µs".
pub(super) fn seconds(value: f64) -> String {
    const SHORTEST: f64 = 1e-6;
    if value > 0.0 && value < SHORTEST {
        return format!("< {}", Unit::Seconds.format(SHORTEST));
    }
    Unit::Seconds.format(value)
}

/// "1.25 GB".
pub(super) fn bytes(count: f64) -> String {
    Unit::Gigabytes.format(count / 1e9)
}

/// The number, marked if it is estimated.
pub(super) fn estimate(number: &str, is_estimated: bool) -> String {
    if is_estimated { format!("{ESTIMATE_MARK} {number}") } else { number.to_owned() }
}

/// The number of a figure, marked if it is estimated.
pub(super) fn figure(figure: Amount, format: impl Fn(f64) -> String) -> String {
    estimate(&format(figure.value), figure.is_estimated())
}

#[cfg(test)]
mod tests {
    use crossover_query::{Amount, Rule};

    use super::{bytes, factor, figure, rows, seconds};

    #[test]
    fn rows_have_at_most_four_digits() {
        let check = |count: f64, expected: &str| assert_eq!(rows(count), expected);
        check(0.0, "0 rows");
        check(1.0, "1 row");
        check(9_876.0, "9,876 rows");
        check(12_345.0, "12.35 k rows");
        check(12_345_678.0, "12.35 M rows");
        check(999_900.0, "999.9 k rows");
        check(999_967.0, "1 M rows");
        check(999_999_999.0, "1 B rows");
        check(6e9, "6 B rows");
        check(1.5e12, "1.5 T rows");
        check(1e15, "1,000 T rows");
    }

    #[test]
    fn a_tiny_speedup_is_a_bound() {
        assert_eq!(factor(2.316), "2.316×");
        assert_eq!(factor(0.001), "0.001×");
        assert_eq!(factor(0.000_999), "< 0.001×");
        assert_eq!(factor(0.0), "0×");
    }

    #[test]
    fn what_takes_no_microsecond_is_a_bound() {
        assert_eq!([seconds(0.0), seconds(2e-13), seconds(1e-6), seconds(1.5)], ["0 s", "< 1 µs", "1 µs", "1.5 s"]);
    }

    #[test]
    fn a_guess_is_marked() {
        assert_eq!(figure(Amount::estimated(1.25e9, Rule::RowsTimesWidth), bytes), "≈ 1.25 GB");
        assert_eq!(figure(Amount::derived(1.25e9, Rule::RowsTimesWidth), bytes), "1.25 GB");
    }
}
