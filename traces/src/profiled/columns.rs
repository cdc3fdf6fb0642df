//! Columns by name, ignoring case and spaces, in tables and in CSV lines of a log. Numbers of a table have the separators that all of
//! its fields tell.

use std::ops::RangeInclusive;
use std::path::Path;

use crossover_quantity::text::counted;

use super::number;
use super::separators::Separators;
use crate::error::TraceError;
use crate::left_out::shown;
use crate::table::{Row, Table};

/// Names of the columns of a table, in small letters, and how it writes numbers.
pub(super) struct Columns {
    names: Vec<String>,
    separators: Separators,
}

impl Columns {
    /// Of a header alone: decimals have points.
    pub(super) fn of(header: &[String]) -> Self {
        let names = header.iter().map(|name| name.trim().to_lowercase()).collect();
        Self { names, separators: Separators::Point }
    }

    /// Of a table, with the separators of its numbers.
    pub(super) fn of_table(table: &Table<'_>) -> Self {
        Self { separators: Separators::of_fields(table.fields()), ..Self::of(&table.columns()) }
    }

    /// Position of a column, by its name in small letters.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// Whether all of these are there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.place(name).is_some())
    }

    /// All names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Refuses a table without one of these.
    ///
    /// # Errors
    /// [`TraceError`] names all that are missing.
    pub(super) fn need(&self, path: &Path, names: &[&str]) -> Result<(), TraceError> {
        let missing: Vec<String> =
            names.iter().filter(|name| self.place(name).is_none()).map(|name| format!("“{name}”")).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let what = if missing.len() == 1 { "column" } else { "columns" };
        let there: String = self.names.join(",").chars().take(80).collect();
        let problem = format!("no {what} {} in “{there}”; expected {}", missing.join(", "), names.join(","));
        Err(TraceError::unusable(path, problem))
    }

    /// The text of a field; empty where the table has no such column.
    pub(super) fn text<'a>(&self, row: &'a Row<'_>, name: &str) -> &'a str {
        self.place(name).map(|place| row.field(place)).unwrap_or_default()
    }

    /// The text of a field that may not be empty.
    ///
    /// # Errors
    /// It is.
    pub(super) fn named(&self, row: &Row<'_>, name: &str) -> Result<String, String> {
        let text = self.text(row, name);
        if text.is_empty() { Err(format!("{name} is empty")) } else { Ok(text.to_owned()) }
    }

    /// The number of a field.
    ///
    /// # Errors
    /// It is none, or beyond the range.
    pub(super) fn number(&self, row: &Row<'_>, name: &str, range: RangeInclusive<f64>) -> Result<f64, String> {
        let text = self.text(row, name);
        number::in_range(name, text, self.separators.number(text), range)
    }

    /// The same; nothing where the field is empty or the table has no such column.
    ///
    /// # Errors
    /// It is something else, or beyond the range.
    pub(super) fn optional(
        &self,
        row: &Row<'_>,
        name: &str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, String> {
        if self.text(row, name).is_empty() { Ok(None) } else { self.number(row, name, range).map(Some) }
    }
}

/// The fields of a line that is CSV, trimmed. A quote that is not closed ends with its line: what follows is read.
pub(super) fn fields(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .buffer_capacity(line.len().max(64))
        .from_reader(line.as_bytes());
    let mut record = csv::StringRecord::new();
    match reader.read_record(&mut record) {
        Ok(true) => record.iter().map(str::to_owned).collect(),
        Ok(false) | Err(_) => Vec::new(),
    }
}

/// The field at a place of a line.
///
/// # Errors
/// The line is shorter.
pub(super) fn field(fields: &[String], place: usize) -> Result<&str, String> {
    let count = fields.len() as f64;
    fields
        .get(place)
        .map(String::as_str)
        .ok_or_else(|| format!("{}; expected {} or more", counted(count, "field"), place + 1))
}

/// A sentence about a column whose unit is not known.
pub(super) fn other_unit(column: &str, unit: &str, expected: &str) -> String {
    format!("{}: its unit is “{}”; expected {expected}: ignored", shown(column), shown(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_commas_outside_of_quotes() {
        assert_eq!(fields(r#""void k(int, ""a"")", 1 ,,"x""#), [r#"void k(int, "a")"#, "1", "", "x"]);
        assert_eq!(fields(r#"1,"cut off, here"#), ["1", "cut off, here"]);
        assert!(fields("").is_empty());
        assert_eq!(field(&fields("a,b"), 2), Err("2 fields; expected 3 or more".to_owned()));
    }

    #[test]
    fn all_missing_columns_are_named() {
        let columns = Columns::of(&[" Name ".to_owned(), "IPC".to_owned()]);
        assert!(columns.has(&["name", "ipc"]));
        let problem = columns.need(Path::new("a.csv"), &["name", "blocks", "threads"]).expect_err("two").to_string();
        assert_eq!(problem, "a.csv: no columns “blocks”, “threads” in “name,ipc”; expected name,blocks,threads");
    }
}
