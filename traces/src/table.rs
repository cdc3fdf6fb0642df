//! Tables in CSV: columns by name, and bad rows that are counted and named instead of ending everything.

use std::path::Path;
use std::str::FromStr;

use crossover_files::read;
use csv::StringRecord;

use crate::error::TraceError;

/// Largest table: a million rows of openb take 90 MB.
const LARGEST_BYTES: u64 = 1 << 30;
/// Bad rows that are named; the others are counted.
const NAMED: usize = 3;
/// Characters of a field that a message shows.
const SHOWN: usize = 40;

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

impl<'a> Table<'a> {
    /// The table of a file that has at least these columns.
    pub(crate) fn read(path: &'a Path, columns: &[&str]) -> Result<Self, TraceError> {
        let text = read::text(path, LARGEST_BYTES);
        let text = text.map_err(|source| TraceError::NoText { path: path.to_owned(), source })?;
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| TraceError::unusable(path, error.to_string()))?.clone();
        if let Some(absent) = columns.iter().find(|column| !header.iter().any(|name| name == **column)) {
            let shown: String = header.iter().collect::<Vec<_>>().join(",").chars().take(80).collect();
            let problem = format!("line 1: no column “{absent}” in “{shown}”; expected {}", columns.join(","));
            return Err(TraceError::unusable(path, problem));
        }
        let mut records = Vec::new();
        let mut record = StringRecord::new();
        loop {
            let line = reader.position().line();
            match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => records.push((record.position().map_or(line, csv::Position::line), Ok(record.clone()))),
                Err(error) => records.push((line, Err(explain(&error)))),
            }
        }
        Ok(Self { path, header, records })
    }

    /// What becomes of each row. Bad ones are left out: notes say how many, and what is wrong with the first.
    pub(crate) fn rows<T>(
        &self,
        what: &str,
        notes: &mut Vec<String>,
        mut read: impl FnMut(&Row<'_>) -> Result<T, String>,
    ) -> Result<Vec<T>, TraceError> {
        let (mut rows, mut problems, mut bad) = (Vec::new(), Vec::new(), 0_usize);
        for (line, record) in &self.records {
            let outcome = match record {
                Ok(record) => read(&Row { header: &self.header, record }),
                Err(problem) => Err(problem.clone()),
            };
            match outcome {
                Ok(row) => rows.push(row),
                Err(problem) => {
                    bad += 1;
                    if problems.len() < NAMED {
                        problems.push(format!("line {line}: {problem}"));
                    }
                }
            }
        }
        if rows.is_empty() {
            let problem = problems.into_iter().next().map(|problem| format!("; {problem}")).unwrap_or_default();
            return Err(TraceError::unusable(self.path, format!("no {what} in it{problem}")));
        }
        if bad > 0 {
            let more = bad - problems.len();
            let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
            let lines = if bad == 1 { "1 line was".to_owned() } else { format!("{bad} lines were") };
            notes.push(format!("{}: {lines} left out: {}{rest}", self.path.display(), problems.join("; ")));
        }
        Ok(rows)
    }
}

impl Row<'_> {
    /// The text of a field; empty where the table has no such column.
    pub(crate) fn text(&self, column: &str) -> &str {
        let place = self.header.iter().position(|name| name == column);
        place.and_then(|place| self.record.get(place)).unwrap_or_default()
    }

    /// A number from a range; whole numbers may be written with a point.
    pub(crate) fn number(&self, column: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
        let text = self.text(column);
        let value = f64::from_str(text).ok().filter(|value| range.contains(value));
        value.ok_or_else(|| {
            let shown: String = text.chars().take(SHOWN).collect();
            format!("{column} is “{shown}”; allowed: a number from {} to {}", range.start(), range.end())
        })
    }

    /// The same, nothing where the field is empty.
    pub(crate) fn optional(&self, column: &str, range: std::ops::RangeInclusive<f64>) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.number(column, range).map(Some) }
    }
}

fn explain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields; expected {expected_len}, as many as the header has")
        }
        _ => error.to_string(),
    }
}
