//! Why a text is not a scenario, and where.

use super::locate::Position;
use crossover_quantity::text::shortened;

/// Why a text is not a scenario, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}{}: {problem}", field.as_ref().map(|field| format!(", {field}")).unwrap_or_default())]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Path of the field, if the problem belongs to one.
    pub field: Option<String>,
    /// What is wrong, what is allowed, what may have been meant.
    pub problem: String,
}

impl ReadError {
    pub(super) fn new(position: Position, field: Option<String>, problem: String) -> Self {
        Self {
            line: position.line,
            column: position.column,
            field: field.map(|path| shortened(&in_one_line(path), LONGEST_PATH)),
            problem: shortened(&in_one_line(problem), LONGEST_PROBLEM),
        }
    }
}

/// Characters of a path that are shown; names of operators and networks may be of any length.
const LONGEST_PATH: usize = 100;
/// Characters of a problem that are shown; it may quote the file.
const LONGEST_PROBLEM: usize = 2000;

fn in_one_line(text: String) -> String {
    if text.contains(['\r', '\n']) { text.replace('\r', "\\r").replace('\n', "\\n") } else { text }
}
