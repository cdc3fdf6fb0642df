//! Quantities: what a number measures, how it is written for people and read back from what they type.
//!
//! A value is always held in the base unit its [`Unit`] names; prefixes exist only in text. Data is
//! decimal: 1 GB is 10^9 bytes.

use serde::{Deserialize, Serialize};

mod axis;
mod dimension;
mod elapsed;
mod format;
mod numeral;
mod parse;
mod predicted;

pub use axis::AxisUnit;
pub use elapsed::elapsed;
pub use parse::ParseQuantityError;
pub use predicted::{
    Compared, chance, predicted, predicted_beside, predicted_limit, share_of_samples, share_of_time, significant,
};

/// What a number measures, and the unit it is held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// How many: machines, tasks, compute units.
    Count,
    /// A plain number: a threshold, σ, c, M.
    Ratio,
    /// A speedup, written "2.316×".
    Factor,
    /// A fraction, written as percent: 0.5 is "50 %".
    Share,
    /// A decision: 1 is "yes", 0 is "no", and between them it is as likely.
    Decision,
    /// A duration in seconds.
    Seconds,
    /// Seconds of work per 100 MB of input.
    SecondsPer100Mb,
    /// An amount of data in 10^9 bytes.
    Gigabytes,
    /// A data rate in 10^9 bytes per second: memory and buses.
    GigabytesPerSecond,
    /// A data rate in 10^9 bits per second: networks.
    GigabitsPerSecond,
    /// A power in watts.
    Watts,
    /// An energy in kilowatt-hours.
    KilowattHours,
    /// A throughput in 10^12 operations per second.
    Tops,
    /// An amount of work in 10^12 operations.
    TeraOperations,
    /// A clock frequency in 10^9 cycles per second.
    Gigahertz,
    /// A step of a clock frequency in 10^6 cycles per second.
    Megahertz,
    /// A size in bytes, written in full: registers and shared memory of a block.
    Bytes,
    /// A time in cycles of a clock.
    Cycles,
    /// A duration in years.
    Years,
    /// Money, in dollars of the United States.
    UsDollars,
    /// Rent, in dollars per hour.
    UsDollarsPerHour,
    /// A price of electricity, in dollars per kilowatt-hour.
    UsDollarsPerKilowattHour,
}

const SECONDS_PER_HOUR: f64 = 3600.0;

impl Unit {
    /// All units of numbers, those of plain numbers first.
    pub const ALL: [Self; 21] = [
        Self::Count,
        Self::Ratio,
        Self::Factor,
        Self::Share,
        Self::Seconds,
        Self::SecondsPer100Mb,
        Self::Gigabytes,
        Self::GigabytesPerSecond,
        Self::GigabitsPerSecond,
        Self::Watts,
        Self::KilowattHours,
        Self::Tops,
        Self::TeraOperations,
        Self::Gigahertz,
        Self::Megahertz,
        Self::Bytes,
        Self::Cycles,
        Self::Years,
        Self::UsDollars,
        Self::UsDollarsPerHour,
        Self::UsDollarsPerKilowattHour,
    ];

