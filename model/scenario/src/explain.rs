//! Errors of the parser in terms of the user, with line and column.

use ron::Error;
use serde_path_to_error::{Path, Segment};

use super::error::ReadError;
use super::locate::{INSIDE, Position, first_value, last_text, nearest};
use super::{Kind, VERSION};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;

pub(super) const HASH_COMMENT: &str = "a comment begins with “//”, not with “#”";
pub(super) const TOO_DEEP: &str = "brackets are nested too deep; allowed: 64 inside one another";
const NOT_CLOSED: &str = "the text that begins here is not closed; a quote “\"” is missing";
const WITHOUT_UNIT: &str = "write numbers without a unit; the name of the field contains it";
const NO_SCENARIO: &str = "this is not a scenario; a scenario begins with “(”";

/// A text that the parser refused.
pub(super) struct Failure<'a> {
    pub(super) text: &'a str,
    /// The text from where the parser stopped.
    pub(super) rest: &'a str,
    /// The field that the parser was reading.
    pub(super) path: &'a Path,
    pub(super) error: &'a Error,
}

/// The failure as an error for the user.
pub(super) fn explain(failure: &Failure<'_>) -> ReadError {
    let Failure { text, rest, error, .. } = *failure;
    let field = Field::of(failure);
    // The parser has already read the name that it complains about.
    let before = |name: &str| {
        let stopped = text.len() - rest.len();
        let start = stopped.saturating_sub(name.len());
        Position::of(text, if text[..stopped].ends_with(name) { start } else { stopped })
    };
    let here = Position::of(text, text.len() - rest.trim_start().len());
    if rest.trim_start().starts_with('#') {
        return ReadError::new(here, field.shown, HASH_COMMENT.to_owned());
    }
    if let Some(start) = unclosed_text(failure) {
        return ReadError::new(Position::of(text, start), field.shown, NOT_CLOSED.to_owned());
    }
    match error {
        Error::NoSuchStructField { expected, found, .. } => {
            let hint = did_you_mean(found, *expected);
            let written = shortened(found);
            let problem = format!("“{written}” is not a field{hint}; fields: {}", expected.join(", "));
            ReadError::new(before(found), Some(field.ending_in(found)), problem)
        }
        Error::NoSuchEnumVariant { expected, found, .. } => {
            let hint = did_you_mean(found, *expected);
            let problem = format!("“{found}” is not allowed{hint}; allowed: {}", expected.join(", "));
            ReadError::new(before(found), field.shown, problem)
        }
        Error::DuplicateStructField { field: name, .. } => {
            ReadError::new(before(name), Some(field.ending_in(name)), format!("the field “{name}” is given twice"))
        }
        Error::MissingStructField { field: name, .. } => {
            let position = nearest(text, &field.in_file).position();
            ReadError::new(position, Some(field.ending_in(name)), format!("the field “{name}” is missing"))
        }
        Error::ExpectedDifferentStructName { found, .. } => {
            let problem = match &field.shown {
                None => NO_SCENARIO.to_owned(),
                Some(_) => format!("“{found}” is not expected here; write fields in (round brackets) without a name"),
            };
            ReadError::new(before(found), field.shown, problem)
        }
        _ if rest.trim().is_empty() => {
            let problem = "the file ends too early; values or closing brackets are missing".to_owned();
            ReadError::new(here, field.shown, problem)
        }
        Error::ExpectedComma => {
            let (start, problem) = missing_comma(text, rest);
            ReadError::new(Position::of(text, start), field.shown, problem)
        }
        other => ReadError::new(here, field.shown.clone(), problem(other, rest, &field)),
    }
}

/// Where a text begins that is not closed, or only by the first quote of a text on a later line.
fn unclosed_text(failure: &Failure<'_>) -> Option<usize> {
    let stopped = failure.text.len() - failure.rest.len();
    match failure.error {
        Error::ExpectedStringEnd => last_text(failure.text, failure.text.len()).map(|(start, _)| start),
        Error::ExpectedComma | Error::ExpectedMapColon | Error::ExpectedStructLikeEnd => {
            let (start, written) = last_text(failure.text, stopped)?;
            let follows = failure.text[start..stopped].trim_end().len() <= written.len();
            let key =
                matches!(failure.error, Error::ExpectedMapColon) && failure.rest.starts_with(char::is_alphanumeric);
            (follows && (key || written.contains('\n'))).then_some(start)
        }
        _ => None,
    }
}

