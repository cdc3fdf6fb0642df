//! Numbers and units of profilers: thousands separators, percentages, units of time and of memory.

use std::ops::RangeInclusive;

use crossover_measured::kernels::Class;

use crate::left_out::shown;

/// Bytes of a kilobyte as `nvprof` counts: two tiles of 32 times 32 numbers of 4 bytes are 8.000000 KB
/// (<https://github.com/leimingyu/magus>, `00_featSel/13app_trace/matrixMul_trace.csv`).
pub(super) const KILO_OF_NVPROF: f64 = 1_024.0;
/// Bytes of a kilobyte as Nsight Compute counts: it calls 48 KiB 49.15 Kbyte.
pub(super) const KILO_OF_NSIGHT: f64 = 1_000.0;

/// A finite number, also with commas between thousands; other commas are invalid.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value = if text.contains(',') {
        let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
        let (first, groups) = whole.split_once(',')?;
        let first = first.strip_prefix('-').unwrap_or(first);
        // No thousands follow a zero: "0,125" has a decimal comma.
        let is_zero = first == "0";
        let is_digits = |group: &str, least: usize| {
            (least..=3).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_grouped = is_digits(first, 1) && groups.split(',').all(|group| is_digits(group, 3));
        let is_whole = part.is_none_or(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        (is_grouped && is_whole && !is_zero).then(|| text.replace(',', "")).and_then(|text| text.parse().ok())
    } else {
        text.parse().ok()
    };
    value.filter(|value: &f64| value.is_finite())
}

/// A share from 0 to 1 that is written as a percentage, with its sign or without.
pub(super) fn percentage(text: &str) -> Option<f64> {
    let text = text.trim();
    number(text.strip_suffix('%').unwrap_or(text))
        .map(|value| value / 100.0)
        .filter(|share| (0.0..=1.0).contains(share))
}

/// The number of a field.
///
/// # Errors
/// It is none, or beyond the range.
pub(super) fn within(field: &str, text: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
    in_range(field, text, number(text), range)
}

/// The value of a field, as its text was read.
///
/// # Errors
/// It is no number, or beyond the range.
pub(super) fn in_range(field: &str, text: &str, value: Option<f64>, range: RangeInclusive<f64>) -> Result<f64, String> {
    value.filter(|value| range.contains(value)).ok_or_else(|| {
        let (field, text) = (shown(field), shown(text));
        format!("{field} is “{text}”; allowed: a number from {} to {}", range.start(), range.end())
    })
}

/// Seconds of a unit of time.
pub(super) fn seconds_of(unit: &str) -> Option<f64> {
    match unit.trim() {
        "s" | "sec" | "second" => Some(1.0),
        "ms" | "msec" | "msecond" => Some(1e-3),
        "us" | "µs" | "μs" | "usec" | "usecond" => Some(1e-6),
        "ns" | "nsec" | "nsecond" => Some(1e-9),
        _ => None,
    }
}

/// Bytes of a unit of memory, also of memory of a block, with so many bytes in a kilobyte.
pub(super) fn bytes_of(unit: &str, kilo: f64) -> Option<f64> {
    let unit = unit.trim();
    match unit.strip_suffix("/block").unwrap_or(unit) {
        "B" | "byte" => Some(1.0),
        "KB" | "Kbyte" => Some(kilo),
        "MB" | "Mbyte" => Some(kilo * kilo),
        "GB" | "Gbyte" => Some(kilo * kilo * kilo),
        _ => None,
    }
}

/// Class of a kernel in a table; none for an empty field.
///
/// # Errors
/// It says something else.
pub(super) fn class(field: &str, text: &str) -> Result<Option<Class>, String> {
    let text = text.trim();
    let word = text.to_ascii_lowercase();
    match word.strip_suffix("-intensive").or_else(|| word.strip_suffix("-bound")).unwrap_or(&word) {
        "" => Ok(None),
        "memory" => Ok(Some(Class::Memory)),
        "compute" => Ok(Some(Class::Compute)),
        _ => Err(format!("{field} is “{}”; allowed: memory or compute", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_thousands_only() {
        let cases = [
            ("10,196,000", Some(10_196_000.0)),
            (" 1,024.5 ", Some(1_024.5)),
            ("-1,024", Some(-1_024.0)),
            ("3995313115.40", Some(3_995_313_115.4)),
            ("1e3", Some(1_000.0)),
            ("1,5", None),
            ("0,125", None),
            ("1,0000", None),
            ("1,234,56", None),
            ("1.234,5", None),
            ("1,024.5e", None),
            (",5", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
            ("1e999", None),
            ("High (7)", None),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn units_have_a_factor_or_are_not_known() {
        assert_eq!(
            ["s", "ms", "msec", "usecond", "µs", "ns", "", "min"].map(seconds_of),
            [Some(1.0), Some(1e-3), Some(1e-3), Some(1e-6), Some(1e-6), Some(1e-9), None, None]
        );
        assert_eq!(bytes_of("KB", KILO_OF_NVPROF), Some(1_024.0));
        assert_eq!(bytes_of("Kbyte/block", KILO_OF_NSIGHT), Some(1_000.0));
        assert_eq!(bytes_of("byte/block", KILO_OF_NSIGHT), Some(1.0));
        assert_eq!((bytes_of("kb", 1.0), bytes_of("", 1.0), bytes_of("byte/second", 1.0)), (None, None, None));
        assert_eq!((percentage("75.2%"), percentage("100"), percentage("101%")), (Some(0.752), Some(1.0), None));
    }

    #[test]
    fn a_class_is_one_of_two_words() {
        assert_eq!(class("class", "Memory"), Ok(Some(Class::Memory)));
        assert_eq!(class("class", "compute-intensive"), Ok(Some(Class::Compute)));
        assert_eq!(class("class", " "), Ok(None));
        assert_eq!(class("class", "both"), Err("class is “both”; allowed: memory or compute".to_owned()));
    }
}
