//! Quantities of Kubernetes: `500m`, `4`, `1e3`, `16Gi`.
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>

use crate::left_out::shown;

/// A mebibyte in thousandths of a byte.
const MIB_MILLI: u128 = 1000 << 20;

/// The thousandths of a quantity, finer ones rounded up as Kubernetes does; `None` if it is none, negative, or beyond
/// 2¹²⁷.
pub(super) fn thousandths(text: &str) -> Option<u128> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
    let mantissa: u128 = match digits.trim_start_matches('0') {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    let (ten, binary) = scale(suffix)?;
    let fraction = i32::try_from(fraction.trim_end_matches('0').len()).ok()?;
    let ten = ten.checked_sub(fraction)?.checked_add(3)?;
    let scaled = mantissa.checked_mul(1_u128 << binary)?;
    let power = 10_u128.checked_pow(ten.unsigned_abs());
    match (scaled, power) {
        (0, _) => Some(0),
        (scaled, Some(power)) if ten >= 0 => scaled.checked_mul(power),
        (_, None) if ten >= 0 => None,
        (scaled, Some(power)) => Some(scaled.div_ceil(power)),
        (_, None) => Some(1),
    }
    .filter(|value| *value >> 127 == 0)
}

/// The power of ten, and that of two, by which a suffix multiplies.
fn scale(suffix: &str) -> Option<(i32, u32)> {
    Some(match suffix {
        "" => (0, 0),
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        _ => (suffix.strip_prefix(['e', 'E'])?.parse().ok().filter(|power: &i32| power.abs() < 100)?, 0),
    })
}

/// Thousandths of cores that a quantity of CPU is.
pub(super) fn cpu_milli(field: &str, text: &str) -> Result<u128, String> {
    thousandths(text).ok_or_else(|| format!("{field} is “{}”; expected cores like 4 or 500m", shown(text)))
}

/// MiB that so many thousandths of a byte are, rounded up if asked for, and whether that is another number.
pub(super) fn mib(thousandths: u128, up: bool) -> (u128, bool) {
    let whole = thousandths / MIB_MILLI;
    let is_rounded = !thousandths.is_multiple_of(MIB_MILLI);
    (if up && is_rounded { whole + 1 } else { whole }, is_rounded)
}

/// Thousandths of bytes that a quantity of memory is.
pub(super) fn memory(field: &str, text: &str) -> Result<u128, String> {
    thousandths(text).ok_or_else(|| format!("{field} is “{}”; expected bytes like 16Gi or 128M", shown(text)))
}

/// A count of devices, which have no parts.
pub(super) fn count(field: &str, text: &str) -> Result<u64, String> {
    let whole = thousandths(text).filter(|value| value.is_multiple_of(1000));
    let count = whole.and_then(|value| u64::try_from(value / 1000).ok());
    count.ok_or_else(|| format!("{field} is “{}”; expected a whole number", shown(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by the definition of the format: suffixes of powers of 10 and of 1024, exponents, at most three decimals.
    #[test]
    fn quantities_are_read_as_kubernetes_defines_them() {
        let cases: [(&str, u128); 22] = [
            ("0", 0),
            ("500m", 500),
            ("4", 4_000),
            ("+4", 4_000),
            ("0.5", 500),
            (".5", 500),
            ("4.", 4_000),
            ("1e3", 1_000_000),
            ("1E3", 1_000_000),
            ("1e-3", 1),
            ("1E", 1_000_000_000_000_000_000_000),
            ("0.1m", 1),
            ("100n", 1),
            ("1500u", 2),
            ("1k", 1_000_000),
            ("128M", 128_000_000_000),
            ("1Ki", 1_024_000),
            ("16Gi", 17_179_869_184_000),
            ("1.5Gi", 1_610_612_736_000),
            ("128974848", 128_974_848_000),
            ("129e6", 129_000_000_000),
            ("128974848000m", 128_974_848_000),
        ];
        for (text, expected) in cases {
            assert_eq!(thousandths(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_quantity_is_none() {
        let long = "9".repeat(60);
        for text in ["", "-1", "four", "1..2", "1.2.3", "1 Gi", "1gi", "1e", "e3", ".", "1e999", "9e99", "½", &long] {
            assert_eq!(thousandths(text), None, "{text}");
        }
        assert_eq!(thousandths("1e-99"), Some(1));
        assert_eq!(thousandths(&format!("1.{}", "0".repeat(500))), Some(1_000));
    }

    #[test]
    fn memory_is_rounded_to_whole_mebibytes_and_that_is_told() {
        let bytes = |text| thousandths(text).expect("a quantity");
        assert_eq!(mib(bytes("16Gi"), true), (16_384, false));
        // 128 · 10⁶ / 2²⁰ = 122.07
        assert_eq!((mib(bytes("128M"), true), mib(bytes("128M"), false)), ((123, true), (122, true)));
        assert_eq!(count("nvidia.com/gpu", "2"), Ok(2));
        assert!(count("nvidia.com/gpu", "500m").is_err());
    }
}
