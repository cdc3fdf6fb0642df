//! The unit of an axis: one for all its labels.

use super::{SECONDS_PER_HOUR, Unit};

/// The unit of the labels of an axis.
#[derive(Debug, Clone, Copy)]
pub struct AxisUnit {
    /// Writes a value, held in the base unit, with its unit.
    pub format: fn(f64) -> String,
    /// The size of the unit, in the base unit.
    pub size: f64,
    /// Its symbol, for the title of the axis; empty where labels have prefixes of their own.
    pub symbol: &'static str,
}

/// Units of times, the largest first.
const TIMES: [AxisUnit; 6] = [
    AxisUnit { format: Unit::hours, size: SECONDS_PER_HOUR, symbol: "h" },
    AxisUnit { format: |seconds| format!("{} min", Unit::Ratio.format(seconds / 60.0)), size: 60.0, symbol: "min" },
    AxisUnit { format: |seconds| format!("{} s", Unit::Ratio.format(seconds)), size: 1.0, symbol: "s" },
    AxisUnit { format: |seconds| format!("{} ms", Unit::Ratio.format(seconds * 1e3)), size: 1e-3, symbol: "ms" },
    AxisUnit { format: |seconds| format!("{} µs", Unit::Ratio.format(seconds * 1e6)), size: 1e-6, symbol: "µs" },
    AxisUnit { format: |seconds| format!("{} ns", Unit::Ratio.format(seconds * 1e9)), size: 1e-9, symbol: "ns" },
];
/// The largest number that reads well beside a unit.
const MOST: f64 = 1000.0;
/// A linear axis has a label at each fourth of its range, or closer.
const LABELS: f64 = 4.0;

impl Unit {
    /// The unit of the labels of an axis with these ends. Times have the largest unit in which the labels are 1 to 1,000; a time per data
    /// is labelled as its time alone. `is_logarithmic`: labels begin at the lower end. A logarithmic axis that no unit suits has
    /// a prefix for each label, and so have other quantities.
    #[must_use]
    pub fn of_axis(self, ends: [f64; 2], is_logarithmic: bool) -> AxisUnit {
        let own = AxisUnit { format: self.formatter(), size: 1.0, symbol: "" };
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        let most = low.abs().max(high.abs());
        let is_time = matches!(self, Self::Seconds | Self::SecondsPer100Mb);
        if !is_time || most == 0.0 || !most.is_finite() {
            return own;
        }
        let nearest = if low * high > 0.0 { low.abs().min(high.abs()) } else { 0.0 };
        let least = if is_logarithmic { nearest } else { nearest.max((high - low) / LABELS) };
        // Ends such as 0.999999999 h are rounding.
        let reads = |unit: &AxisUnit| least >= unit.size * (1.0 - 1e-9);
        let place = TIMES.iter().position(reads);
        if is_logarithmic {
            let unit = place.map(|place| TIMES[place]).filter(|unit| most <= MOST * unit.size);
            return unit.unwrap_or(own);
        }
        let place = place.unwrap_or(TIMES.len() - 1);
        let is_large = place > 0 && most > MOST * TIMES[place].size;
        TIMES[if is_large { place - 1 } else { place }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_of_times_has_the_largest_unit_in_which_its_labels_are_1_to_1000() {
        let check = |ends: [f64; 2], expected: &str| {
            assert_eq!(Unit::Seconds.of_axis(ends, false).symbol, expected, "{ends:?}");
        };
        // 4 h with a label each hour; 3 h with labels closer than an hour.
        check([0.0, 14_400.0], "h");
        check([0.0, 10_800.0], "min");
        // 7.5 h … 36 h, and in the other direction.
        check([27_000.0, 129_600.0], "h");
        check([129_600.0, 27_000.0], "h");
        check([0.0, 240.0], "min");
        check([30.0, 90.0], "s");
        check([0.0, 0.02], "ms");
        check([-0.5e-3, 3.5e-3], "ms");
        check([0.0, 5e-6], "µs");
        // 999 ms is below a second, but labels up to 3,900 ms would be large numbers.
        check([0.999, 3.9], "s");
        // Less than a nanosecond, and no range.
        check([0.0, 1e-10], "ns");
        check([0.0, 0.0], "");
    }

    #[test]
    fn a_logarithmic_axis_has_one_unit_if_both_ends_suit_it() {
        let check = |ends: [f64; 2], expected: &str| {
            assert_eq!(Unit::Seconds.of_axis(ends, true).symbol, expected, "{ends:?}");
        };
        check([7_200.0, 360_000.0], "h");
        check([600.0, 36_000.0], "min");
        check([1.0, 999.0], "s");
        check([0.001, 100.0], "");
        check([1.0, 100_000.0], "");
    }

    #[test]
    fn labels_have_the_unit_of_their_axis() {
        let written = |ends: [f64; 2], value: f64| (Unit::Seconds.of_axis(ends, false).format)(value);
        assert_eq!(written([0.0, 14_400.0], 1_800.0), "0.5 h");
        assert_eq!(written([0.0, 10_800.0], 5_400.0), "90 min");
        assert_eq!(written([0.0, 0.02], 0.005), "5 ms");
        // The title has the data.
        assert_eq!((Unit::SecondsPer100Mb.of_axis([0.0, 0.02], false).format)(0.005), "5 ms");
        let watts = Unit::Watts.of_axis([0.0, 5_000.0], false);
        assert_eq!(((watts.format)(2_000.0), watts.size, watts.symbol), ("2 kW".to_owned(), 1.0, ""));
    }
}
