//! Errors in an SQL file, with their position.

use std::path::Path;

use crossover_plan::ImportError;
use datafusion_common::{Column, DataFusionError, SchemaError};
use datafusion_sql::sqlparser::parser::ParserError;
use datafusion_sql::sqlparser::tokenizer::{Location, TokenizerError};

/// Most names that a message lists.
const MOST_NAMES: usize = 12;
/// How alike two names must be for one to be offered for the other, by Jaro–Winkler.
const ALIKE: f64 = 0.75;

/// An error in an SQL file, with its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Problem {
    /// Line and column, both from 1, if the place is known.
    place: Option<Location>,
    /// The error, and what was expected.
    text: String,
}

impl Problem {
    /// A problem at a place; line 0 means that the place is not known.
    pub(super) fn at(place: Location, text: impl Into<String>) -> Self {
        Self { place: (place.line > 0).then_some(place), text: text.into() }
    }

    /// The same problem, at `place` if it has none yet.
    pub(super) fn or_at(self, place: Location) -> Self {
        if self.place.is_some() { self } else { Self::at(place, self.text) }
    }

    /// The error without its place.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The problem with its place.
    pub(super) fn described(&self) -> String {
        match self.place {
            Some(place) => format!("line {}, column {}: {}", place.line, place.column, self.text),
            None => self.text.clone(),
        }
    }

    /// The problem as an import's error; `more` statements have others.
    pub(super) fn of_file(&self, path: &Path, more: usize) -> ImportError {
        let more = match more {
            0 => String::new(),
            1 => "; one more statement cannot be planned".to_owned(),
            more => format!("; {more} more statements cannot be planned"),
        };
        ImportError::unusable(path, self.described() + &more)
    }
}

impl From<TokenizerError> for Problem {
    fn from(error: TokenizerError) -> Self {
        Self::at(error.location, error.message)
    }
}

impl From<ParserError> for Problem {
    fn from(error: ParserError) -> Self {
        match error {
            ParserError::RecursionLimitExceeded => Self::at(
                Location::empty(),
                "the statement is nested too deeply; at most about 50 parentheses or subqueries may be nested",
            ),
            ParserError::TokenizerError(text) | ParserError::ParserError(text) => {
                let (place, text) = split_place(&text);
                Self::at(place, text)
            }
        }
    }
}

impl From<DataFusionError> for Problem {
    fn from(error: DataFusionError) -> Self {
        let place = error
            .diagnostic()
            .and_then(|diagnostic| diagnostic.span)
            .map_or(Location::empty(), |span| Location { line: span.start.line, column: span.start.column });
        match error.find_root() {
            DataFusionError::SchemaError(error, _) => {
                if let SchemaError::FieldNotFound { field, valid_fields } = error.as_ref() {
                    let place = field
                        .spans
                        .first()
                        .map_or(place, |span| Location { line: span.start.line, column: span.start.column });
                    return Self::at(place, unknown_column(field, valid_fields));
                }
                Self::at(place, error.to_string())
            }
            DataFusionError::SQL(error, _) => Self::from(error.as_ref().clone()).or_at(place),
            DataFusionError::NotImplemented(text) => Self::at(place, format!("not supported: {}", without_tree(text))),
            DataFusionError::Internal(text) => Self::at(place, format!("DataFusion failed: {}", without_request(text))),
            root => {
                let text = without_trace(&root.message());
                let known = unknown_function(&text).or_else(|| wrong_arguments(&text));
                Self::at(place, known.unwrap_or(text))
            }
        }
    }
}

/// The parser's message ends in the place: "Expected: …, found: … at Line: 3, Column: 7".
fn split_place(text: &str) -> (Location, String) {
    let found = text.rfind(" at Line: ").and_then(|start| {
        let place = &text[start + " at Line: ".len()..];
        let (line, column) = place.split_once(", Column: ")?;
        let digits = column.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(column.len());
        Some((start, Location { line: line.parse().ok()?, column: column[..digits].parse().ok()? }))
    });
    let (place, text) = found.map_or((Location::empty(), text), |(start, place)| (place, &text[..start]));
    (
        place,
        text.replace("Expected: ", "expected ")
            .replace("found: EOF", "found the end of the statement")
            .replace("found: ", "found "),
    )
}

