//! How quantities are written for people and read back from what people type.
//!
//! A value is always held in the base unit its [`Unit`] names; prefixes exist only in text. Data is
//! decimal: 1 GB is 10^9 bytes.

use serde::{Deserialize, Serialize};

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
    Seconds,
    /// Seconds of work per 100 MB of input.
    SecondsPer100Mb,
    /// 10^9 bytes.
    Gigabytes,
    GigabytesPerSecond,
    GigabitsPerSecond,
    Watts,
}

/// Why a text is not a quantity of the unit asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    #[error("expected {expected}, found nothing")]
    Empty { expected: &'static str },
    /// Garbage, an unknown unit, or a unit of another dimension.
    #[error("expected {expected}, found \"{found}\"")]
    NotThisQuantity { expected: &'static str, found: String },
    #[error("\"{found}\" is too large: a quantity must stay below 1.8e308 in its base unit")]
    TooLarge { found: String },
}

const SIGNIFICANT_DIGITS: usize = 4;
/// From this power of ten on, seconds are written as hours.
const HOURS_FROM_POWER: i32 = 5;
const SECONDS_PER_HOUR: f64 = 3600.0;
/// Powers of ten written out in full; beyond them a number is written as "1.5e20".
const PLAIN_POWERS: std::ops::Range<i32> = -4..15;

impl Unit {
    /// The base unit's symbol, for instance as a field's suffix; empty for plain numbers.
    ///
    /// A share's symbol is "%", although its value is held as a fraction.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Count | Self::Ratio => "",
            Self::Factor => "×",
            Self::Share => "%",
            Self::Seconds => "s",
            Self::SecondsPer100Mb => "s/100 MB",
            Self::Gigabytes => "GB",
            Self::GigabytesPerSecond => "GB/s",
            Self::GigabitsPerSecond => "Gbit/s",
            Self::Watts => "W",
        }
    }

    /// Writes `value`, held in the base unit, with at most four significant digits and the prefix
    /// that leaves one to three digits before the decimal point: 0.0087302 s is "8.73 ms".
    ///
    /// Seconds stay seconds below 100,000 s and become hours from there on. A share strictly
    /// between 0 and 1 is never written "0 %" or "100 %" but "< 0.01 %" or "> 99.99 %". Numbers that
    /// no prefix brings into reach are written "1.5e20". What is not finite is "∞", "−∞" or
    /// "not a number", without a unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        let (number, symbol) = self.number_and_symbol(value);
        match symbol {
            "" | "×" => number + symbol,
            _ => format!("{number} {symbol}"),
        }
    }

    /// [`Unit::format`] in two parts, for tables that align numbers and units apart.
    #[must_use]
    pub fn number_and_symbol(self, value: f64) -> (String, &'static str) {
        let sign = if value < 0.0 { "−" } else { "" };
        if !value.is_finite() {
            let name = if value.is_nan() { "not a number" } else { "∞" };
            return (format!("{sign}{name}"), "");
        }
        let magnitude = value.abs();
        let rounded = Decimal::rounded(magnitude);
        if self == Self::Share
            && let Some(bound) = share_bound(value, &rounded)
        {
            return (bound.to_owned(), "%");
        }
        let (number, symbol) = match self.hour_symbol() {
            Some(symbol) if rounded.power >= HOURS_FROM_POWER => {
                (Decimal::rounded(magnitude / SECONDS_PER_HOUR), symbol)
            }
            _ => self.prefixed(&rounded),
        };
        (format!("{sign}{}", number.text()), symbol)
    }

    /// Reads what a person typed, as a value in the base unit.
    ///
    /// - A bare number is in the base unit; a bare share is a fraction and must lie within ±1,
    ///   because "30" could mean 30 % or 3,000 %.
    /// - Units: "5 ms", "200 us", "200 µs", "2 min", "1 h", "1 d"; "1.5 TB", "4 GiB"; "100 Gbit/s",
    ///   "100Gb/s", "100 Gbps", "12.8 GB/s"; "5 ms/100 MB", "0.05 s/GB", and "5 ms" where a time per
    ///   100 MB is wanted; "250 W", "1.2 kW"; "30 %"; "2.3x", "2.3×". Bits and bytes convert into
    ///   each other.
    /// - Case: B is bytes and b is bits, after a prefix in its proper case (k or K, M, G, T, P, E),
    ///   so "gb" is refused; spelled out ("gbit", "mbit/s", "gbps") any case is bits.
    /// - A prefix alone (k, M, G, T) stands before the unit without prefix: "1k" is 1,000, "100G" is
    ///   100 Gbit/s or 100 GB, "1.2k" is 1.2 kW. "m" alone is refused: milli, mega, metre or minute.
    /// - A dot is always the decimal point. Commas that set off groups of exactly three digits
    ///   ("1,000,000", "1,234.5") separate thousands, so "1,234" is 1234; any other single comma is
    ///   a decimal comma ("8,7", "0,873").
    ///
    /// # Errors
    /// [`ParseQuantityError`] for anything else, "nan", "inf" and the bounds "< 0.01 %" included; its
    /// message names what was expected, with examples.
    pub fn parse(self, text: &str) -> Result<f64, ParseQuantityError> {
        let found = text.trim();
        if found.is_empty() {
            return Err(ParseQuantityError::Empty { expected: self.expected() });
        }
        let value = self.read(&found.replace('−', "-")).ok_or_else(|| ParseQuantityError::NotThisQuantity {
            expected: self.expected(),
            found: found.to_owned(),
        })?;
        if value.is_finite() { Ok(value) } else { Err(ParseQuantityError::TooLarge { found: found.to_owned() }) }
    }

    fn read(self, text: &str) -> Option<f64> {
        let (number, suffix) = Typed::split_from(text)?;
        let (dimension, size) = dimension_and_size(suffix.trim())?;
        let size = size.times(self.conversion_from(dimension)?);
        let value = number.times_power_of_ten(size.power)? * size.multiplier;
        let unclear_share = self == Self::Share && dimension == Dimension::Bare && value.abs() > 1.0;
        (!unclear_share).then_some(value)
    }

    /// How many of this unit one of the dimension's own base (byte, second, watt) is.
    fn conversion_from(self, dimension: Dimension) -> Option<Size> {
        use Dimension as D;
        match (self, dimension) {
            (_, D::Bare)
            | (Self::Count | Self::Ratio | Self::Factor, D::PrefixAlone)
            | (Self::Ratio | Self::Factor, D::Times)
            | (Self::Seconds | Self::SecondsPer100Mb, D::Time | D::PrefixAlone)
            | (Self::Watts, D::Power | D::PrefixAlone) => Some(Size::power(0)),
            (Self::Ratio | Self::Share, D::Percent) => Some(Size::power(-2)),
            (Self::SecondsPer100Mb, D::TimePerData) => Some(Size::power(8)),
            (Self::Gigabytes, D::Data | D::PrefixAlone)
            | (Self::GigabytesPerSecond, D::DataRate | D::PrefixAlone)
            | (Self::GigabitsPerSecond, D::PrefixAlone) => Some(Size::power(-9)),
            (Self::GigabitsPerSecond, D::DataRate) => Some(Size { power: -9, multiplier: 8.0 }),
            _ => None,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Count => "a number such as \"1,000\" or \"1k\"",
            Self::Ratio => "a number such as \"1.5\" or \"1e3\"",
            Self::Factor => "a factor such as \"2.3×\" or \"2.3\"",
            Self::Share => "a share such as \"30 %\" or \"0.3\"",
            Self::Seconds => "a duration such as \"5 ms\" or \"2 min\"",
            Self::SecondsPer100Mb => "a time per data such as \"5 ms/100 MB\" or \"0.05 s/GB\"",
            Self::Gigabytes => "an amount of data such as \"1.5 TB\" or \"64 GB\"",
            Self::GigabytesPerSecond => "a data rate such as \"12.5 GB/s\" or \"100 Gbit/s\"",
            Self::GigabitsPerSecond => "a data rate such as \"100 Gbit/s\" or \"12.5 GB/s\"",
            Self::Watts => "a power such as \"250 W\" or \"1.2 kW\"",
        }
    }

    /// The prefixes this unit is written with: power of ten against the base unit, and symbol, the
    /// largest first.
    fn prefixes(self) -> &'static [(i32, &'static str)] {
        match self {
            Self::Count | Self::Ratio => &[(0, "")],
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
        }
    }

    fn prefixed(self, number: &Decimal) -> (Decimal, &'static str) {
        let base = (0, self.symbol());
        let prefixes = self.prefixes();
        let fitting = prefixes.iter().find(|(power, _)| *power <= number.power).or(prefixes.last());
        let (power, symbol) = *fitting.unwrap_or(&base);
        (Decimal { digits: number.digits.clone(), power: number.power - power }, symbol)
    }

    fn hour_symbol(self) -> Option<&'static str> {
        match self {
            Self::Seconds => Some("h"),
            Self::SecondsPer100Mb => Some("h/100 MB"),
            _ => None,
        }
    }
}

