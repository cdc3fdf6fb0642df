//! Prices on the command line: "0.40", "0.05/core", "0.80/gpu:spot:2026-11-26".

use std::fmt::{self, Display, Formatter};

use crossover_decision::{Price, PriceBasis};
use jiff::civil::Date;

use super::amount::positive;

/// Currencies that are recognized so that they can be refused.
const OTHER_CURRENCIES: [&str; 8] = ["eur", "gbp", "jpy", "cny", "chf", "€", "£", "¥"];

/// What a price is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Per {
    Machine,
    Core,
    Gpu,
}

/// A price for an hour, US dollars, as it was entered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnteredPrice {
    usd: f64,
    per: Per,
    basis: PriceBasis,
    date: Option<Date>,
}

impl EnteredPrice {
    /// A price of one machine, US dollars.
    #[must_use]
    pub fn per_machine(usd: f64, basis: PriceBasis, date: Option<Date>) -> Self {
        Self { usd, per: Per::Machine, basis, date }
    }

    /// Price of a machine with these cores and GPUs.
    ///
    /// # Errors
    /// The machine has none of what the price is of.
    pub fn of_machine(&self, cores: Option<f64>, gpus: f64) -> Result<Price, String> {
        let count = match (self.per, cores) {
            (Per::Machine, _) => 1.0,
            (Per::Core, Some(cores)) => cores,
            (Per::Core, None) => {
                return Err("its number of cores is unknown: expected a price per machine, such as 0.40".to_owned());
            }
            (Per::Gpu, _) if gpus > 0.0 => gpus,
            (Per::Gpu, _) => {
                return Err("it has no GPU: expected a price per machine or per core, such as 0.05/core".to_owned());
            }
        };
        Ok(Price { basis: self.basis, date: self.date, ..Price::entered(self.usd * count) })
    }
}

impl Display for EnteredPrice {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.usd)?;
        formatter.write_str(match self.per {
            Per::Machine => "",
            Per::Core => "/core",
            Per::Gpu => "/gpu",
        })?;
        if self.basis != PriceBasis::Own {
            write!(formatter, ":{}", self.basis.label())?;
        }
        self.date.map_or(Ok(()), |date| write!(formatter, ":{date}"))
    }
}

/// Reads "0.40", "$0.40", "0.05/core", "0.80/gpu:spot", "0.40:reserved:2026-11-26".
///
/// # Errors
/// What was expected instead.
pub fn price(text: &str) -> Result<EnteredPrice, String> {
    let lower = text.trim().to_lowercase();
    if OTHER_CURRENCIES.iter().any(|currency| lower.contains(currency)) {
        return Err("expected a price in US dollars, as in the catalogue; convert it first".to_owned());
    }
    let mut parts = lower.split(':');
    let amount = parts.next().unwrap_or_default();
    let (number, per) = match amount.split_once('/') {
        None | Some((_, "machine")) => (amount.split('/').next().unwrap_or_default(), Per::Machine),
        Some((number, "core")) => (number, Per::Core),
        Some((number, "gpu")) => (number, Per::Gpu),
        Some((_, other)) => return Err(format!("expected /machine, /core or /gpu instead of /{other}")),
    };
    let usd = positive(number.trim_start_matches("usd").trim_start_matches('$'))?;
    let mut entered = EnteredPrice { usd, per, basis: PriceBasis::Own, date: None };
    for part in parts {
        let named = PriceBasis::ENTERED.into_iter().find(|basis| basis.label() == part);
        match (named, part.parse()) {
            (Some(basis), _) => entered.basis = basis,
            (None, Ok(date)) => entered.date = Some(date),
            (None, Err(_)) => {
                return Err(format!(
                    "expected on-demand, spot, reserved, own or a date such as 2026-11-26 instead of “{part}”"
                ));
            }
        }
    }
    Ok(entered)
}

