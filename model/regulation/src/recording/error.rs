//! Errors of a recording: position, field, found and expected.

use std::fmt;

/// The first error of a recording, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingError {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
    /// Column or metric that is wrong, where it is one.
    pub field: Option<String>,
    /// What is wrong and what is expected.
    pub problem: String,
}

impl RecordingError {
    pub(super) fn at(line: usize, column: usize, field: Option<&str>, problem: String) -> Self {
        Self { line, column, field: field.map(str::to_owned), problem }
    }
}

impl std::error::Error for RecordingError {}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.problem)
    }
}