/// The percentage a share lies below or above, where rounding would make it 0 % or 100 %.
fn share_bound(share: f64, rounded: &Decimal) -> Option<&'static str> {
    let magnitude = share.abs();
    if 0.0 < magnitude && magnitude < 0.0001 {
        Some(if share > 0.0 { "< 0.01" } else { "> −0.01" })
    } else if magnitude < 1.0 && rounded.power == 0 && rounded.digits == "1" {
        Some(if share > 0.0 { "> 99.99" } else { "< −99.99" })
    } else {
        None
    }
}

/// A number rounded for display: its significant digits, the first of which stands for 10^power.
struct Decimal {
    digits: String,
    power: i32,
}

impl Decimal {
    /// Rounding comes before the choice of a prefix, so that 999.96 ms becomes "1 s".
    fn rounded(magnitude: f64) -> Self {
        let text = format!("{magnitude:.*e}", SIGNIFICANT_DIGITS - 1);
        let (mantissa, power) = text.split_once('e').expect("{:e} always writes an exponent");
        let digits = mantissa.replace('.', "").trim_end_matches('0').to_owned();
        let power = power.parse().expect("the exponent of an f64 lies within ±324");
        Self { digits, power }
    }

    fn text(&self) -> String {
        let Self { digits, power } = self;
        if digits.is_empty() {
            return "0".to_owned();
        }
        if !PLAIN_POWERS.contains(power) {
            return self.scientific_text();
        }
        let Ok(before_point) = usize::try_from(power + 1) else {
            return format!("0.{}{digits}", "0".repeat((-power - 1).unsigned_abs() as usize));
        };
        if before_point == 0 {
            return format!("0.{digits}");
        }
        let padded = format!("{digits:0<before_point$}");
        let (whole, fraction) = padded.split_at(before_point);
        let point = if fraction.is_empty() { "" } else { "." };
        grouped_in_thousands(whole) + point + fraction
    }

