//! Reading a scenario: every error names line, column, field, what is allowed and the nearest name.

use ron::Options;
use ron::extensions::Extensions;
use serde::Deserialize;

use super::error::ReadError;
use super::explain::{Failure, HASH_COMMENT, TOO_DEEP, explain, range_in_own_unit};
use super::locate::{DEEPEST, Position, nearest, too_deep};
use super::{Scenario, VERSION};
use crossover_placement::Placement;
use crossover_quantity::invalid::Invalid;

/// Just enough of a file to know whether this program can read the rest.
#[derive(Deserialize)]
struct Header {
    version: f64,
}

/// Reads a scenario from the text of a `.ron` file.
///
/// # Errors
/// [`ReadError`] for anything that is not a valid scenario of this version.
pub fn read(text: &str) -> Result<Scenario, ReadError> {
    let scenario = read_unchecked(text)?;
    let of_application = scenario.study.placement().map_or(Ok(()), Placement::validate_application);
    if let Err(invalid) = of_application.and_then(|()| scenario.study.validate()) {
        let problem = format!("{}{}", invalid.problem, hint(&scenario, &invalid));
        return Err(at(text, &format!("study.{}", invalid.path), problem));
    }
    match scenario.views.validate() {
        Ok(()) => Ok(scenario),
        Err(invalid) => Err(at(text, &invalid.path, invalid.problem)),
    }
}

/// Reads a scenario whose study may be invalid, for edits that are checked together.
pub(super) fn read_unchecked(text: &str) -> Result<Scenario, ReadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text); // the mark that some editors put first
    if text.trim().is_empty() {
        return Err(ReadError::new(Position::of(text, 0), None, "the file is empty".to_owned()));
    }
    if let Some(start) = too_deep(text, DEEPEST) {
        return Err(ReadError::new(Position::of(text, start), None, TOO_DEEP.to_owned()));
    }
    let options = Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(DEEPEST);
    if let Ok(Header { version }) = options.from_str::<Header>(text) {
        if version > f64::from(VERSION) {
            let problem = format!(
                "this file has version {version}, and this program reads version {VERSION}; use a newer Crossover"
            );
            return Err(at(text, "version", problem));
        }
        if version != f64::from(VERSION) {
            return Err(at(text, "version", format!("version {version} does not exist; allowed: {VERSION}")));
        }
    }
    parse(&options, text)
}

/// What helps to mend an invalid field: the range in the unit of the file.
fn hint(scenario: &Scenario, invalid: &Invalid) -> String {
    let info = scenario.study.quantity_at(&invalid.path);
    info.filter(|info| invalid.problem.ends_with(&info.range())).map(range_in_own_unit).unwrap_or_default()
}

fn parse(options: &Options, text: &str) -> Result<Scenario, ReadError> {
    let mut deserializer = ron::Deserializer::from_str_with_options(text, options).map_err(|error| {
        // Before the first value: an unclosed comment or an unknown attribute.
        let problem = match error.code {
            ron::Error::UnclosedBlockComment => "a comment “/*” is not closed".to_owned(),
            _ if text.trim_start().starts_with('#') => HASH_COMMENT.to_owned(),
            other => other.to_string(),
        };
        ReadError { line: error.span.end.line, column: error.span.end.col, field: None, problem }
    })?;
    let mut track = serde_path_to_error::Track::new();
    let parsed = Scenario::deserialize(serde_path_to_error::Deserializer::new(&mut deserializer, &mut track))
        .and_then(|scenario| deserializer.end().map(|()| scenario));
    parsed
        .map_err(|error| explain(&Failure { text, rest: deserializer.remainder(), path: &track.path(), error: &error }))
}

/// A problem of a field, with the position of its value.
fn at(text: &str, path: &str, problem: String) -> ReadError {
    let field = path.strip_prefix("study.").unwrap_or(path).to_owned();
    ReadError::new(nearest(text, path).position(), Some(field), problem)
}
