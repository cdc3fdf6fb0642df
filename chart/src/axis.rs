//! One axis of a chart: its range, its linear or logarithmic mapping, and where its ticks fall.

use serde::{Deserialize, Serialize};

/// How equal steps along an axis are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios; values at or below zero have no place.
    Log,
    /// Equal steps are equal differences of seconds; ticks fall on whole seconds, minutes, hours or days.
    Time,
}

impl Scale {
    /// Logarithmic or linear.
    #[must_use]
    pub fn of(is_log: bool) -> Self {
        if is_log { Self::Log } else { Self::Linear }
    }
}

/// An axis in data units. On a logarithmic axis a plot coordinate is the decimal logarithm of the value.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What the axis shows, for example "CPU time per 100 MB".
    pub label: String,
    /// Writes a value with its unit, for example "8.7 ms".
    pub format: fn(f64) -> String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// The values at the two ends, in data units. [`Axis::bounds`] repairs ranges that cannot be shown.
    pub range: [f64; 2],
    /// The size of the unit of the labels, in data units: 3,600 where seconds are labelled in hours, else 1. Ticks are round in it. An
    /// axis of time does not need it.
    pub step_unit: f64,
}

/// A place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value, in data units.
    pub value: f64,
    /// The value as text; none where there is room for a line only.
    pub label: Option<String>,
    /// Whether its grid line is a strong one.
    pub major: bool,
}

/// The smallest size an axis tells from zero; keeps logarithms finite.
const SMALLEST: f64 = 1e-300;
/// The largest size an axis shows; keeps differences finite.
const LARGEST: f64 = 1e300;
/// Seconds of a minute, an hour and a day.
const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
/// Distances of ticks that a reader of clocks expects, seconds.
const CLOCK_STEPS: [f64; 18] = [
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    30.0,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    10.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
];
/// Up to so many decades the lines at 2..9 times a power of ten are shown.
const DECADES_WITH_MINOR_TICKS: f64 = 10.0;