    fn scientific_text(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if self.power < 0 { "−" } else { "" };
        format!("{first}{point}{rest}e{sign}{}", self.power.abs())
    }
}

fn grouped_in_thousands(whole: &str) -> String {
    let mut grouped = String::with_capacity(whole.len() * 4 / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number as typed, `digits × 10^power`. It stays text until the prefix is known, so that "8.73 ms"
/// is the very 0.00873 that a file would hold and not a neighbour of it.
struct Typed {
    negative: bool,
    digits: String,
    power: i32,
}

impl Typed {
    /// The number `text` begins with, and what follows it.
    fn split_from(text: &str) -> Option<(Self, &str)> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let end = unsigned.find(|c: char| !matches!(c, '0'..='9' | '.' | ','));
        let (mantissa, mut rest) = unsigned.split_at(end.unwrap_or(unsigned.len()));
        let (whole, fraction) = whole_and_fraction(mantissa)?;
        let mut power = 0;
        if let Some(after) = rest.strip_prefix(['e', 'E']) {
            let sign_len = usize::from(after.starts_with(['+', '-']));
            let digits = after[sign_len..].trim_start_matches(|c: char| c.is_ascii_digit());
            let exponent = &after[..after.len() - digits.len()];
            if exponent.len() > sign_len {
                let saturated = if exponent.starts_with('-') { i32::MIN } else { i32::MAX };
                power = exponent.parse().unwrap_or(saturated);
                rest = digits;
            }
        }
        let all_digits = whole.replace(',', "") + fraction;
        let digits = all_digits.trim_end_matches('0');
        let trimmed_zeros = i32::try_from(all_digits.len() - digits.len()).ok()?;
        let fraction_len = i32::try_from(fraction.len()).ok()?;
        let number = Self {
            negative: text.starts_with('-'),
            digits: format!("0{digits}"),
            power: power.saturating_add(trimmed_zeros).saturating_sub(fraction_len),
        };
        Some((number, rest))
    }

    fn times_power_of_ten(&self, power: i32) -> Option<f64> {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.power.saturating_add(power)).parse().ok()
    }
}

