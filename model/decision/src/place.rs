//! Amounts of US dollars as whole numbers of a decimal place, and as text to that place.

use crossover_quantity::unit::Unit;

/// An amount in units of 10^`place` dollars.
pub(crate) fn in_units(usd: f64, place: i32) -> f64 {
    // Powers of ten with a positive exponent are exact.
    let power = 10.0_f64.powi(place.abs());
    if place < 0 { usd * power } else { usd / power }
}

#[expect(clippy::cast_possible_truncation, reason = "the exponent of a number")]
pub(crate) fn floor(exponent: f64) -> i32 {
    exponent.floor() as i32
}

/// So many units of 10^`place` dollars: "−$1,234.50".
pub(crate) fn written(count: f64, place: i32) -> String {
    let sign = if count < 0.0 { "−" } else { "" };
    let count = count.abs();
    let decimals = usize::try_from(-place).unwrap_or(0);
    if decimals == 0 {
        return format!("{sign}${}", Unit::Count.format(count * 10.0_f64.powi(place)));
    }
    let scale = 10.0_f64.powi(-place);
    let whole = (count / scale).floor();
    format!("{sign}${}.{:0decimals$.0}", Unit::Count.format(whole), count - whole * scale)
}
