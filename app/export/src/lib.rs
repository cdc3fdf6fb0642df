//! Results as text, for people and for other programs; the command line and the window share the writers.

pub mod about;
pub mod allocation;
pub mod arguments;
pub mod axis;
pub mod bill;
mod candidate;
pub mod charts;
pub mod compare;
pub mod costs;
#[cfg(test)]
mod csv;
pub mod decided;
pub mod decision;
mod described;
pub mod import;
pub mod learned;
pub mod likelihood;
pub mod map;
pub mod placement;
pub mod preemption;
pub mod probe;
pub mod regulation;
pub mod report;
pub mod search;
pub mod sensitivity;
pub mod sweep;
pub mod uncertainty;

use std::fmt::Write as _;

use crossover_quantity::text::TextReport;
use serde::{Serialize, Serializer};

/// The outcome of a study as text.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Warnings; not every format has a place for them.
    pub warnings: Vec<String>,
}

/// The formats of the outcome of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A report for the terminal
    Table,
    /// Everything, for programs
    Json,
    /// One row per item, for spreadsheets
    Csv,
    /// A report for documents
    Markdown,
    /// Everything, in the notation of scenario files
    Ron,
}

impl Format {
    /// The formats of files for other programs and for documents.
    pub const EXPORTED: [Self; 4] = [Self::Csv, Self::Json, Self::Markdown, Self::Ron];

    /// Name of the format in a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Table => "text",
            Self::Json => "JSON",
            Self::Csv => "CSV",
            Self::Markdown => "Markdown",
            Self::Ron => "RON",
        }
    }

    /// The extension of a file in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Table => "txt",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "md",
            Self::Ron => "ron",
        }
    }

    /// Results in this format: a report for people, a record for programs, a table for spreadsheets.
    fn write<R: Serialize>(
        self,
        text_report: impl FnOnce() -> TextReport,
        record: impl FnOnce() -> R,
        csv: impl FnOnce() -> String,
    ) -> String {
        match self {
            Self::Table => text_report().terminal(),
            Self::Markdown => text_report().markdown(),
            Self::Json => json(&record()),
            Self::Ron => ron(&record()),
            Self::Csv => csv(),
        }
    }
}

/// Writes pairs as a map that keeps their order.
fn as_map<K, V, S>(pairs: &[(K, V)], serializer: S) -> Result<S::Ok, S::Error>
where
    K: Serialize,
    V: Serialize,
    S: Serializer,
{
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

/// Pretty JSON with a line end; numbers keep every bit. Characters that command a terminal, or turn text around, are escaped;
/// JSON itself asks that of the first 32 only.
///
/// # Panics
/// If a map in the record has keys that are no text.
#[must_use]
pub fn json(record: &impl Serialize) -> String {
    seen(&serde_json::to_string_pretty(record).expect(KEYS))
}

/// The same on one line, for programs only.
///
/// # Panics
/// As [`json`].
#[must_use]
pub fn json_line(record: &impl Serialize) -> String {
    seen(&serde_json::to_string(record).expect(KEYS))
}

/// Why JSON can write every record.
const KEYS: &str = "the records of this module have text as keys, so JSON can write them";

/// JSON with what commands a terminal escaped, and a line end.
fn seen(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        match c {
            // Such characters occur in strings only.
            '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                _ = write!(escaped, "\\u{:04x}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped.push('\n');
    escaped
}

/// RON with a line end; each row of a record is on one line.
fn ron(record: &impl Serialize) -> String {
    let text = ron::ser::to_string_pretty(record, ron::ser::PrettyConfig::new().depth_limit(3).new_line("\n"));
    text.expect("RON can write every type of these records") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_what_commands_a_terminal_and_stays_the_same_text() {
        let name = "a\u{9b}2J\u{85}\u{202e}txt\u{2066}é×\u{7f}\n";
        let text = json(&[name]);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
        assert!(text.contains(r"\u009b2J\u0085\u202etxt\u2066é×\u007f\n"), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [name]);
    }
}