fn unknown_column(field: &Column, valid: &[Column]) -> String {
    let names: Vec<String> = valid.iter().map(Column::flat_name).collect();
    // A qualified name is compared with qualified ones.
    let wanted = field.flat_name();
    let short: Vec<&str> = valid.iter().map(|column| column.name.as_str()).collect();
    let near = if field.relation.is_some() {
        nearest(&wanted, names.iter().map(String::as_str))
    } else {
        nearest(&wanted, short.iter().copied())
    };
    format!("there is no column “{wanted}”{}", offer(near, "the columns here are", &names))
}

/// The planner's words: "Invalid function 'summ'. Did you mean 'sum'?", with a name however far it is.
fn unknown_function(text: &str) -> Option<String> {
    let (name, offered) = text.strip_prefix("Invalid function '")?.split_once("'. Did you mean '")?;
    let near = nearest(name, std::iter::once(offered.trim_end_matches("'?")));
    Some(format!("there is no function “{name}”{}", offer(near, "", &[])))
}

/// The planner's words, which it takes for a defect of its own: `Function 'sum' failed to match any signature, errors:
/// Error during planning: Function 'sum' requires Decimal, but received String (DataType: Utf8).,…`.
fn wrong_arguments(text: &str) -> Option<String> {
    let (before, reasons) = text.split_once("' failed to match any signature, errors: ")?;
    let (_, name) = before.rsplit_once('\'')?;
    let mut found: Vec<&str> = Vec::new();
    for reason in reasons.split(&format!("Function '{name}' ")).skip(1) {
        let ends = [" (DataType", ",Error", ". "].into_iter().filter_map(|end| reason.find(end));
        let reason = &reason[..ends.min().unwrap_or(reason.len())];
        if !found.contains(&reason) {
            found.push(reason);
        }
    }
    Some(format!("invalid call of “{name}”: it {}", found.join("; or it ")))
}

/// A suggestion: the nearest name, or all names.
pub(super) fn offer(nearest: Option<&str>, all: &str, names: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean “{name}”?"),
        None if names.is_empty() => String::new(),
        None if names.len() > MOST_NAMES => {
            format!("; {all} {} and {} more", names[..MOST_NAMES].join(", "), names.len() - MOST_NAMES)
        }
        None => format!("; {all} {}", names.join(", ")),
    }
}

/// The name that is most like `wanted`, if one is alike at all.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(&wanted.to_lowercase(), &name.to_lowercase());
    let best = names.map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= ALIKE);
    best.fold(
        None,
        |best: Option<(f64, &str)>, next| {
            if best.is_some_and(|best| best.0 >= next.0) { best } else { Some(next) }
        },
    )
    .map(|(_, name)| name)
}

/// The text without the library's request to report a bug.
fn without_request(text: &str) -> String {
    let text = without_trace(text);
    let text = text.split("This issue was likely caused by a bug").next().unwrap_or_default();
    text.strip_prefix("Internal error: ").unwrap_or(text).trim().to_owned()
}

/// The text up to the parsed statement in the parser's own notation.
fn without_tree(text: &str) -> &str {
    text.find(" { ").map_or(text, |end| &text[..end])
}

fn without_trace(text: &str) -> String {
    let text = text.split(DataFusionError::BACK_TRACE_SEP).next().unwrap_or_default();
    text.replace('\n', " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_do_not_ask_to_report_a_bug_of_a_library() {
        let error = DataFusionError::Internal("Cannot plan this".to_owned());
        assert!(error.to_string().contains("bug"), "the library asks for a report: {error}");
        for text in [error.to_string(), "Cannot plan this.\nThis issue was likely caused by a bug in it".to_owned()] {
            let problem = Problem::from(DataFusionError::Internal(text)).text;
            assert!(problem.starts_with("DataFusion failed: ") && problem.contains("Cannot plan this"), "{problem}");
            assert!(!problem.contains("bug"), "{problem}");
        }
    }
}
