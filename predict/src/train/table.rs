//! Tables of measured runs in CSV; bad lines are counted and named, and do not stop the reader.

use std::path::Path;
use std::str::FromStr;

use crossover_files::read;
use csv::StringRecord;

use super::error::TrainError;

/// Largest table; 3,000 runs with their lists of layers take 1.4 MB.
const LARGEST_BYTES: u64 = 64_000_000;
/// Most rows.
pub(super) const MOST_ROWS: usize = 1_000_000;
/// Most columns.
const MOST_COLUMNS: usize = 1024;
/// Bad lines that are named; the others are counted.
const NAMED: usize = 3;
/// Most characters of a name: of a column, a device or an operator type.
pub(super) const MOST_CHARACTERS: usize = 200;
/// Characters of a cell that a message shows.
const SHOWN: usize = 40;
/// Largest number in a table, either sign: beyond it, squares of squares leave the range of numbers.
pub(super) const LARGEST: f64 = 1e18;

/// The text of a table and its columns.
pub(super) struct Table<'a> {
    path: &'a Path,
    header: Vec<String>,
    text: String,
}

/// Usable rows, and a note on the others.
pub(super) struct Rows<T> {
    pub(super) usable: Vec<T>,
    pub(super) left_out: usize,
    pub(super) note: Option<String>,
}

impl<'a> Table<'a> {
    pub(super) fn read(path: &'a Path) -> Result<Self, TrainError> {
        let text = read::text(path, LARGEST_BYTES);
        let text = text.map_err(|problem| TrainError::Unreadable { path: path.to_owned(), problem })?;
        let mut reader = reader(&text);
        let header = reader.headers().map_err(|error| TrainError::unusable(path, format!("line 1: {error}")))?;
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        if header.len() > MOST_COLUMNS {
            let problem = format!("line 1: {} columns; allowed: at most {MOST_COLUMNS}", header.len());
            return Err(TrainError::unusable(path, problem));
        }
        for (place, name) in header.iter().enumerate() {
            if name.chars().count() > MOST_CHARACTERS {
                let problem = format!(
                    "line 1, column {}: “{}…” is longer than {MOST_CHARACTERS} characters; shorten the name",
                    place + 1,
                    shown(name)
                );
                return Err(TrainError::unusable(path, problem));
            }
            if let Some(first) = header.iter().take(place).position(|other| other == name) {
                let problem = format!(
                    "line 1: columns {} and {} are both called “{}”; use unique names",
                    first + 1,
                    place + 1,
                    shown(name)
                );
                return Err(TrainError::unusable(path, problem));
            }
        }
        Ok(Self { path, header, text })
    }

    pub(super) fn header(&self) -> &[String] {
        &self.header
    }

    pub(super) fn place(&self, column: &str) -> Option<usize> {
        self.header.iter().position(|name| name == column)
    }

    /// FNV-1a of the text, 64 bits: whether a network was trained on this file.
    /// <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>
    pub(super) fn digest(&self) -> String {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("fnv1a-64:{:016x}", self.text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
    }

    /// Calls `see` with every row that has as many cells as the header.
    pub(super) fn each(&self, mut see: impl FnMut(&StringRecord)) {
        let mut reader = reader(&self.text);
        let mut record = StringRecord::new();
        loop {
            match reader.read_record(&mut record) {
                Ok(false) => return,
                Ok(true) => see(&record),
                Err(_) => {}
            }
        }
    }

    /// Reads every row. Bad rows are left out, with a note on their number and the first problems.
    pub(super) fn rows<T>(
        &self,
        mut read: impl FnMut(&StringRecord) -> Result<T, String>,
    ) -> Result<Rows<T>, TrainError> {
        let (mut rows, mut problems, mut left_out) = (Vec::new(), Vec::new(), 0_usize);
        let mut reader = reader(&self.text);
        let mut record = StringRecord::new();
        loop {
            let before = reader.position().line();
            let (line, outcome) = match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) => (record.position().map_or(before, csv::Position::line), read(&record)),
                Err(error) => (before, Err(explain(&error))),
            };
            match outcome {
                Ok(_) if rows.len() == MOST_ROWS => {
                    let problem = format!("line {line}: more than {MOST_ROWS} rows; train on a sample of them");
                    return Err(TrainError::unusable(self.path, problem));
                }
                Ok(row) => rows.push(row),
                Err(problem) => {
                    left_out += 1;
                    if problems.len() < NAMED {
                        problems.push(format!("line {line}: {problem}"));
                    }
                }
            }
        }
        if rows.is_empty() {
            let problem = problems.into_iter().next().map(|problem| format!("; {problem}")).unwrap_or_default();
            return Err(TrainError::unusable(self.path, format!("no usable row of measurements{problem}")));
        }
        let note = (left_out > 0).then(|| {
            let more = left_out - problems.len();
            let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
            let lines = if left_out == 1 { "1 line was".to_owned() } else { format!("{left_out} lines were") };
            format!("{lines} left out: {}{rest}", problems.join("; "))
        });
        Ok(Rows { usable: rows, left_out, note })
    }
}

/// A number of a cell, from a range.
pub(super) fn number(column: &str, cell: Option<&str>, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let text = cell.unwrap_or_default();
    let value = f64::from_str(text).ok().filter(|value| range.contains(value));
    value.ok_or_else(|| {
        let [column, text] = [column, text].map(shown);
        format!("column “{column}”: “{text}”; expected a number from {} to {}", range.start(), range.end())
    })
}

/// The start of a cell, as messages show it.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn reader(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes())
}

fn explain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells; expected {expected_len}, as many as the header has")
        }
        _ => error.to_string(),
    }
}