/// What is wrong with the value that the rest of the text begins with.
fn problem(error: &Error, rest: &str, field: &Field) -> String {
    let found = shortened(first_value(rest));
    match error {
        Error::ExpectedFloat
        | Error::ExpectedInteger
        | Error::IntegerOutOfBounds
        | Error::UnderscoreAtBeginning
        | Error::FloatUnderscore => format!("{found} is not a number{}", field.allowed_numbers()),
        Error::ExpectedString if field.reads_value => format!("{found} is not a text; write texts in \"quotes\""),
        Error::ExpectedString => {
            let key = if field.is_sources() { "the path of a number" } else { "the name of a class" };
            format!("{found} is not {key}; write it in \"quotes\"")
        }
        Error::ExpectedBoolean => format!("{found} is not allowed; allowed: true, false"),
        Error::ExpectedArray => format!("{found} is not a list; write lists in [square brackets]"),
        Error::ExpectedMap if field.is_sources() => {
            format!("{found} is not a list of sources; write it in {{braces}}")
        }
        Error::ExpectedMap => format!("{found} is not a list of names and values; write it in {{braces}}"),
        Error::ExpectedStructLike | Error::ExpectedNamedStructLike(_) if field.in_file.is_empty() => {
            let json = if found.starts_with('{') { "; this looks like JSON" } else { "" };
            format!("{NO_SCENARIO}{json}")
        }
        Error::ExpectedStructLike if field.in_file.ends_with(INSIDE) => {
            "a value in (round brackets) is missing, as in Power(1.5)".to_owned()
        }
        Error::ExpectedStructLike | Error::ExpectedNamedStructLike(_) => {
            format!("{found} is not a group of fields; write groups in (round brackets)")
        }
        Error::ExpectedIdentifier | Error::SuggestRawIdentifier(_) | Error::InvalidIdentifier(_)
            if field.reads_value =>
        {
            format!("{found} is not one of the names allowed here; write names without quotes")
        }
        Error::ExpectedIdentifier | Error::SuggestRawIdentifier(_) | Error::InvalidIdentifier(_) => {
            format!("{found} is not the name of a field; write numbers without commas and spaces")
        }
        Error::ExpectedMapColon => "a colon “:” is missing after the name of the field".to_owned(),
        Error::ExpectedStructLikeEnd | Error::ExpectedOptionEnd => "a closing bracket “)” is missing".to_owned(),
        Error::ExpectedArrayEnd => "a closing bracket “]” is missing".to_owned(),
        Error::ExpectedMapEnd => "a closing brace “}” is missing".to_owned(),
        Error::ExceededRecursionLimit => TOO_DEEP.to_owned(),
        Error::TrailingCharacters => "the scenario ends before this; nothing may follow it".to_owned(),
        other => other.to_string(),
    }
}

/// Where a value that does not end where it should begins, and what to do.
fn missing_comma(text: &str, rest: &str) -> (usize, String) {
    let stopped = text.len() - rest.len();
    let is_part = |c: char| c.is_alphanumeric() || "_.+-%".contains(c);
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let start = text[..stopped].trim_end_matches(is_part).len();
    if start < stopped && end > 0 {
        // Such as 5ms: digits have been read, letters follow.
        let word = shortened(&text[start..stopped + end]);
        return (start, format!("{word} is not a value; {WITHOUT_UNIT}"));
    }
    if let Some(start) = number_with_unit(text, rest) {
        let unit = rest.trim_start();
        let end = unit.find(|c: char| c.is_whitespace() || ",)]}".contains(c)).unwrap_or(unit.len());
        let word = shortened(&text[start..text.len() - unit.len() + end]);
        return (start, format!("{word} is not a value; {WITHOUT_UNIT}"));
    }
    let found = shortened(first_value(rest));
    let found = if found.is_empty() { rest.chars().take(1).collect() } else { found };
    (text.len() - rest.trim_start().len(), format!("a comma or a closing bracket is missing before {found}"))
}

