//! Tables in CSV, separated by commas, or by semicolons as programs write them where a comma stands before decimals: columns by name; bad
//! rows are counted and named instead of rejecting the file.

use std::path::Path;
use std::str::FromStr;

use crossover_quantity::balance::BalanceOf;
use crossover_quantity::text::counted;
use crossover_quantity::unread::Unread;
use csv::StringRecord;

use crate::error::{self, TraceError};
use crate::left_out::{LeftOut, Named, shown};
use crate::unread::{UnreadColumns, file_name};

/// Largest table: a million rows of openb take 90 MB.
pub(crate) const LARGEST_BYTES: u64 = 1 << 30;

/// Most columns of a table: all metrics of Nsight Compute are some thousands.
const MOST_COLUMNS: usize = 10_000;

/// A table whose rows are read one after the other.
pub(crate) struct Table<'a> {
    path: &'a Path,
    header: StringRecord,
    records: Vec<(u64, Result<StringRecord, String>)>,
}

/// A row of a table.
pub(crate) struct Row<'a> {
    header: &'a StringRecord,
    record: &'a StringRecord,
}

/// How the numbers of a row are rounded, and whether one was.
pub(crate) struct Rounding<'a> {
    up: bool,
    has_rounded: bool,
    rows: &'a mut Named,
}

impl<'a> Rounding<'a> {
    /// For capacity: down.
    pub(crate) fn down(rows: &'a mut Named) -> Self {
        Self { up: false, has_rounded: false, rows }
    }

    /// For requests: up.
    pub(crate) fn up(rows: &'a mut Named) -> Self {
        Self { up: true, has_rounded: false, rows }
    }

    /// Remembers the row if one of its numbers was rounded.
    pub(crate) fn end(self, name: &str) {
        if self.has_rounded {
            self.rows.add(name);
        }
    }
}

impl<'a> Table<'a> {
    /// The table of a file that has at least these columns.
    pub(crate) fn read(path: &'a Path, columns: &[&str]) -> Result<Self, TraceError> {
        Self::of(path, &error::text(path, LARGEST_BYTES)?, columns)
    }