    /// The base unit's symbol, for instance as a field's suffix; empty for plain numbers.
    ///
    /// A share's symbol is "%", although its value is held as a fraction.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Count | Self::Ratio | Self::Decision => "",
            Self::Factor => "×",
            Self::Share => "%",
            Self::Seconds => "s",
            Self::SecondsPer100Mb => "s/100 MB",
            Self::Gigabytes => "GB",
            Self::GigabytesPerSecond => "GB/s",
            Self::GigabitsPerSecond => "Gbit/s",
            Self::Watts => "W",
            Self::KilowattHours => "kWh",
            Self::Tops => "TOPS",
            Self::TeraOperations => "tera-op",
            Self::Gigahertz => "GHz",
            Self::Megahertz => "MHz",
            Self::Bytes => "B",
            Self::Cycles => "cycles",
            Self::Years => "years",
            Self::UsDollars => "USD",
            Self::UsDollarsPerHour => "USD/h",
            Self::UsDollarsPerKilowattHour => "USD/kWh",
        }
    }

    /// Whether it is a price or an amount of money.
    #[must_use]
    pub fn is_price(self) -> bool {
        matches!(self, Self::UsDollars | Self::UsDollarsPerHour | Self::UsDollarsPerKilowattHour)
    }

    /// The prefixes this unit is written with: power of ten against the base unit, and symbol, the
    /// largest first.
    fn prefixes(self) -> &'static [(i32, &'static str)] {
        match self {
            Self::Count | Self::Ratio | Self::Decision => &[(0, "")],
            Self::Factor => &[(0, "×")],
            Self::Share => &[(-2, "%")],
            Self::Seconds => &[(0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns")],
            Self::SecondsPer100Mb => &[(0, "s/100 MB"), (-3, "ms/100 MB"), (-6, "µs/100 MB"), (-9, "ns/100 MB")],
            Self::Gigabytes => &[(9, "EB"), (6, "PB"), (3, "TB"), (0, "GB"), (-3, "MB"), (-6, "kB"), (-9, "B")],
            Self::GigabytesPerSecond => {
                &[(6, "PB/s"), (3, "TB/s"), (0, "GB/s"), (-3, "MB/s"), (-6, "kB/s"), (-9, "B/s")]
            }
            Self::GigabitsPerSecond => {
                &[(6, "Pbit/s"), (3, "Tbit/s"), (0, "Gbit/s"), (-3, "Mbit/s"), (-6, "kbit/s"), (-9, "bit/s")]
            }
            Self::Watts => &[(9, "GW"), (6, "MW"), (3, "kW"), (0, "W"), (-3, "mW"), (-6, "µW")],
            Self::KilowattHours => &[(6, "GWh"), (3, "MWh"), (0, "kWh"), (-3, "Wh")],
            // As vendors and the published method write it: 21,500 TOPS, not 21.5 POPS.
            Self::Tops => &[(0, "TOPS")],
            Self::TeraOperations => &[(0, "tera-op")],
            Self::Gigahertz => &[(0, "GHz"), (-3, "MHz")],
            Self::Megahertz => &[(0, "MHz")],
            Self::Bytes => &[(0, "B")],
            Self::Cycles => &[(0, "cycles")],
            Self::Years => &[(0, "years")],
            Self::UsDollars => &[(0, "USD")],
            Self::UsDollarsPerHour => &[(0, "USD/h")],
            Self::UsDollarsPerKilowattHour => &[(0, "USD/kWh")],
        }
    }

    /// The symbol for an hour, in units that have one.
    fn hour_symbol(self) -> Option<&'static str> {
        match self {
            Self::Seconds => Some("h"),
            Self::SecondsPer100Mb => Some("h/100 MB"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn any_unit_but_count() -> impl Strategy<Value = Unit> {
        proptest::sample::select(Unit::ALL.as_slice())
            .prop_filter("whole counts show all digits", |unit| !matches!(unit, Unit::Count | Unit::Bytes))
    }

    /// Units but counts, and values over each one's sensible range, evenly spread over the powers of ten. The ends of a
    /// share's range, which are written as bounds, are left out.
    fn unit_and_value() -> impl Strategy<Value = (Unit, f64)> {
        (any_unit_but_count(), 0.0..1.0, any::<bool>()).prop_map(|(unit, position, negative)| {
            let (lowest, highest): (f64, f64) = match unit {
                Unit::Share => (1e-4, 0.9999),
                Unit::Gigabytes | Unit::GigabytesPerSecond | Unit::GigabitsPerSecond => (1e-9, 1e12),
                _ => (1e-12, 1e12),
            };
            let value = lowest * (highest / lowest).powf(position);
            (unit, if negative { -value } else { value })
        })
    }

    proptest! {
        #[test]
        fn what_is_shown_can_be_typed_back((unit, value) in unit_and_value()) {
            let text = unit.format(value);
            let parsed = unit.parse(&text)?;
            let relative_error = ((parsed - value) / value).abs();
            prop_assert!(relative_error <= 0.000_500_1, "{value:e} as {text} is {parsed:e}");
            prop_assert_eq!(unit.format(parsed), text);
        }

        #[test]
        fn a_decision_is_a_word_or_how_likely_it_is(share in 0.001..0.999_f64) {
            prop_assert_eq!([0.0, 1.0].map(|value| Unit::Decision.format(value)), ["no", "yes"]);
            prop_assert_eq!(["no", "yes"].map(|text| Unit::Decision.parse(text)), [Ok(0.0), Ok(1.0)]);
            let text = Unit::Decision.format(share);
            prop_assert_eq!(&text, &Unit::Share.format(share));
            prop_assert!((Unit::Decision.parse(&text)? - share).abs() < 0.000_06);
        }

        #[test]
        fn a_whole_count_comes_back_exactly(count in -(1_i64 << 53)..=(1 << 53), dropped_bits in 0..53) {
            let value = (count >> dropped_bits) as f64;
            prop_assert_eq!(Unit::Count.parse(&Unit::Count.format(value))?, value);
        }
    }
}
