//! A number as people type it: decimal sign, thousands separators and exponent.

/// A number as typed, `digits × 10^power`. It stays text until the prefix is known, so that "8.73 ms"
/// is the very 0.00873 that a file would hold and not a neighbour of it.
pub(super) struct Numeral {
    negative: bool,
    digits: String,
    power: i32,
}

impl Numeral {
    /// The number `text` begins with, and what follows it.
    pub(super) fn split_from(text: &str) -> Option<(Self, &str)> {
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

    /// The number multiplied by `10^power`, rounded once, after the multiplication.
    pub(super) fn times_power_of_ten(&self, power: i32) -> Option<f64> {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.power.saturating_add(power)).parse().ok()
    }

    /// The number in two parts, `digits × 10^power`.
    pub(super) fn digits_and_power(self) -> Option<(f64, i32)> {
        let power = self.power;
        let digits = Self { power: 0, ..self }.times_power_of_ten(0)?;
        Some((digits, power))
    }
}

/// Splits at the decimal sign by the comma rule of [`Unit::parse`](super::Unit::parse).
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a text that is a number from end to end.
    fn value(text: &str) -> Option<f64> {
        let (number, rest) = Numeral::split_from(text)?;
        if rest.is_empty() { number.times_power_of_ten(0) } else { None }
    }

    #[test]
    fn commas_group_thousands_or_stand_for_the_decimal_point() {
        let cases = [
            ("1,234", 1_234.0),
            ("1,000,000", 1_000_000.0),
            ("1,234.5", 1_234.5),
            ("8,7", 8.7),
            ("8,7302", 8.730_2),
            ("0,873", 0.873),
            ("1234,567", 1_234.567),
            ("1,5e3", 1_500.0),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Some(expected), "{text:?}");
        }
        for text in ["1.234,5", "1,23,456", "1,2,3", "5,", ",", ".", "1,5.3", "1.2.3"] {
            assert_eq!(value(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_follows_the_number_is_handed_back() {
        for (text, expected) in [("8.73 ms", " ms"), ("1e3 B", " B"), ("1EB", "EB"), ("100G", "G"), ("-2", "")] {
            assert_eq!(Numeral::split_from(text).map(|(_, rest)| rest), Some(expected), "{text:?}");
        }
    }
}
