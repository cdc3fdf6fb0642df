//! Writing a quantity for people: rounding, prefix, sign and thousands separators.

use super::{SECONDS_PER_HOUR, Unit};

const SIGNIFICANT_DIGITS: usize = 4;
/// From this power of ten on, seconds are written as hours.
const HOURS_FROM_POWER: i32 = 5;
/// Powers of ten written out in full; beyond them a number is written as "1.5e20".
const PLAIN_POWERS: std::ops::Range<i32> = -4..15;
/// 2^53: up to here every whole number is an `f64` of its own, so a count shows all its digits.
const COUNTS_EXACT_UP_TO: f64 = 9_007_199_254_740_992.0;

impl Unit {
    /// Writes `value`, held in the base unit, with at most four significant digits and the prefix
    /// that leaves one to three digits before the decimal point: 0.0087302 s is "8.73 ms".
    ///
    /// Whole counts and bytes up to 2^53 keep all their digits: "12,345"; other counts are rounded like the rest.
    /// Seconds stay seconds below 100,000 s and become hours from there on. A share strictly
    /// between 0 and 1 is never written "0 %" or "100 %" but "< 0.01 %" or "> 99.99 %". Numbers that
    /// no prefix brings into reach are written "1.5e20". What is not finite is "∞", "−∞" or
    /// "not a number", without a unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        let (mut text, symbol) = self.number_and_symbol(value);
        if !matches!(symbol, "" | "×") {
            text.push(' ');
        }
        text + symbol
    }

    /// [`Unit::format`] as a plain function, as axes of charts keep it. Of a time per data the time alone is written,
    /// because the axis says per what.
    #[must_use]
    pub fn formatter(self) -> fn(f64) -> String {
        match self {
            Self::Seconds | Self::SecondsPer100Mb => |value| Self::Seconds.format(value),
            Self::Count => |value| Self::Count.format(value),
            Self::Ratio => |value| Self::Ratio.format(value),
            Self::Factor => |value| Self::Factor.format(value),
            Self::Share => |value| Self::Share.format(value),
            Self::Decision => |value| Self::Decision.format(value),
            Self::Gigabytes => |value| Self::Gigabytes.format(value),
            Self::GigabytesPerSecond => |value| Self::GigabytesPerSecond.format(value),
            Self::GigabitsPerSecond => |value| Self::GigabitsPerSecond.format(value),
            Self::Watts => |value| Self::Watts.format(value),
            Self::KilowattHours => |value| Self::KilowattHours.format(value),
            Self::Tops => |value| Self::Tops.format(value),
            Self::TeraOperations => |value| Self::TeraOperations.format(value),
            Self::Gigahertz => |value| Self::Gigahertz.format(value),
            Self::Megahertz => |value| Self::Megahertz.format(value),
            Self::Bytes => |value| Self::Bytes.format(value),
            Self::Cycles => |value| Self::Cycles.format(value),
            Self::Years => |value| Self::Years.format(value),
            Self::UsDollars => |value| Self::UsDollars.format(value),
            Self::UsDollarsPerHour => |value| Self::UsDollarsPerHour.format(value),
            Self::UsDollarsPerKilowattHour => |value| Self::UsDollarsPerKilowattHour.format(value),
        }
    }

    /// Seconds as hours, also short ones, so that all times of an axis have one unit: 27,830 s is "7.731 h".
    pub(super) fn hours(seconds: f64) -> String {
        format!("{} h", Self::Ratio.format(seconds / SECONDS_PER_HOUR))
    }

    /// [`Unit::format`] in two parts, for tables that align numbers and units apart.
    #[must_use]
    pub fn number_and_symbol(self, value: f64) -> (String, &'static str) {
        let sign = if value < 0.0 { "−" } else { "" };
        if !value.is_finite() {
            let name = if value.is_nan() { "not a number" } else { "∞" };
            return (format!("{sign}{name}"), "");
        }
        if self == Self::Decision {
            return match value {
                0.0 => ("no".to_owned(), ""),
                1.0 => ("yes".to_owned(), ""),
                value => Self::Share.number_and_symbol(value),
            };
        }
        let magnitude = value.abs();
        if matches!(self, Self::Count | Self::Bytes) && magnitude.fract() == 0.0 && magnitude <= COUNTS_EXACT_UP_TO {
            return (sign.to_owned() + &grouped_in_thousands(&magnitude.to_string()), self.symbol());
        }
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
            _ => self.prefixed(rounded),
        };
        let text = number.text();
        (if sign.is_empty() { text } else { sign.to_owned() + &text }, symbol)
    }

    fn prefixed(self, number: Decimal) -> (Decimal, &'static str) {
        let base = (0, self.symbol());
        let prefixes = self.prefixes();
        let fitting = prefixes.iter().find(|(power, _)| *power <= number.power).or(prefixes.last());
        let (power, symbol) = *fitting.unwrap_or(&base);
        (Decimal { power: number.power - power, ..number }, symbol)
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
        Self::rounded_surely(magnitude).unwrap_or_else(|| {
            let mut digits = format!("{magnitude:.*e}", SIGNIFICANT_DIGITS - 1);
            let exponent = digits.rfind('e').expect("{:e} always writes an exponent");
            let power = digits[exponent + 1..].parse().expect("the exponent of an f64 lies within ±324");
            digits.truncate(digits[..exponent].trim_end_matches(['0', '.']).len());
            if digits.len() > 1 {
                digits.remove(1); // the point after the first digit
            }
            Self { digits, power }
        })
    }

    /// The same by one multiplication, several times as fast: `None` where its error could change a digit, and for
    /// numbers that are rare.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "four digits and a small power")]
    fn rounded_surely(magnitude: f64) -> Option<Self> {
        /// Far more than the error of four digits that are scaled with exact powers of ten.
        const DOUBT: f64 = 1e-6;
        if !(1e-12..1e12).contains(&magnitude) {
            return None;
        }
        let mut power = magnitude.log10().floor() as i32;
        let scaled = |power: i32| match 3 - power {
            up @ 0.. => magnitude * 10f64.powi(up),
            down => magnitude / 10f64.powi(-down),
        };
        let mut digits = scaled(power);
        // The logarithm may round across a power of ten.
        if digits < 1000.0 {
            power -= 1;
            digits = scaled(power);
        }
        let is_sure = (digits.fract() - 0.5).abs() > DOUBT && (1000.0..9999.0).contains(&digits);
        is_sure.then(|| {
            let mut text = String::with_capacity(16);
            text.push_str(&(digits.round() as u32).to_string());
            text.truncate(text.trim_end_matches('0').len());
            Self { digits: text, power }
        })
    }

    fn text(mut self) -> String {
        // Before any thousands: by far the most frequent case.
        if let before_point @ 1..=3 = usize::try_from(self.power + 1).unwrap_or(0)
            && !self.digits.is_empty()
        {
            if self.digits.len() > before_point {
                self.digits.insert(before_point, '.');
            } else {
                self.digits.extend(std::iter::repeat_n('0', before_point - self.digits.len()));
            }
            return self.digits;
        }
        let Self { digits, power } = &self;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::any_unit_but_count;
    use super::*;

    #[track_caller]
    fn check_format(unit: Unit, cases: &[(f64, &str)]) {
        for (value, expected) in cases {
            assert_eq!(unit.format(*value), *expected, "{unit:?} of {value:e}");
        }
    }

    proptest! {
        /// The standard library rounds to four digits as the number is, whatever is fast.
        #[test]
        fn digits_are_those_of_exact_rounding(mantissa in 10_000u32..100_000, power in -20..20, off in -2i64..=2) {
            // Four digits and a half, and numbers right beside it, where rounding is hardest.
            let number: f64 = format!("{mantissa}e{power}").parse().expect("a number");
            let number = f64::from_bits(number.to_bits().saturating_add_signed(off));
            let Decimal { digits, power } = Decimal::rounded(number);
            let exact = format!("{number:.3e}");
            let (mantissa, exponent) = exact.split_once('e').expect("an exponent");
            prop_assert_eq!(format!("{digits:0<4}"), mantissa.replace('.', ""));
            prop_assert_eq!(power.to_string(), exponent);
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
    fn times_beside_long_ones_are_hours_too() {
        // 27,830 ÷ 3,600 = 7.7306; 36.05 × 3,600 = 129,780.
        let written = [0.0, 3_600.0, 27_830.0, 129_780.0].map(Unit::hours);
        assert_eq!(written, ["0 h", "1 h", "7.731 h", "36.05 h"]);
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
    fn a_whole_count_shows_every_digit_and_any_other_four() {
        check_format(
            Unit::Count,
            &[
                (0.0, "0"),
                (-0.0, "0"),
                (1.0, "1"),
                (1_000.0, "1,000"),
                (12_345.0, "12,345"),
                (-1_234_567.0, "−1,234,567"),
                (1e15, "1,000,000,000,000,000"),
                (9_007_199_254_740_992.0, "9,007,199,254,740,992"),
                (9_007_199_254_740_994.0, "9.007e15"),
                (1e20, "1e20"),
                (2.5, "2.5"),
                (12_345.6, "12,350"),
            ],
        );
    }

    #[test]
    fn plain_numbers_and_factors_carry_no_prefix() {
        check_format(
            Unit::Ratio,
            &[
                (1.5, "1.5"),
                (12_346.0, "12,350"),
                (0.000_123_4, "0.0001234"),
                (0.000_012_34, "1.234e−5"),
                (1e15, "1e15"),
                (-2.5, "−2.5"),
            ],
        );
        check_format(Unit::Factor, &[(2.316_2, "2.316×"), (0.999_79, "0.9998×"), (1.0, "1×")]);
    }

    #[test]
    fn what_is_not_finite_is_named_without_a_unit() {
        for unit in Unit::ALL {
            let cases = [(f64::INFINITY, "∞"), (f64::NEG_INFINITY, "−∞"), (f64::NAN, "not a number")];
            check_format(unit, &cases);
        }
    }

    #[test]
    fn a_table_gets_number_and_unit_apart() {
        let expected = ("8.73".to_owned(), "ms/100 MB");
        assert_eq!(Unit::SecondsPer100Mb.number_and_symbol(0.008_73), expected);
    }

    proptest! {
        #[test]
        fn any_number_but_a_count_shows_at_most_four_digits_and_no_trailing_zeros(
            unit in any_unit_but_count(),
            bits in any::<u64>(),
        ) {
            let (number, _) = unit.number_and_symbol(f64::from_bits(bits));
            let mantissa = number.split('e').next().unwrap_or_default();
            prop_assert!(!(mantissa.contains('.') && mantissa.ends_with('0')), "{number}");
            let all_digits = mantissa.replace([',', '.'], "");
            let digits = all_digits.trim_matches(|c: char| c == '0' || !c.is_ascii_digit());
            prop_assert!(digits.len() <= 4, "{number}");
        }
    }
}