/// Where a number begins that a word follows which is not the name of the next field.
fn number_with_unit(text: &str, rest: &str) -> Option<usize> {
    let before = text[..text.len() - rest.trim_start().len()].trim_end();
    let start = before.trim_end_matches(|c: char| c.is_ascii_digit() || "_.+-eE".contains(c)).len();
    let is_number = before[start..].parse::<f64>().is_ok();
    let unit = rest.trim_start();
    let after = unit.trim_start_matches(|c: char| c.is_alphanumeric() || "_µ".contains(c));
    let is_word = unit.starts_with(|c: char| c.is_alphabetic() || c == '%') && !after.trim_start().starts_with(':');
    (is_number && is_word).then_some(start)
}

/// " (0.001 … 1,000,000 Gbit/s)": the range in the unit of the field, where [`Quantity::range`] uses another prefix.
pub(super) fn range_in_own_unit(info: &Quantity) -> String {
    let unit = info.unit.symbol();
    if [info.min, info.max].iter().all(|bound| *bound == 0.0 || info.unit.number_and_symbol(*bound).1 == unit) {
        return String::new();
    }
    let number = |bound| Unit::Count.format(bound).replace('−', "-");
    format!(" ({} … {} {unit})", number(info.min), number(info.max))
}

/// A value as it is written, in one line of at most 40 characters.
fn shortened(written: &str) -> String {
    let line = written.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(40).collect();
    if short.len() < written.len() {
        short.push('…');
    }
    short
}

/// The field that the parser was reading.
struct Field {
    /// Its path for [`nearest`].
    in_file: String,
    /// Its path as shown to the user, with the names of operators and networks; `None` for the file itself.
    shown: Option<String>,
    /// Whether the parser was reading the value of the field, not a name inside it.
    reads_value: bool,
    /// The kind of the study that it belongs to, if the parser has come that far.
    kind: Option<Kind>,
}

impl Field {
    fn of(failure: &Failure<'_>) -> Self {
        let (mut in_file, mut shown) = (String::new(), String::new());
        let push = |path: &mut String, segment: &str| {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(segment);
        };
        let mut reads_value = true;
        let mut kind = None;
        for segment in failure.path {
            reads_value = true;
            match segment {
                Segment::Map { key } => {
                    push(&mut in_file, key);
                    push(&mut shown, key);
                }
                Segment::Seq { index } => {
                    push(&mut in_file, &index.to_string());
                    let name = nearest(failure.text, &in_file).name();
                    push(&mut shown, &name.unwrap_or_else(|| index.to_string()));
                }
                Segment::Enum { variant } => {
                    kind = kind.or_else(|| Kind::of_variant(variant));
                    push(&mut in_file, INSIDE);
                }
                Segment::Unknown => reads_value = false,
            }
        }
        let shown = shown.strip_prefix("study.").unwrap_or(&shown);
        Self { in_file, shown: (!shown.is_empty()).then(|| shown.to_owned()), reads_value, kind }
    }

    fn is_sources(&self) -> bool {
        self.shown.as_deref().is_some_and(|path| path.starts_with("sources"))
    }

    /// The path of a field inside this one; the path may name it already.
    fn ending_in(&self, name: &str) -> String {
        match &self.shown {
            None => name.to_owned(),
            Some(path) if path == name || path.ends_with(&format!(".{name}")) => path.clone(),
            Some(path) => format!("{path}.{name}"),
        }
    }

    /// "; allowed: 1 … 1,000,000, whole" where that is known.
    fn allowed_numbers(&self) -> String {
        let Some(path) = &self.shown else { return String::new() };
        if path == "version" {
            return format!("; allowed: {VERSION}");
        }
        self.kind.and_then(|kind| kind.quantity_at(path)).map_or_else(String::new, |info| {
            let none = if info.optional { ", or None" } else { "" };
            format!("; allowed: {}{}{none}", info.range(), range_in_own_unit(info))
        })
    }
}
