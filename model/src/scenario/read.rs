//! Reading a scenario: every refusal names line, column, field, what is allowed and the nearest name.

use ron::Options;
use ron::extensions::Extensions;
use serde::Deserialize;

use super::locate::{Position, locate};
use super::{Scenario, VERSION};

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

/// Just enough of a file to know whether this program can read the rest.
#[derive(Deserialize)]
struct Header {
    version: u32,
}

/// Reads a scenario from the text of a `.ron` file.
///
/// # Errors
/// [`ReadError`] for anything that is not a valid scenario of this version.
pub fn read(text: &str) -> Result<Scenario, ReadError> {
    let options = Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(64);
    if let Ok(Header { version }) = options.from_str::<Header>(text) {
        if version > VERSION {
            let problem = format!(
                "this file has version {version}; this program reads version {VERSION}: a newer Crossover is needed"
            );
            return Err(at(text, "version", problem));
        }
        if version < VERSION {
            return Err(at(text, "version", format!("version {version} does not exist; allowed: {VERSION}")));
        }
    }
    let scenario = parse(&options, text)?;
    match scenario.study.validate() {
        Ok(()) => Ok(scenario),
        Err(invalid) => Err(at(text, &format!("study.{}", invalid.path), invalid.problem)),
    }
}

fn parse(options: &Options, text: &str) -> Result<Scenario, ReadError> {
    let mut deserializer =
        ron::Deserializer::from_str_with_options(text, options).map_err(|error| syntax(&error, None))?;
    let mut track = serde_path_to_error::Track::new();
    let parsed = Scenario::deserialize(serde_path_to_error::Deserializer::new(&mut deserializer, &mut track))
        .and_then(|scenario| deserializer.end().map(|()| scenario));
    parsed.map_err(|error| {
        let path = track.path().to_string();
        let field =
            (path != ".").then(|| path.replace(['[', ']'], ".").replace("..", ".").trim_matches('.').to_owned());
        syntax(&deserializer.span_error(error), field)
    })
}

/// A problem of the text itself, with the position that the parser gives.
fn syntax(error: &ron::error::SpannedError, field: Option<String>) -> ReadError {
    let (problem, culprit) = match &error.code {
        ron::Error::NoSuchStructField { expected, found, .. } => (
            format!(
                "“{found}” is not a field{}; fields: {}",
                did_you_mean(found, expected.iter()),
                expected.join(", ")
            ),
            Some(found),
        ),
        ron::Error::NoSuchEnumVariant { expected, found, .. } => (
            format!(
                "“{found}” is not allowed{}; allowed: {}",
                did_you_mean(found, expected.iter()),
                expected.join(", ")
            ),
            None,
        ),
        ron::Error::MissingStructField { field, .. } => (format!("the field “{field}” is missing"), None),
        ron::Error::DuplicateStructField { field, .. } => (format!("the field “{field}” stands twice"), None),
        other => (other.to_string(), None),
    };
    // An unknown field is the field itself, whatever the reader was doing around it.
    let field = match (field, culprit) {
        (Some(path), Some(name)) if path != *name && !path.ends_with(&format!(".{name}")) => {
            Some(format!("{path}.{name}"))
        }
        (None, Some(name)) => Some(name.clone()),
        (field, _) => field,
    };
    ReadError { line: error.span.start.line, column: error.span.start.col, field, problem }
}

/// A problem of a field, with the position where its value stands.
fn at(text: &str, path: &str, problem: String) -> ReadError {
    let Position { line, column } = locate(text, path);
    ReadError { line, column, field: Some(path.strip_prefix("study.").unwrap_or(path).to_owned()), problem }
}

/// ", did you mean “machines”?" if one of the known names is near, else nothing.
pub fn did_you_mean<S: AsRef<str>>(found: &str, known: impl IntoIterator<Item = S>) -> String {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(found, name.as_ref()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.as_ref().len() / 3)
        .map(|(_, name)| format!(", did you mean “{}”?", name.as_ref()))
        .unwrap_or_default()
}