impl Axis {
    /// The plot coordinate of a value. On a logarithmic axis values at or below zero go to the far left.
    #[must_use]
    pub fn to_plot(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear | Scale::Time => value,
            Scale::Log if value.is_nan() => value,
            Scale::Log => value.max(SMALLEST).log10(),
        }
    }

    /// The value at a plot coordinate.
    #[must_use]
    pub fn from_plot(&self, plot: f64) -> f64 {
        match self.scale {
            Scale::Linear | Scale::Time => plot,
            Scale::Log => 10_f64.powf(plot),
        }
    }

    /// Whether a value has a place on this axis, inside its range or not.
    #[must_use]
    pub fn has_place_for(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Log || value > 0.0)
    }

    /// The range as it can be shown: finite, ascending, not empty, and positive on a logarithmic axis.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        let [a, b] = self.range;
        let (low, high) = (a.min(b), a.max(b));
        if !(a.is_finite() && b.is_finite() && self.has_place_for(high)) {
            return match self.scale {
                Scale::Linear | Scale::Time => [0.0, 1.0],
                Scale::Log => [0.1, 10.0],
            };
        }
        match self.scale {
            Scale::Linear | Scale::Time => {
                let (low, high) = (low.max(-LARGEST), high.min(LARGEST));
                let size = low.abs().max(high.abs());
                if size < SMALLEST {
                    [0.0, 1.0]
                } else if high - low > size * 1e-9 {
                    [low, high]
                } else {
                    [low - size * 0.05, high + size * 0.05]
                }
            }
            Scale::Log => {
                let high = high.clamp(SMALLEST * 1e3, LARGEST);
                let low = if low > 0.0 { low.max(SMALLEST) } else { high / 1e3 };
                if high / low > 1.0 + 1e-9 { [low, high] } else { [low / 1.05, high * 1.05] }
            }
        }
    }

    /// Where a value falls between the ends of the axis: 0 at the lower end, 1 at the upper.
    #[must_use]
    pub fn fraction(&self, value: f64) -> f64 {
        let [low, high] = self.bounds().map(|end| self.to_plot(end));
        (self.to_plot(value) - low) / (high - low)
    }

    /// Ascending ticks inside [`Axis::bounds`], of which at least two and about `max_labels` carry a label.
    ///
    /// On a logarithmic axis these are the powers of ten, with lines at their multiples between them; where fewer
    /// than two decades are visible, 1, 2 and 5 times a power of ten. On a linear axis, steps of 1, 2 or 5 times a
    /// power of ten. On an axis of time, whole seconds, minutes, hours or days.
    #[must_use]
    pub fn ticks(&self, max_labels: usize) -> Vec<Tick> {
        let [low, high] = self.bounds();
        let max_labels = max_labels.max(2);
        let [low_step, high_step] = [low, high].map(|end| end / self.step_unit);
        match self.scale {
            Scale::Linear => self.labelled(linear_steps(low_step, high_step, max_labels), self.step_unit),
            Scale::Log => self.log_ticks(low_step, high_step, max_labels),
            Scale::Time => self.labelled(clock_steps(low, high, max_labels), 1.0),
        }
    }

    /// Labelled ticks at these values, in a unit of this size.
    fn labelled(&self, values: Vec<f64>, unit: f64) -> Vec<Tick> {
        let tick = |value: f64| Tick { value, label: Some((self.format)(value)), major: true };
        values.into_iter().map(|value| tick(value * unit)).collect()
    }

    /// Ticks between ends in [`Axis::step_unit`].
    fn log_ticks(&self, low: f64, high: f64, max_labels: usize) -> Vec<Tick> {
        let powers = multiples_of_powers(low, high, &[1]);
        let one_two_five = multiples_of_powers(low, high, &[1, 2, 5]);
        let one_two_five_fits = (2..=max_labels).contains(&one_two_five.len());
        let labels: Vec<f64> = if powers.len() > 2 || (powers.len() == 2 && !one_two_five_fits) {
            let stride = powers.len().div_ceil(max_labels).max(1);
            powers.iter().copied().step_by(stride).collect()
        } else if one_two_five.len() >= 2 {
            one_two_five
        } else {
            return self.labelled(linear_steps(low, high, max_labels), self.step_unit);
        };
        let lines = if high.log10() - low.log10() <= DECADES_WITH_MINOR_TICKS {
            multiples_of_powers(low, high, &[1, 2, 3, 4, 5, 6, 7, 8, 9])
        } else {
            powers
        };
        lines
            .into_iter()
            .map(|value| {
                let (major, value) = (labels.contains(&value), value * self.step_unit);
                Tick { value, label: major.then(|| (self.format)(value)), major }
            })
            .collect()
    }
}

/// `digits` times ten to the power `exponent`, correctly rounded where the power of ten is exact.
fn scaled(digits: f64, exponent: i32) -> f64 {
    if exponent < 0 { digits / 10_f64.powi(-exponent) } else { digits * 10_f64.powi(exponent) }
}

#[expect(clippy::cast_possible_truncation, reason = "the logarithm of a finite f64 lies within ±324")]
fn exponent_of(value: f64) -> i32 {
    value.log10().floor() as i32
}

/// The values `factor · 10^k` from `low` to `high`, ascending; `factors` ascend from 1 to 9.
fn multiples_of_powers(low: f64, high: f64, factors: &[u8]) -> Vec<f64> {
    (exponent_of(low)..=exponent_of(high))
        .flat_map(|exponent| factors.iter().map(move |&factor| scaled(f64::from(factor), exponent)))
        .filter(|value| (low..=high).contains(value))
        .collect()
}

