//! Formatting of quantities in reports: at most four significant digits, SI prefixes.

use crossover_quantity::unit::Unit;

/// A duration: "8.73 ms".
#[must_use]
pub fn seconds(seconds: f64) -> String {
    Unit::Seconds.format(seconds)
}

/// An amount of data: "134.2 MB".
#[must_use]
pub fn bytes(bytes: f64) -> String {
    Unit::Gigabytes.format(bytes / 1e9)
}

/// A speed in GB/s, without the unit: "0.8412".
#[must_use]
pub fn gb_per_s(gb_per_s: f64) -> String {
    Unit::Ratio.format(gb_per_s)
}

/// A share in percent: "84.1 %".
#[must_use]
pub fn share(share: f64) -> String {
    Unit::Share.format(share)
}

/// A plain number: "0.25".
#[must_use]
pub fn number(number: f64) -> String {
    Unit::Ratio.format(number)
}

/// A count: "262.1 k", "4.194 M", "1.074 G".
#[must_use]
pub fn count(count: f64) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    // Rounding comes before the choice of a prefix: 999,960 is "1 M", not "1,000 k".
    let rounded: f64 = format!("{count:.3e}").parse().unwrap_or(count);
    if !rounded.is_finite() {
        return Unit::Ratio.format(count);
    }
    let (scale, prefix) = PREFIXES.into_iter().find(|(scale, _)| rounded >= *scale).unwrap_or((1.0, ""));
    Unit::Ratio.format(count / scale) + prefix
}

/// A parameter of a measurement with its name: "build rows 262.1 k".
#[must_use]
pub fn parameter(name: &str, value: f64) -> String {
    format!("{} {}", name.replace('_', " "), self::value(name, value))
}

/// The value of a parameter: bytes as an amount, what is whole and large as a count, others as plain numbers.
#[must_use]
pub fn value(name: &str, value: f64) -> String {
    match name {
        "bytes" => bytes(value),
        _ if value.fract() == 0.0 && value >= 1e4 => count(value),
        _ => number(value),
    }
}

/// A value for programs: all digits, a decimal point, an exponent only where it is far shorter; empty if not finite.
#[must_use]
pub fn raw(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_nothing_for_programs() {
        assert_eq!([f64::INFINITY, f64::NAN, -1e308 * 10.0].map(raw), ["", "", ""]);
        assert_eq!(raw(1e308), "1e308");
    }

    #[test]
    fn counts_have_four_digits_and_the_prefix_that_fits() {
        let cases = [
            (0.0, "0"),
            (999.0, "999"),
            (1_000.0, "1 k"),
            (262_144.0, "262.1 k"),
            (999_960.0, "1 M"),
            (4_194_304.0, "4.194 M"),
            (2.5e9, "2.5 G"),
            (7e15, "7,000 T"),
            (f64::INFINITY, "∞"),
        ];
        for (value, expected) in cases {
            assert_eq!(count(value), expected);
        }
    }

    #[test]
    fn a_parameter_is_written_with_its_name() {
        assert_eq!(parameter("rows", 262_144.0), "rows 262.1 k");
        assert_eq!(parameter("build_rows", 64.0), "build rows 64");
        assert_eq!(parameter("selectivity", 0.1), "selectivity 0.1");
        assert_eq!(parameter("bytes", 1_048_576.0), "bytes 1.049 MB");
    }

    #[test]
    fn programs_get_every_digit() {
        let cases = [
            (0.0, "0"),
            (1_048_576.0, "1048576"),
            (0.000_123_456_789, "0.000123456789"),
            (1.5e-7, "1.5e-7"),
            (1e300, "1e300"),
        ];
        for (value, expected) in cases {
            assert_eq!(raw(value), expected);
        }
    }
}
