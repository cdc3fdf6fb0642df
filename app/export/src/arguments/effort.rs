//! `--effort` and `--hourly-rate`: what a move costs once, in US dollars or in hours of work.

use std::fmt::{self, Display, Formatter};

use super::amount::positive;

/// What a move costs once, as the user entered it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effort {
    /// US dollars.
    Usd(f64),
    /// Hours of work.
    Hours(f64),
}

impl Effort {
    /// Reads "5000" or "40h".
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let read = match text.strip_suffix('h') {
            Some(hours) => positive(hours).map(Self::Hours),
            None => positive(text).map(Self::Usd),
        };
        read.map_err(|problem| format!("{problem}: US dollars, such as 5000, or hours, such as 40h"))
    }
}

impl Display for Effort {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usd(usd) => write!(formatter, "{usd}"),
            Self::Hours(hours) => write!(formatter, "{hours}h"),
        }
    }
}

/// US dollars, hours, and what an hour costs, US dollars.
///
/// # Errors
/// Hours without a rate, or a rate without hours: one of them would not count.
pub fn entered_effort(effort: Option<Effort>, hourly_rate: Option<f64>) -> Result<[Option<f64>; 3], &'static str> {
    match (effort, hourly_rate) {
        (Some(Effort::Hours(hours)), Some(usd)) => Ok([None, Some(hours), Some(usd)]),
        (Some(Effort::Hours(_)), None) => Err("--effort: hours need --hourly-rate, the cost of an hour of work"),
        (_, Some(_)) => Err("--hourly-rate: only with --effort in hours, such as 40h"),
        (Some(Effort::Usd(usd)), None) => Ok([Some(usd), None, None]),
        (None, None) => Ok([None; 3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_is_money_or_hours_and_is_written_as_it_is_read() {
        for (text, expected) in
            [("5000", Effort::Usd(5000.0)), ("40h", Effort::Hours(40.0)), ("2.5h", Effort::Hours(2.5))]
        {
            assert_eq!(Effort::parse(text), Ok(expected));
            assert_eq!(expected.to_string(), text);
        }
        assert_eq!(Effort::parse(" 40 h "), Ok(Effort::Hours(40.0)));
        for wrong in ["", "h", "0h", "-1", "40d", "much", "infh", "nan"] {
            assert!(Effort::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hours_and_their_rate_need_each_other() {
        assert_eq!(entered_effort(Some(Effort::Hours(40.0)), Some(90.0)), Ok([None, Some(40.0), Some(90.0)]));
        assert_eq!(entered_effort(Some(Effort::Usd(5000.0)), None), Ok([Some(5000.0), None, None]));
        assert_eq!(entered_effort(None, None), Ok([None; 3]));
        for (effort, rate) in
            [(Some(Effort::Hours(40.0)), None), (Some(Effort::Usd(1.0)), Some(90.0)), (None, Some(90.0))]
        {
            assert!(entered_effort(effort, rate).is_err(), "{effort:?}");
        }
    }
}