/// At least two and about `max_count` values from `low` to `high` in steps of 1, 2 or 5 times a power of ten.
fn linear_steps(low: f64, high: f64, max_count: usize) -> Vec<f64> {
    let widest = exponent_of(high - low);
    let mut found = Vec::new();
    for exponent in (widest - 3..=widest).rev() {
        for factor in [5.0, 2.0, 1.0] {
            let values = steps(low, high, factor, exponent);
            if found.len() >= 2 && values.len() > max_count {
                return found;
            }
            found = values;
        }
    }
    found
}

/// At least two and about `max_count` seconds from `low` to `high`, on whole seconds, minutes, hours or days.
fn clock_steps(low: f64, high: f64, max_count: usize) -> Vec<f64> {
    let span = high - low;
    let fits = |step: &&f64| span / **step <= max_count as f64;
    match CLOCK_STEPS.iter().find(fits) {
        // Below some seconds the steps of plain numbers serve.
        Some(1.0) => linear_steps(low, high, max_count),
        Some(step) => multiples(low, high, *step),
        None => linear_steps(low / DAY, high / DAY, max_count).into_iter().map(|days| days * DAY).collect(),
    }
}

/// The multiples of `step` from `low` to `high`.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    let [first, last] = [(low / step).ceil(), (high / step).floor()];
    std::iter::successors(Some(first), |count| (*count < last).then_some(count + 1.0))
        .map(|count| count * step)
        .collect()
}

