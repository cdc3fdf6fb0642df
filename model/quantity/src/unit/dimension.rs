//! Units as people type them: what they measure, and their size.

use super::SECONDS_PER_HOUR;
use super::numeral::Numeral;

/// What a typed unit measures; its own base is the second, the byte, the watt, the watt-hour, the operation, the hertz.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Dimension {
    Bare,
    PrefixAlone,
    Percent,
    Times,
    Time,
    Data,
    DataRate,
    TimePerData,
    Power,
    Energy,
    Work,
    WorkRate,
    Frequency,
    Cycles,
    Years,
    Money,
    Rent,
    EnergyPrice,
}

/// A unit's size in its dimension's own base: `multiplier × 10^power`.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) power: i32,
    pub(super) multiplier: f64,
}

impl Size {
    pub(super) fn power(power: i32) -> Self {
        Self { power, multiplier: 1.0 }
    }

    fn multiplier(multiplier: f64) -> Self {
        Self { power: 0, multiplier }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { power: self.power.saturating_add(other.power), multiplier: self.multiplier * other.multiplier }
    }

    fn per(self, other: Self) -> Self {
        Self { power: self.power.saturating_sub(other.power), multiplier: self.multiplier / other.multiplier }
    }
}

/// The dimension and the size of a unit, as it was typed behind a number.
pub(super) fn dimension_and_size(suffix: &str) -> Option<(Dimension, Size)> {
    if let Some(money) = money(suffix) {
        return Some((money, Size::power(0)));
    }
    if let Some((numerator, denominator)) = suffix.split_once('/') {
        return quotient(numerator.trim_end(), denominator.trim_start());
    }
    let fixed = match suffix {
        "" => Some((Dimension::Bare, 0)),
        "%" => Some((Dimension::Percent, 0)),
        "x" | "X" | "×" => Some((Dimension::Times, 0)),
        "k" | "K" => Some((Dimension::PrefixAlone, 3)),
        "M" => Some((Dimension::PrefixAlone, 6)),
        "G" => Some((Dimension::PrefixAlone, 9)),
        "T" => Some((Dimension::PrefixAlone, 12)),
        "uW" | "µW" | "μW" => Some((Dimension::Power, -6)),
        "mW" => Some((Dimension::Power, -3)),
        "W" | "w" | "watt" | "watts" => Some((Dimension::Power, 0)),
        "kW" | "KW" | "kw" => Some((Dimension::Power, 3)),
        "MW" => Some((Dimension::Power, 6)),
        "GW" => Some((Dimension::Power, 9)),
        "Wh" => Some((Dimension::Energy, 0)),
        "kWh" | "kwh" | "KWh" => Some((Dimension::Energy, 3)),
        "MWh" => Some((Dimension::Energy, 6)),
        "GWh" => Some((Dimension::Energy, 9)),
        "giga-op" | "giga-ops" => Some((Dimension::Work, 9)),
        "tera-op" | "tera-ops" => Some((Dimension::Work, 12)),
        "peta-op" | "peta-ops" => Some((Dimension::Work, 15)),
        "GOPS" | "GFLOPS" => Some((Dimension::WorkRate, 9)),
        "TOPS" | "TFLOPS" | "tops" => Some((Dimension::WorkRate, 12)),
        "POPS" | "PFLOPS" => Some((Dimension::WorkRate, 15)),
        "cycles" | "cycle" => Some((Dimension::Cycles, 0)),
        "years" | "year" | "a" => Some((Dimension::Years, 0)),
        "Hz" | "hz" => Some((Dimension::Frequency, 0)),
        "kHz" => Some((Dimension::Frequency, 3)),
        "MHz" | "mhz" | "Mhz" => Some((Dimension::Frequency, 6)),
        "GHz" | "ghz" | "Ghz" => Some((Dimension::Frequency, 9)),
        _ => None,
    };
    if let Some((dimension, power)) = fixed {
        return Some((dimension, Size::power(power)));
    }
    let time = time_size(suffix).map(|size| (Dimension::Time, size));
    let rate = || data_per_second_size(suffix).map(|size| (Dimension::DataRate, size));
    let data = || data_size(suffix).map(|size| (Dimension::Data, size));
    time.or_else(rate).or_else(data)
}

