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
        Self {
            line: position.line,
            column: position.column,
            field: field.map(|path| shortened(&path, LONGEST_PATH)),
            problem: in_one_line(problem),
        }
    }
}

/// Characters of a path that are shown; names of operators and networks may be of any length.
const LONGEST_PATH: usize = 100;

fn in_one_line(text: String) -> String {
    if text.contains(['\r', '\n']) { text.replace('\r', "\\r").replace('\n', "\\n") } else { text }
}

/// A text with line breaks as they are written in a file, and without its middle if it is longer than this.
fn shortened(text: &str, longest: usize) -> String {
    let line = in_one_line(text.to_owned());
    let length = line.chars().count();
    if length <= longest {
        return line;
    }
    let start: String = line.chars().take(longest / 2).collect();
    let end: String = line.chars().skip(length - longest / 2).collect();
    format!("{start}…{end}")
}