/// The multiples of `factor · 10^exponent` from `low` to `high`.
fn steps(low: f64, high: f64, factor: f64, exponent: i32) -> Vec<f64> {
    let first = (low / scaled(factor, exponent)).floor();
    (0_u32..)
        .map(|index| scaled((first + f64::from(index)) * factor, exponent))
        .skip_while(|&value| value < low)
        .take_while(|&value| value <= high)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale};
    use proptest::prelude::*;

    fn axis(scale: Scale, range: [f64; 2]) -> Axis {
        Axis { label: "x".to_owned(), format: |value| format!("{value}"), scale, range, step_unit: 1.0 }
    }

    fn labels(scale: Scale, range: [f64; 2], max_labels: usize) -> String {
        let ticks = axis(scale, range).ticks(max_labels);
        ticks.into_iter().filter_map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_fall_where_a_reader_expects_them() {
        let check = |scale, range, max_labels, expected: &str| {
            assert_eq!(labels(scale, range, max_labels), expected, "{scale:?} {range:?}");
        };
        check(Scale::Linear, [0.0, 1.0], 6, "0 0.2 0.4 0.6 0.8 1");
        check(Scale::Linear, [0.0, 0.3], 4, "0 0.1 0.2 0.3");
        check(Scale::Linear, [-1.0, 1.0], 6, "-1 -0.5 0 0.5 1");
        check(Scale::Linear, [889.0, 891.0], 6, "889 889.5 890 890.5 891");
        check(Scale::Linear, [0.0, 3.4], 5, "0 1 2 3");
        check(Scale::Time, [0.0, 600.0], 7, "0 120 240 360 480 600");
        check(Scale::Time, [0.0, 86_400.0], 7, "0 21600 43200 64800 86400");
        check(Scale::Time, [0.0, 3600.0], 7, "0 600 1200 1800 2400 3000 3600");
        check(Scale::Time, [0.0, 2.0], 5, "0 0.5 1 1.5 2");
        check(Scale::Time, [0.0, 864_000.0], 5, "0 432000 864000");
        check(Scale::Log, [0.001, 10.0], 6, "0.001 0.01 0.1 1 10");
        check(Scale::Log, [0.5, 20.0], 6, "0.5 1 2 5 10 20");
        check(Scale::Log, [3.0, 3.5], 6, "3 3.1 3.2 3.3 3.4 3.5");
        check(Scale::Log, [1.1, 999.0], 5, "10 100");
        check(Scale::Log, [1.0, 1e12], 5, "1 1000 1000000 1000000000 1000000000000");
    }

    /// 2 h are 7,200 s; 10 min are 600 s.
    #[test]
    fn ticks_are_round_in_the_unit_of_the_labels() {
        let labels = |scale, range, step_unit, format| {
            let axis = Axis { format, step_unit, ..axis(scale, range) };
            axis.ticks(6).into_iter().filter_map(|tick| tick.label).collect::<Vec<_>>().join(", ")
        };
        let hours = |seconds: f64| format!("{} h", seconds / 3600.0);
        let minutes = |seconds: f64| format!("{} min", seconds / 60.0);
        assert_eq!(labels(Scale::Linear, [0.0, 28_800.0], 3600.0, hours), "0 h, 2 h, 4 h, 6 h, 8 h");
        assert_eq!(labels(Scale::Log, [60.0, 60_000.0], 60.0, minutes), "1 min, 10 min, 100 min, 1000 min");
    }

    #[test]
    fn a_decade_has_eight_lines_between_its_ends() {
        let ticks = axis(Scale::Log, [1.0, 1000.0]).ticks(6);
        assert_eq!(ticks.len(), 28);
        assert_eq!(ticks.iter().filter(|tick| tick.major).count(), 4);
        assert!(ticks.iter().all(|tick| tick.major == tick.label.is_some()));
    }

    #[test]
    fn ranges_that_cannot_be_shown_are_repaired() {
        let check = |scale, range, expected| assert_eq!(axis(scale, range).bounds(), expected, "{scale:?} {range:?}");
        check(Scale::Linear, [f64::NAN, 1.0], [0.0, 1.0]);
        check(Scale::Linear, [0.0, f64::INFINITY], [0.0, 1.0]);
        check(Scale::Linear, [0.0, 0.0], [0.0, 1.0]);
        check(Scale::Linear, [2.0, 1.0], [1.0, 2.0]);
        check(Scale::Linear, [100.0, 100.0], [95.0, 105.0]);
        check(Scale::Log, [-1.0, -5.0], [0.1, 10.0]);
        check(Scale::Log, [0.0, 1000.0], [1.0, 1000.0]);
        check(Scale::Log, [f64::NAN, f64::NAN], [0.1, 10.0]);
    }

    #[test]
    fn non_positive_values_stay_finite_on_a_log_axis() {
        let log = axis(Scale::Log, [0.1, 10.0]);
        for value in [0.0, -3.0, f64::NEG_INFINITY] {
            assert_eq!(log.to_plot(value), -300.0);
            assert!(!log.has_place_for(value));
        }
        assert!(log.to_plot(f64::NAN).is_nan());
        assert!(axis(Scale::Linear, [0.0, 1.0]).has_place_for(-3.0));
    }

    proptest! {
        #[test]
        fn mapping_there_and_back_is_the_identity(exponent in -280.0..280.0_f64) {
            let value = 10_f64.powf(exponent);
            for scale in [Scale::Linear, Scale::Log] {
                let axis = axis(scale, [0.1, 10.0]);
                let back = axis.from_plot(axis.to_plot(value));
                prop_assert!((back / value - 1.0).abs() < 1e-12, "{value} became {back}");
            }
        }

        #[test]
        fn ticks_ascend_inside_the_range_with_two_labels_or_more(
            low in -12.0..12.0_f64,
            decades in 1e-6..21.0_f64,
            negative in any::<bool>(),
            max_labels in 0..20_usize,
        ) {
            for scale in [Scale::Linear, Scale::Log] {
                let mut range = [10_f64.powf(low), 10_f64.powf(low + decades)];
                if negative && scale == Scale::Linear {
                    range[0] = -range[0];
                }
                let axis = axis(scale, range);
                let ticks = axis.ticks(max_labels);
                let [low, high] = axis.bounds();
                prop_assert!(ticks.iter().all(|tick| low <= tick.value && tick.value <= high));
                prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value));
                let labelled = ticks.iter().filter(|tick| tick.label.is_some()).count();
                prop_assert!((2..=max_labels.max(10) + 1).contains(&labelled), "{labelled} labels on {range:?}");
            }
        }
    }
}