/// Splits at the decimal sign by the comma rule of [`Unit::parse`].
fn whole_and_fraction(mantissa: &str) -> Option<(&str, &str)> {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = if let Some(parts) = mantissa.split_once('.') {
        parts
    } else if !mantissa.contains(',') || is_grouped_in_thousands(mantissa) {
        (mantissa, "")
    } else {
        let (whole, fraction) = mantissa.split_once(',')?;
        if fraction.is_empty() || !all_digits(whole) {
            return None;
        }
        (whole, fraction)
    };
    let well_formed = all_digits(fraction)
        && (all_digits(whole) || is_grouped_in_thousands(whole))
        && !(whole.is_empty() && fraction.is_empty());
    well_formed.then_some((whole, fraction))
}

fn is_grouped_in_thousands(whole: &str) -> bool {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && !first.starts_with('0') && groups.all(|group| group.len() == 3)
}

/// What a typed unit measures; its own base is the second, the byte, the watt.
#[derive(Clone, Copy, PartialEq)]
enum Dimension {
    Bare,
    PrefixAlone,
    Percent,
    Times,
    Time,
    Data,
    DataRate,
    TimePerData,
    Power,
}

/// A unit's size in its dimension's own base: `multiplier × 10^power`.
#[derive(Clone, Copy)]
struct Size {
    power: i32,
    multiplier: f64,
}

impl Size {
    fn power(power: i32) -> Self {
        Self { power, multiplier: 1.0 }
    }

    fn multiplier(multiplier: f64) -> Self {
        Self { power: 0, multiplier }
    }

    fn times(self, other: Self) -> Self {
        Self { power: self.power.saturating_add(other.power), multiplier: self.multiplier * other.multiplier }
    }

    fn per(self, other: Self) -> Self {
        Self { power: self.power.saturating_sub(other.power), multiplier: self.multiplier / other.multiplier }
    }
}