/// Dollars, and dollars per what is paid for.
fn money(suffix: &str) -> Option<Dimension> {
    let (of, per) = suffix.split_once('/').map_or((suffix, None), |(of, per)| (of, Some(per)));
    if !matches!(of.trim(), "USD" | "usd" | "US$" | "$") {
        return None;
    }
    match per.map(str::trim) {
        None => Some(Dimension::Money),
        Some("h" | "hr" | "hour") => Some(Dimension::Rent),
        Some("kWh" | "kwh") => Some(Dimension::EnergyPrice),
        Some(_) => None,
    }
}

/// Data per time, or time per data; the denominator may begin with a number, as in "ms/100 MB".
fn quotient(numerator: &str, denominator: &str) -> Option<(Dimension, Size)> {
    let (denominator_size, denominator_unit) = match Numeral::split_from(denominator) {
        None => (Size::power(0), denominator),
        Some((number, unit)) => {
            let (digits, power) = number.digits_and_power()?;
            if !digits.is_finite() || digits <= 0.0 {
                return None;
            }
            (Size { power, multiplier: digits }, unit.trim_start())
        }
    };
    let (dimension, numerator_size, unit_size) = if let Some(data) = data_size(numerator) {
        (Dimension::DataRate, data, time_size(denominator_unit)?)
    } else {
        (Dimension::TimePerData, time_size(numerator)?, data_size(denominator_unit)?)
    };
    Some((dimension, numerator_size.per(denominator_size.times(unit_size))))
}

fn time_size(symbol: &str) -> Option<Size> {
    match symbol {
        "ps" => Some(Size::power(-12)),
        "ns" => Some(Size::power(-9)),
        "us" | "µs" | "μs" | "usec" => Some(Size::power(-6)),
        "ms" | "msec" => Some(Size::power(-3)),
        "s" | "sec" | "secs" | "second" | "seconds" => Some(Size::power(0)),
        "min" | "mins" | "minute" | "minutes" => Some(Size::multiplier(60.0)),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(Size::multiplier(SECONDS_PER_HOUR)),
        "d" | "day" | "days" => Some(Size::multiplier(86_400.0)),
        _ => None,
    }
}

const BIT_IN_BYTES: Size = Size { power: 0, multiplier: 0.125 };

fn data_per_second_size(symbol: &str) -> Option<Size> {
    if let Some(prefix) = symbol.strip_suffix("bps") {
        return Some(prefix_size(&prefix.to_ascii_uppercase())?.times(BIT_IN_BYTES));
    }
    prefix_size(symbol.strip_suffix("Bps")?)
}

fn data_size(symbol: &str) -> Option<Size> {
    let upper = symbol.to_ascii_uppercase();
    let singular = upper.strip_suffix('S').unwrap_or(&upper);
    if let Some(prefix) = singular.strip_suffix("BIT") {
        return Some(prefix_size(prefix)?.times(BIT_IN_BYTES));
    }
    if let Some(prefix) = singular.strip_suffix("BYTE") {
        return prefix_size(prefix);
    }
    if let Some(prefix) = symbol.strip_suffix('b') {
        return Some(prefix_size(prefix)?.times(BIT_IN_BYTES));
    }
    prefix_size(symbol.strip_suffix('B')?)
}

fn prefix_size(prefix: &str) -> Option<Size> {
    match prefix {
        "" => Some(Size::power(0)),
        "k" | "K" => Some(Size::power(3)),
        "M" => Some(Size::power(6)),
        "G" => Some(Size::power(9)),
        "T" => Some(Size::power(12)),
        "P" => Some(Size::power(15)),
        "E" => Some(Size::power(18)),
        "ki" | "Ki" | "KI" => Some(Size::multiplier(1024.0)),
        "Mi" | "MI" => Some(Size::multiplier(1_048_576.0)),
        "Gi" | "GI" => Some(Size::multiplier(1_073_741_824.0)),
        "Ti" | "TI" => Some(Size::multiplier(1_099_511_627_776.0)),
        _ => None,
    }
}