/// Runs of a month, and the ends of their range if they are one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// The runs; of a range the middle.
    pub count: f64,
    /// Both ends, the lower one first.
    pub range: Option<[f64; 2]>,
}

impl Display for Runs {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.range {
            Some([low, high]) => write!(formatter, "{low}..{high}"),
            None => write!(formatter, "{}", self.count),
        }
    }
}

/// Reads "3000", "3,000" or "2000..4000".
///
/// # Errors
/// What was expected instead.
pub fn runs(text: &str) -> Result<Runs, String> {
    let Some((low, high)) = text.split_once("..") else {
        return Ok(Runs { count: positive(text)?, range: None });
    };
    let (low, high) = (positive(low)?, positive(high)?);
    if low < high {
        Ok(Runs { count: f64::midpoint(low, high), range: Some([low, high]) })
    } else {
        Err("expected the smaller number first, such as 2000..4000".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_price_is_of_a_machine_a_core_or_a_gpu() {
        let of = |text: &str| -> Result<f64, String> { Ok(price(text)?.of_machine(Some(48.0), 4.0)?.usd_per_hour) };
        assert_eq!(of("0.4"), Ok(0.4));
        assert_eq!(of("$0.40/machine"), Ok(0.4));
        assert_eq!(of("USD0.05/core"), Ok(0.05 * 48.0));
        assert_eq!(of("0.80/GPU:spot"), Ok(0.8 * 4.0));
        let nothing = |text: &str| price(text).expect("a price").of_machine(None, 0.0);
        assert!(nothing("0.05/core").is_err() && nothing("0.8/gpu").is_err());
        assert_eq!(nothing("0.4").map(|price| price.usd_per_hour), Ok(0.4));
    }

    #[test]
    fn a_price_says_what_it_is_based_on() {
        let of = |text: &str| price(text).and_then(|price| price.of_machine(None, 0.0));
        let own = Price::entered(0.4);
        assert_eq!(of("0.4"), Ok(own.clone()));
        assert_eq!(of("0.4:spot"), Ok(Price { basis: PriceBasis::Spot, ..own.clone() }));
        let dated = Ok(Price { basis: PriceBasis::Reserved, date: Some(date(2026, 11, 1)), ..own });
        assert_eq!(of("0.4:reserved:2026-11-01"), dated);
        assert_eq!(of("0.4:2026-11-01:reserved"), dated);
    }

    #[test]
    fn prices_and_runs_are_written_as_they_are_read() {
        for text in ["0.4", "0.05/core", "0.8/gpu:spot", "0.4:reserved:2026-11-01", "0.4:2026-11-01"] {
            assert_eq!(price(text).map(|price| price.to_string()).as_deref(), Ok(text));
        }
        for text in ["3000", "2000..4000"] {
            assert_eq!(runs(text).map(|runs| runs.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_price_in_dollars_is_refused_with_a_reason() {
        for (text, expected) in [
            ("free", "expected a number above 0"),
            ("0", "expected a number above 0"),
            ("0.4/hour", "/machine, /core or /gpu"),
            ("0.4:cheap", "on-demand, spot, reserved, own or a date"),
            ("0.4:assumed", "on-demand, spot, reserved, own or a date"),
            ("EUR0.4", "US dollars"),
            ("0.4€", "US dollars"),
        ] {
            let refused = price(text).expect_err(text);
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }

    #[test]
    fn runs_may_be_a_range() {
        assert_eq!(runs("3000"), Ok(Runs { count: 3000.0, range: None }));
        assert_eq!(runs("2000..4000"), Ok(Runs { count: 3000.0, range: Some([2000.0, 4000.0]) }));
        // As they are printed.
        assert_eq!(runs("3,000"), runs("3000"));
        assert_eq!(runs("2,000..4,000"), runs("2000..4000"));
        for wrong in ["", "..", "4000..2000", "0..5", "nan"] {
            assert!(runs(wrong).is_err(), "{wrong}");
        }
    }
}
