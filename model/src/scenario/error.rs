//! Why a text is not a scenario, and where.

use super::locate::Position;

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
        Self { line: position.line, column: position.column, field, problem }
    }
}
