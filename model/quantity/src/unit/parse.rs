//! Reading a quantity as people type it, and the conversion to the base unit.

use super::Unit;
use super::dimension::{Dimension, Size, dimension_and_size};
use super::numeral::Numeral;

/// Why a text is not a quantity of the unit asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text is empty or blank.
    #[error("expected {expected}, found nothing")]
    Empty {
        /// What the unit reads, with examples.
        expected: &'static str,
    },
    /// Garbage, an unknown unit, or a unit of another dimension.
    #[error("expected {expected}, found \"{found}\"")]
    NotThisQuantity {
        /// What the unit reads, with examples.
        expected: &'static str,
        /// The text without the blanks around it.
        found: String,
    },
    /// A range of which one end alone has a unit, and it cannot be that of both.
    #[error("“{bare}” has no unit, but “{with_unit}” has one; give both ends theirs")]
    UnitOfOneEnd {
        /// The end with a unit.
        with_unit: String,
        /// The other end.
        bare: String,
    },
    /// A number that overflows once converted to the base unit.
    #[error("\"{found}\" is too large: a quantity must stay below 1.8e308 in its base unit")]
    TooLarge {
        /// The text without the blanks around it.
        found: String,
    },
}

impl Unit {
    /// Reads what a person typed, as a value in the base unit.
    ///
    /// - A bare number is in the base unit; a bare share is a fraction and must lie within ±1,
    ///   because "30" could mean 30 % or 3,000 %.
    /// - Units: "5 ms", "200 us", "200 µs", "2 min", "1 h", "1 d"; "1.5 TB", "4 GiB"; "100 Gbit/s",
    ///   "100Gb/s", "100 Gbps", "12.8 GB/s"; "5 ms/100 MB", "0.05 s/GB", and "5 ms" where a time per
    ///   100 MB is wanted; "250 W", "1.2 kW", "3 MWh"; "100 TOPS", "5 peta-op"; "1.1 GHz"; "30 %"; "2.3x", "2.3×". Bits and bytes convert into
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
        match (self, found) {
            (Self::Decision, "yes") => return Ok(1.0),
            (Self::Decision, "no") => return Ok(0.0),
            _ => {}
        }
        let value = self.read(&found.replace('−', "-")).ok_or_else(|| ParseQuantityError::NotThisQuantity {
            expected: self.expected(),
            found: found.to_owned(),
        })?;
        if value.is_finite() { Ok(value) } else { Err(ParseQuantityError::TooLarge { found: found.to_owned() }) }
    }

    /// Reads what a person typed into a field that shows this unit: as [`Unit::parse`], but a bare number that no share is, because it is
    /// above 1, is in percent: "20", "20%" and "20 %" are the same. What both read means the same in both: "1" is 100 %, "0.2" is 20 %.
    ///
    /// # Errors
    /// [`ParseQuantityError`] of [`Unit::parse`].
    pub fn parse_typed(self, text: &str) -> Result<f64, ParseQuantityError> {
        self.parse(text).or_else(|error| match self {
            // A text with a unit of its own has no second one.
            Self::Share | Self::Decision => self.parse(&format!("{}%", text.trim())).map_err(|_| error),
            _ => Err(error),
        })
    }

    /// Reads both ends of a range, each as [`Unit::parse`] does; a unit behind the second end is that of both: "10..20 TB".
    ///
    /// # Errors
    /// [`ParseQuantityError`] as there, or if the first end alone has a unit, or that of the second would turn the range
    /// around: "500..2 TB".
    pub fn parse_range(self, from: &str, to: &str) -> Result<[f64; 2], ParseQuantityError> {
        match (typed_unit(from), typed_unit(to)) {
            (None, Some(unit)) => {
                let ends = [self.parse(&format!("{} {unit}", from.trim()))?, self.parse(to)?];
                // In “500..2 TB” the first end is meant to be below the second.
                if ends[0] <= ends[1] { Ok(ends) } else { Err(unit_of_one_end(to, from)) }
            }
            (Some(_), None) => Err(unit_of_one_end(from, to)),
            _ => Ok([self.parse(from)?, self.parse(to)?]),
        }
    }

    fn read(self, text: &str) -> Option<f64> {
        let (number, suffix) = Numeral::split_from(text)?;
        let (dimension, size) = dimension_and_size(suffix.trim())?;
        let size = size.times(self.conversion_from(dimension)?);
        let value = number.times_power_of_ten(size.power)? * size.multiplier;
        let unclear_share =
            matches!(self, Self::Share | Self::Decision) && dimension == Dimension::Bare && value.abs() > 1.0;
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
            | (Self::Watts, D::Power | D::PrefixAlone)
            | (Self::Bytes, D::Data | D::PrefixAlone)
            | (Self::Cycles, D::Cycles | D::PrefixAlone)
            | (Self::Years, D::Years)
            | (Self::UsDollars, D::Money | D::PrefixAlone)
            | (Self::UsDollarsPerHour, D::Rent)
            | (Self::UsDollarsPerKilowattHour, D::EnergyPrice) => Some(Size::power(0)),
            (Self::Ratio | Self::Share | Self::Decision, D::Percent) => Some(Size::power(-2)),
            (Self::KilowattHours, D::Energy) => Some(Size::power(-3)),
            (Self::Tops, D::WorkRate) | (Self::TeraOperations, D::Work) => Some(Size::power(-12)),
            (Self::Megahertz, D::Frequency) => Some(Size::power(-6)),
            (Self::SecondsPer100Mb, D::TimePerData) => Some(Size::power(8)),
            (Self::Gigahertz, D::Frequency)
            | (Self::Gigabytes, D::Data | D::PrefixAlone)
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
            Self::Decision => "\"yes\", \"no\" or a share such as \"30 %\"",
            Self::Share => "a share such as \"30 %\" or \"0.3\"",
            Self::Seconds => "a duration such as \"5 ms\" or \"2 min\"",
            Self::SecondsPer100Mb => "a time per data such as \"5 ms/100 MB\" or \"0.05 s/GB\"",
            Self::Gigabytes => "an amount of data such as \"1.5 TB\" or \"64 GB\"",
            Self::GigabytesPerSecond => "a data rate such as \"12.5 GB/s\" or \"100 Gbit/s\"",
            Self::GigabitsPerSecond => "a data rate such as \"100 Gbit/s\" or \"12.5 GB/s\"",
            Self::Watts => "a power such as \"250 W\" or \"1.2 kW\"",
            Self::KilowattHours => "an energy such as \"1.2 kWh\" or \"3 MWh\"",
            Self::Tops => "a throughput such as \"100 TOPS\" or \"1.2 POPS\"",
            Self::TeraOperations => "an amount of work such as \"500 tera-op\" or \"5 peta-op\"",
            Self::Gigahertz => "a frequency such as \"1.1 GHz\" or \"1100 MHz\"",
            Self::Megahertz => "a frequency such as \"100 MHz\" or \"0.1 GHz\"",
            Self::Bytes => "a size such as \"32,768 B\" or \"48 KiB\"",
            Self::Cycles => "a number of cycles such as \"200,000\" or \"2M\"",
            Self::Years => "a number of years such as \"4\" or \"2.5 years\"",
            Self::UsDollars => "an amount of money such as \"12,000 USD\" or \"12k\"",
            Self::UsDollarsPerHour => "a rent such as \"2.5 USD/h\" or \"2.5\"",
            Self::UsDollarsPerKilowattHour => "a price such as \"0.15 USD/kWh\" or \"0.15\"",
        }
    }
}

