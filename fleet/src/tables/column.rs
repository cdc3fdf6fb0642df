//! Columns with stable names, and cells.

use std::borrow::Cow;

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name, the same in all versions.
    pub name: &'static str,
    /// Type of its cells.
    pub sort: Sort,
    /// Its meaning, with the unit.
    pub meaning: &'static str,
}

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number.
    Count,
    /// Yes or no.
    Flag,
    /// A moment.
    Time,
}

impl Sort {
    /// Its name in the documentation.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Count => "whole number",
            Self::Flag => "true or false",
            Self::Time => "time (UTC)",
        }
    }
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// An unknown value.
    Nothing,
    /// Text.
    Text(Cow<'a, str>),
    /// A number.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// A moment, milliseconds since 1970.
    Time(u64),
}

impl<'a> Cell<'a> {
    /// Text; empty text is unknown.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Nothing } else { Self::Text(text) }
    }

    /// A number; unknown if missing or not finite. An empty sum is −0, which becomes 0.
    pub fn number(number: impl Into<Option<f64>>) -> Self {
        number.into().filter(|number| number.is_finite()).map_or(Self::Nothing, |number| Self::Number(number + 0.0))
    }

    /// A whole number.
    pub fn count(count: impl Into<Option<u64>>) -> Self {
        count.into().map_or(Self::Nothing, Self::Count)
    }

    /// A moment; unknown beyond the calendar's range.
    #[must_use]
    pub fn time(ms: Option<u64>) -> Self {
        ms.filter(|ms| stamp(*ms).is_some()).map_or(Self::Nothing, Self::Time)
    }

    /// The cell as text, as in CSV; empty if unknown.
    #[must_use]
    pub fn written(&self) -> Cow<'_, str> {
        match self {
            Self::Nothing => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Count(count) => Cow::Owned(count.to_string()),
            Self::Flag(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Self::Time(ms) => Cow::Owned(moment(*ms)),
        }
    }
}

/// "2026-11-24T23:45:13.5Z".
fn moment(ms: u64) -> String {
    stamp(ms).map(|stamp| stamp.to_string()).unwrap_or_default()
}

/// The moment, if in the calendar's range.
fn stamp(ms: u64) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_millisecond(i64::try_from(ms).ok()?).ok()
}