    /// The table of the text of a file, with at least these columns.
    pub(crate) fn of(path: &'a Path, text: &str, columns: &[&str]) -> Result<Self, TraceError> {
        let delimiter = text.lines().find(|line| !line.trim().is_empty()).map_or(b',', delimiter);
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| TraceError::unusable(path, error.to_string()))?.clone();
        if header.len() > MOST_COLUMNS {
            let problem = format!("line 1: {} columns; allowed: at most {MOST_COLUMNS}", header.len());
            return Err(TraceError::unusable(path, problem));
        }
        if let Some(absent) = columns.iter().find(|column| !header.iter().any(|name| name == **column)) {
            let shown: String = header.iter().collect::<Vec<_>>().join(",").chars().take(80).collect();
            let problem = format!("line 1: no column “{absent}” in “{shown}”; expected {}", columns.join(","));
            return Err(TraceError::unusable(path, problem));
        }
        let mut records = Vec::new();
        let mut record = StringRecord::new();
        let mut lines = Lines { text, byte: 0, line: 1 };
        loop {
            let at = reader.position().byte();
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => {
                    let at = record.position().map_or(at, csv::Position::byte);
                    records.push((lines.of(at), Ok(record.clone())));
                }
                Err(error) => records.push((lines.of(at), Err(explain(&error)))),
            }
        }
        Ok(Self { path, header, records })
    }

    /// Names of the columns.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.header.iter().map(str::to_owned).collect()
    }

    /// All fields of its rows.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(|(_, record)| record.as_ref().ok()).flat_map(StringRecord::iter)
    }

    /// Names the columns that speak of a time or of an accelerator and are not among the known ones, which are in small letters.
    pub(crate) fn name_unread(&self, known: &[&str], unread: &mut Unread) {
        let mut columns = UnreadColumns::of(&self.columns(), known);
        for record in self.records.iter().filter_map(|(_, record)| record.as_ref().ok()) {
            columns.count(|place| record.get(place).unwrap_or_default());
        }
        columns.report(&file_name(self.path), unread);
    }

    /// Visits every row with its line, or its problem.
    pub(crate) fn each(&self, mut visit: impl FnMut(u64, Result<Row<'_>, String>)) {
        for (line, record) in &self.records {
            let row = record.as_ref().map(|record| Row { header: &self.header, record }).map_err(Clone::clone);
            visit(*line, row);
        }
    }

    /// Reads every row, and gives those that are left out with a note on their number, the number of all, and the first problems.
    pub(crate) fn rows<T>(
        &self,
        (what, of): (&str, BalanceOf),
        notes: &mut Vec<String>,
        mut read: impl FnMut(&Row<'_>) -> Result<T, String>,
    ) -> Result<(Vec<T>, LeftOut), TraceError> {
        let mut rows = Vec::new();
        let mut left_out = LeftOut::new("line", "lines");
        self.each(|line, row| match row.and_then(|row| read(&row)) {
            Ok(row) => rows.push(row),
            Err(problem) => left_out.add(|| format!("line {line}"), &problem),
        });
        if rows.is_empty() {
            return Err(TraceError::unusable(self.path, left_out.nothing_of(what)));
        }
        left_out.note_of(self.path, left_out.total(of, rows.len()).balance().as_ref(), notes);
        Ok((rows, left_out))
    }
}

/// What separates the fields of a table, by its header: a semicolon if no comma is there.
pub(crate) fn delimiter(header: &str) -> u8 {
    if header.contains(';') && !header.contains(',') { b';' } else { b',' }
}

/// Counts lines as the reader goes on: it tells where it began to look for a record, which may be an empty line before it.
struct Lines<'a> {
    text: &'a str,
    byte: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of what stands at a byte or, behind empty lines, after it; bytes come in ascending order.
    fn of(&mut self, byte: u64) -> u64 {
        let bytes = self.text.as_bytes();
        let byte = usize::try_from(byte).unwrap_or(bytes.len());
        while let Some(next) = bytes.get(self.byte).filter(|next| self.byte < byte || b"\r\n".contains(next)) {
            self.line += u64::from(*next == b'\n');
            self.byte += 1;
        }
        self.line
    }
}

impl Row<'_> {
    /// The text of a field; empty where the table has no such column.
    pub(crate) fn text(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        place.and_then(|place| self.record.get(place)).unwrap_or_default()
    }

    /// The text of the field at a place; empty where the row has none.
    pub(crate) fn field(&self, place: usize) -> &str {
        self.record.get(place).unwrap_or_default()
    }

    /// A number from a range; whole numbers may be written with a point.
    pub(crate) fn number(&self, column: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
        let text = self.text(column);
        let value = f64::from_str(text).ok().filter(|value| range.contains(value));
        value.ok_or_else(|| {
            format!("{column} is “{}”; allowed: a number from {} to {}", shown(text), range.start(), range.end())
        })
    }

    /// A whole number from a range.
    pub(crate) fn whole(&self, column: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, String> {
        let value = self.number(column, *range.start() as f64..=*range.end() as f64)?;
        if value.fract() != 0.0 {
            return Err(format!("{column} is “{}”; allowed: a whole number", shown(self.text(column))));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole and within a range of usize"
        )]
        Ok(value as usize)
    }

    /// A number that is rounded to a whole one: capacity down, requests up.
    pub(crate) fn rounded(&self, column: &str, most: u32, to: &mut Rounding<'_>) -> Result<u32, String> {
        let value = self.number(column, 0.0..=f64::from(most))?;
        let whole = if to.up { value.ceil() } else { value.floor() };
        to.has_rounded |= whole != value;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: 0 to a number of u32")]
        Ok(whole as u32)
    }

    /// The same, nothing where the field is empty.
    pub(crate) fn optional(&self, column: &str, range: std::ops::RangeInclusive<f64>) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, range).map(Some) }
    }
}

fn explain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{}; expected {expected_len}, as many as the header has", counted(*len as f64, "field"))
        }
        _ => error.to_string(),
    }
}