fn dimension_and_size(suffix: &str) -> Option<(Dimension, Size)> {
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

/// Data per time, or time per data; the denominator may begin with a number, as in "ms/100 MB".
fn quotient(numerator: &str, denominator: &str) -> Option<(Dimension, Size)> {
    let (denominator_size, denominator_unit) = match Typed::split_from(denominator) {
        None => (Size::power(0), denominator),
        Some((number, unit)) => {
            let digits = Typed { power: 0, ..number }.times_power_of_ten(0)?;
            if !digits.is_finite() || digits <= 0.0 {
                return None;
            }
            (Size { power: number.power, multiplier: digits }, unit.trim_start())
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Unit; 10] = [
        Unit::Count,
        Unit::Ratio,
        Unit::Factor,
        Unit::Share,
        Unit::Seconds,
        Unit::SecondsPer100Mb,
        Unit::Gigabytes,
        Unit::GigabytesPerSecond,
        Unit::GigabitsPerSecond,
        Unit::Watts,
    ];

    fn check_format(unit: Unit, cases: &[(f64, &str)]) {
        for (value, expected) in cases {
            assert_eq!(unit.format(*value), *expected, "{unit:?} of {value:e}");
        }
    }

    #[track_caller]
    fn check_parse(unit: Unit, cases: &[(&str, f64)]) {
        for (text, expected) in cases {
            assert_eq!(unit.parse(text), Ok(*expected), "{unit:?} from {text:?}");
        }
    }

    #[track_caller]
    fn check_refused(unit: Unit, texts: &[&str]) {
        for text in texts {
            let result = unit.parse(text);
            assert!(result.is_err(), "{unit:?} took {text:?} for {result:?}");
        }
    }

    #[test]
    fn durations_show_four_digits_and_the_fitting_prefix() {
        check_format(
            Unit::Seconds,
            &[
                (0.0, "0 s"),
                (-0.0, "0 s"),
                (0.008_730_2, "8.73 ms"),
                (0.008_736_2, "8.736 ms"),
                (0.2, "200 ms"),
                (0.999_94, "999.9 ms"),
                (0.999_96, "1 s"),
                (1e-7, "100 ns"),
                (2.5e-4, "250 µs"),
                (1e-10, "0.1 ns"),
                (1.5e-20, "1.5e−11 ns"),
                (889.2, "889.2 s"),
                (120.0, "120 s"),
                (5_400.0, "5,400 s"),
                (99_990.0, "99,990 s"),
                (99_996.0, "27.78 h"),
                (360_000.0, "100 h"),
                (3.6e7, "10,000 h"),
                (-0.003, "−3 ms"),
            ],
        );
        check_format(
            Unit::SecondsPer100Mb,
            &[(0.008_730_2, "8.73 ms/100 MB"), (1.25, "1.25 s/100 MB"), (3.6e5, "100 h/100 MB")],
        );
    }

    #[test]
    fn data_and_rates_move_to_the_next_prefix_at_a_thousand() {
        check_format(
            Unit::Gigabytes,
            &[
                (1_500.0, "1.5 TB"),
                (0.1, "100 MB"),
                (64.0, "64 GB"),
                (999.96, "1 TB"),
                (2e-9, "2 B"),
                (4.2e-6, "4.2 kB"),
                (3e12, "3,000 EB"),
            ],
        );
        check_format(Unit::GigabytesPerSecond, &[(12.8, "12.8 GB/s"), (4_800.0, "4.8 TB/s"), (0.1, "100 MB/s")]);
        check_format(Unit::GigabitsPerSecond, &[(80.0, "80 Gbit/s"), (1_600.0, "1.6 Tbit/s"), (0.5, "500 Mbit/s")]);
        check_format(Unit::Watts, &[(700.0, "700 W"), (1_200.0, "1.2 kW"), (0.25, "250 mW")]);
    }

    #[test]
    fn a_share_short_of_everything_is_never_shown_as_everything() {
        check_format(
            Unit::Share,
            &[
                (0.0, "0 %"),
                (0.5, "50 %"),
                (0.999_84, "99.98 %"),
                (0.999_96, "> 99.99 %"),
                (1.0 - f64::EPSILON, "> 99.99 %"),
                (1.0, "100 %"),
                (1.5, "150 %"),
                (0.001_234_4, "0.1234 %"),
                (0.0001, "0.01 %"),
                (0.000_01, "< 0.01 %"),
                (5e-324, "< 0.01 %"),
                (-0.5, "−50 %"),
                (-0.000_01, "> −0.01 %"),
                (-0.999_99, "< −99.99 %"),
            ],
        );
    }

    #[test]
    fn plain_numbers_and_factors_carry_no_prefix() {
        check_format(Unit::Count, &[(1.0, "1"), (1_000.0, "1,000"), (1e6, "1,000,000")]);
        check_format(
            Unit::Ratio,
            &[(1.5, "1.5"), (0.000_123_4, "0.0001234"), (0.000_012_34, "1.234e−5"), (1e15, "1e15"), (-2.5, "−2.5")],
        );
        check_format(Unit::Factor, &[(2.316_2, "2.316×"), (0.999_79, "0.9998×"), (1.0, "1×")]);
    }

    #[test]
    fn what_is_not_finite_is_named_without_a_unit() {
        for unit in ALL {
            let cases = [(f64::INFINITY, "∞"), (f64::NEG_INFINITY, "−∞"), (f64::NAN, "not a number")];
            check_format(unit, &cases);
        }
    }

    #[test]
    fn a_table_gets_number_and_unit_apart() {
        let expected = ("8.73".to_owned(), "ms/100 MB");
        assert_eq!(Unit::SecondsPer100Mb.number_and_symbol(0.008_73), expected);
    }

    #[test]
    fn a_bare_number_is_in_the_base_unit() {
        for unit in ALL {
            check_parse(unit, &[("0.3", 0.3), (" 1 ", 1.0), (".5", 0.5), ("-1e-2", -0.01)]);
        }
        check_parse(Unit::Gigabytes, &[("64", 64.0), ("1e3", 1_000.0), ("+2.", 2.0), ("−3", -3.0)]);
    }

    #[test]
    fn every_base_symbol_reads_as_one_of_itself() {
        for unit in ALL.into_iter().filter(|unit| *unit != Unit::Share) {
            check_parse(unit, &[(&format!("7 {}", unit.symbol()), 7.0)]);
        }
    }

    #[test]
    fn commas_group_thousands_or_stand_for_the_decimal_point() {
        check_parse(
            Unit::Ratio,
            &[
                ("1,234", 1_234.0),
                ("1,000,000", 1_000_000.0),
                ("1,234.5", 1_234.5),
                ("8,7", 8.7),
                ("8,7302", 8.730_2),
                ("0,873", 0.873),
                ("1234,567", 1_234.567),
                ("1,5e3", 1_500.0),
            ],
        );
        check_refused(Unit::Ratio, &["1.234,5", "1,23,456", "1,2,3", "5,", ",", ".", "1,5.3", "1.2.3"]);
    }

    #[test]
    fn units_of_time_are_understood() {
        check_parse(
            Unit::Seconds,
            &[
                ("5 ms", 0.005),
                ("5ms", 0.005),
                ("8,7 ms", 0.008_7),
                ("8.73 ms", 0.008_73),
                ("200 us", 0.000_2),
                ("200 \u{b5}s", 0.000_2),
                ("200 \u{3bc}s", 0.000_2),
                ("100 ns", 1e-7),
                ("2 min", 120.0),
                ("1 h", 3_600.0),
                ("1.5 d", 129_600.0),
                ("5,400 s", 5_400.0),
            ],
        );
        check_parse(
            Unit::SecondsPer100Mb,
            &[
                ("5 ms/100 MB", 0.005),
                ("8.73 ms / 100MB", 0.008_73),
                ("5 ms", 0.005),
                ("0.05 s/GB", 0.005),
                ("1 s/800 Mbit", 1.0),
                ("10 ms/200 MB", 0.005),
            ],
        );
        check_refused(Unit::Seconds, &["5 m", "5 GB", "5 ms/100 MB", "5 MS", "5 m/s"]);
        check_refused(Unit::SecondsPer100Mb, &["5 ms/0 MB", "5 ms/-1 MB", "5 ms/", "5 GB/s", "5 /MB"]);
    }

    #[test]
    fn bits_and_bytes_convert_into_each_other() {
        check_parse(
            Unit::GigabitsPerSecond,
            &[
                ("100 Gbit/s", 100.0),
                ("100Gb/s", 100.0),
                ("100 Gbps", 100.0),
                ("100 gbps", 100.0),
                ("100 gbit/s", 100.0),
                ("100 GBIT/s", 100.0),
                ("500 mbit/s", 0.5),
                ("1 GB/s", 8.0),
                ("1 GBps", 8.0),
                ("12.5 GB/s", 100.0),
                ("0.1 Gbit/s", 0.1),
                ("100G", 100.0),
            ],
        );
        check_parse(
            Unit::GigabytesPerSecond,
            &[
                ("12.8 GB/s", 12.8),
                ("4.8 TB/s", 4_800.0),
                ("100 Gbit/s", 12.5),
                ("8 Gbit/s", 1.0),
                ("6 GB/min", 0.1),
                ("1 MiB/s", 0.001_048_576),
            ],
        );
        check_parse(
            Unit::Gigabytes,
            &[
                ("1.5 TB", 1_500.0),
                ("1.5T", 1_500.0),
                ("100 MB", 0.1),
                ("8 Gb", 1.0),
                ("8 gbit", 1.0),
                ("1 KiB", 1.024e-6),
                ("1 MiB", 0.001_048_576),
                ("1 GiB", 1.073_741_824),
                ("1 TiB", 1_099.511_627_776),
                ("1EB", 1e9),
                ("1e3 B", 1e-6),
            ],
        );
        check_refused(Unit::Gigabytes, &["500 gb", "5 mB", "5 GB/s", "5 %", "1 GB 2 MB"]);
        check_refused(Unit::GigabitsPerSecond, &["5 GB", "5 ms", "100 gb/s", "100 MBPS"]);
    }

    #[test]
    fn shares_factors_counts_and_power_are_understood() {
        check_parse(Unit::Share, &[("30 %", 0.3), ("30%", 0.3), ("0.3", 0.3), ("150 %", 1.5)]);
        check_refused(Unit::Share, &["30", "-1.5", "> 99.99 %", "< 0.01 %", "1k", "0.3×"]);
        check_parse(Unit::Factor, &[("2.3x", 2.3), ("2.3×", 2.3), ("2.3 X", 2.3), ("2.3", 2.3)]);
        check_refused(Unit::Factor, &["30 %", "0x10", "2 s"]);
        check_parse(Unit::Count, &[("1,000", 1_000.0), ("1k", 1_000.0), ("2 M", 2e6)]);
        check_refused(Unit::Count, &["30 %", "3x", "3 m"]);
        check_parse(Unit::Ratio, &[("30 %", 0.3), ("1.5×", 1.5)]);
        check_parse(Unit::Watts, &[("700 W", 700.0), ("1.2k", 1_200.0), ("1.2 kW", 1_200.0)]);
        check_parse(Unit::Watts, &[("5 mW", 0.005), ("5 MW", 5e6)]);
    }

    #[test]
    fn what_is_no_number_is_refused_everywhere() {
        for unit in ALL {
            let texts = ["", "  ", "nan", "NaN", "inf", "-inf", "∞", "−∞", "infinity", "s", "e5"];
            check_refused(unit, &texts);
            check_refused(unit, &["--1", "1e", "1e999", "1e99999999999", "1 2", "٣", "1 furlong"]);
        }
    }

    #[test]
    fn an_error_names_what_was_expected_and_what_was_found() {
        let message = |unit: Unit, text| unit.parse(text).map_err(|error| error.to_string());
        let cases = [
            (
                Unit::GigabitsPerSecond,
                " 5 ms",
                r#"expected a data rate such as "100 Gbit/s" or "12.5 GB/s", found "5 ms""#,
            ),
            (Unit::Share, "", r#"expected a share such as "30 %" or "0.3", found nothing"#),
            (Unit::Watts, "1e999", r#""1e999" is too large: a quantity must stay below 1.8e308 in its base unit"#),
        ];
        for (unit, text, expected) in cases {
            assert_eq!(message(unit, text), Err(expected.to_owned()));
        }
    }

    #[test]
    fn every_example_in_a_message_is_understood() {
        for unit in ALL {
            let examples: Vec<_> = unit.expected().split('"').skip(1).step_by(2).collect();
            assert_eq!(examples.len(), 2, "{unit:?}");
            for example in examples {
                assert!(unit.parse(example).is_ok(), "{unit:?} from {example:?}");
            }
        }
    }

    /// Values over each unit's sensible range, evenly spread over the powers of ten. The ends of a
    /// share's range, which are written as bounds, are left out.
    fn unit_and_value() -> impl Strategy<Value = (Unit, f64)> {
        let unit = proptest::sample::select(ALL.as_slice());
        (unit, 0.0..1.0, any::<bool>()).prop_map(|(unit, position, negative)| {
            let (lowest, highest): (f64, f64) = match unit {
                Unit::Share => (1e-4, 0.9999),
                Unit::Count => (1.0, 1e15),
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
        fn any_number_at_all_shows_at_most_four_digits(
            unit in proptest::sample::select(ALL.as_slice()),
            bits in any::<u64>(),
        ) {
            let (number, _) = unit.number_and_symbol(f64::from_bits(bits));
            let mantissa = number.split('e').next().unwrap_or_default().replace([',', '.'], "");
            let digits = mantissa.trim_matches(|c: char| c == '0' || !c.is_ascii_digit());
            prop_assert!(digits.len() <= 4, "{number}");
        }

        #[test]
        fn any_text_is_read_or_refused_but_never_infinite(
            unit in proptest::sample::select(ALL.as_slice()),
            text in prop_oneof![
                any::<String>(),
                "[-+−]?[0-9.,]{0,8}(e[-+]?[0-9]{0,12})?[ /0-9kmMGiTBbx%µsphWé]{0,9}",
            ],
        ) {
            if let Ok(value) = unit.parse(&text) {
                prop_assert!(value.is_finite());
            }
        }
    }
}