fn unit_of_one_end(with_unit: &str, bare: &str) -> ParseQuantityError {
    ParseQuantityError::UnitOfOneEnd { with_unit: with_unit.trim().to_owned(), bare: bare.trim().to_owned() }
}

/// The unit behind a number; a prefix alone is none.
fn typed_unit(text: &str) -> Option<String> {
    let text = text.trim().replace('−', "-");
    let (_, suffix) = Numeral::split_from(&text)?;
    let (dimension, _) = dimension_and_size(suffix.trim())?;
    (!matches!(dimension, Dimension::Bare | Dimension::PrefixAlone)).then(|| suffix.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
    fn a_bare_number_is_in_the_base_unit() {
        for unit in Unit::ALL {
            check_parse(unit, &[("0.3", 0.3), (" 1 ", 1.0), (".5", 0.5), ("-1e-2", -0.01)]);
        }
        check_parse(Unit::Gigabytes, &[("64", 64.0), ("1e3", 1_000.0), ("+2.", 2.0), ("−3", -3.0)]);
    }

    #[test]
    fn every_base_symbol_reads_as_one_of_itself() {
        for unit in Unit::ALL.into_iter().filter(|unit| *unit != Unit::Share) {
            check_parse(unit, &[(&format!("7 {}", unit.symbol()), 7.0)]);
        }
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
    fn a_number_above_1_that_is_typed_into_a_field_in_percent_is_in_percent() {
        let typed = |unit: Unit, text| unit.parse_typed(text).ok();
        for text in ["20", "20%", "20 %", " 20 ", "0.2", "0,2"] {
            assert_eq!(typed(Unit::Share, text), Some(0.2), "{text}");
        }
        let others = [
            ("1", 1.0),
            ("1 %", 0.01),
            ("−1", -1.0),
            ("100", 1.0),
            ("150 %", 1.5),
            ("1.5", 0.015),
            ("−5", -0.05),
            ("0", 0.0),
            ("100 %", 1.0),
        ];
        for (text, expected) in others {
            assert_eq!(typed(Unit::Share, text), Some(expected), "{text}");
        }
        for text in ["", "%", "20 %%", "20 s", "1k", "nan", "a few"] {
            assert_eq!(Unit::Share.parse_typed(text), Unit::Share.parse(text), "{text}");
            assert!(typed(Unit::Share, text).is_none(), "{text}");
        }
        for text in ["0.3", "1", "-1", "1.0", "1e-3", "30 %", "150 %", "0"] {
            assert_eq!(Unit::Share.parse_typed(text), Unit::Share.parse(text), "{text}");
        }
        // "1" is yes.
        assert_eq!([typed(Unit::Decision, "1"), typed(Unit::Decision, "20")], [Some(1.0), Some(0.2)]);
        assert_eq!([typed(Unit::Ratio, "20"), typed(Unit::Seconds, "20")], [Some(20.0); 2]);
    }

    #[test]
    fn what_is_no_number_is_refused_everywhere() {
        for unit in Unit::ALL {
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
        for unit in Unit::ALL {
            let examples: Vec<_> = unit.expected().split('"').skip(1).step_by(2).collect();
            assert_eq!(examples.len(), 2, "{unit:?}");
            for example in examples {
                assert!(unit.parse(example).is_ok(), "{unit:?} from {example:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_but_never_infinite(
            unit in proptest::sample::select(Unit::ALL.as_slice()),
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
