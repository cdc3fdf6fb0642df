//! A table of text with a header, whose errors have their line and column.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover_files::read;

use super::CaseError;

/// Largest file of runs or tables.
const LARGEST_BYTES: u64 = 16_000_000;

/// A CSV file with a header.
pub(super) struct Table {
    pub(super) file: PathBuf,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// A record and its line.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) cells: BTreeMap<String, String>,
}

impl Table {
    pub(super) fn read(path: &Path) -> Result<Self, CaseError> {
        let failed = |line: u64, problem: String| CaseError { file: path.to_owned(), line, field: None, problem };
        let text =
            read::text(path, LARGEST_BYTES).map_err(|problem| failed(1, format!("cannot read the file: {problem}")))?;
        // The reader counts lines by their last character, and would be off by one.
        let text = text.replace("\r\n", "\n");
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        // A position stands before the blank lines that are passed over.
        let lines: Vec<&str> = text.split('\n').collect();
        let line_of = |position: Option<&csv::Position>| {
            let line = position.map_or(1, csv::Position::line);
            let behind = lines.iter().skip(usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1));
            line + behind.take_while(|text| text.trim().is_empty()).count() as u64
        };
        let line = |error: &csv::Error| line_of(error.position());
        let wrong = |error: csv::Error| failed(line(&error), problem(&error));
        if text.trim().is_empty() {
            return Err(failed(1, "the file is empty".to_owned()));
        }
        let columns: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(wrong)?;
            let cells = columns.iter().cloned().zip(record.iter().map(str::to_owned)).collect();
            rows.push(Row { line: line_of(record.position()), cells });
        }
        Ok(Self { file: path.to_owned(), columns, rows })
    }

    pub(super) fn error(&self, line: u64, field: Option<&'static str>, problem: String) -> CaseError {
        CaseError { file: self.file.clone(), line, field, problem }
    }

    pub(super) fn has(&self, column: &str) -> Result<(), CaseError> {
        let found: Vec<&String> = self.columns.iter().filter(|found| *found == column).collect();
        match found.len() {
            1 => Ok(()),
            0 => Err(self.error(
                1,
                None,
                format!("the column “{column}” is missing; found: {}", self.columns.join(", ")),
            )),
            _ => Err(self.error(1, None, format!("the column “{column}” appears twice"))),
        }
    }

    /// A path in the file.
    pub(super) fn beside(&self, text: &str) -> PathBuf {
        let beside = self.file.parent().unwrap_or(Path::new("")).join(text);
        // As in commands, paths may also be relative to the working directory.
        if beside.exists() || !Path::new(text).exists() { beside } else { PathBuf::from(text) }
    }
}

/// What is wrong with a record, without its place.
fn problem(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells where the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "this is not UTF-8 text".to_owned(),
        _ => error.to_string(),
    }
}
