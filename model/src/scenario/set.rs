//! Overriding one field by path: `cluster.machines=200`, `operators.join.input_gb=4`.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde_json::Value;

use super::read::did_you_mean;
use super::{Scenario, Study};

/// Why a field could not be overridden.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The argument is not of the form `PATH=VALUE`.
    #[error("“{0}” is not of the form PATH=VALUE, e.g. cluster.machines=200")]
    Form(String),
    /// No field has this path.
    #[error("{path}: there is no “{segment}”{hint}; there is: {known}")]
    NoSuchField {
        /// The whole path.
        path: String,
        /// The part that does not exist.
        segment: String,
        /// ", did you mean …?" or nothing.
        hint: String,
        /// What exists there.
        known: String,
    },
    /// The field exists but does not take this value.
    #[error("{path}: {problem}")]
    Value {
        /// The whole path.
        path: String,
        /// What is wrong and what is allowed.
        problem: String,
    },
}

impl Scenario {
    /// The scenario with one field of its study replaced; `assignment` is `PATH=VALUE`.
    ///
    /// The last `=` whose left side names a field separates path and value, so names may contain `=`.
    ///
    /// # Errors
    /// [`SetError`] if the form, the path or the value is wrong.
    pub fn with(&self, assignment: &str) -> Result<Self, SetError> {
        let (path, text) = assignment.split_once('=').ok_or_else(|| SetError::Form(assignment.to_owned()))?;
        let (path, text) = (path.trim(), text.trim());
        let refuse = |problem: String| SetError::Value { path: path.to_owned(), problem };

        let tagged = serde_json::to_value(&self.study).map_err(|error| refuse(error.to_string()))?;
        let Value::Object(mut variants) = tagged else { return Err(refuse("not a study".to_owned())) };
        let study = variants.values_mut().next().ok_or_else(|| refuse("not a study".to_owned()))?;
        *find(study, path, path)? = value_of(text);

        let tagged = Value::Object(variants);
        let mut track = serde_path_to_error::Track::new();
        let changed = Study::deserialize(serde_path_to_error::Deserializer::new(
            IntoDeserializer::<serde_json::Error>::into_deserializer(tagged),
            &mut track,
        ));
        let mut study: Study = changed.map_err(|error: serde_json::Error| refuse(error.to_string()))?;
        study.mark_entered(path);
        study.validate().map_err(|invalid| SetError::Value { path: invalid.path, problem: invalid.problem })?;
        Ok(Self { study, ..self.clone() })
    }
}

/// A number, a truth value, a quoted text, a list or an object as in JSON; anything else is text.
fn value_of(text: &str) -> Value {
    match text {
        "None" => Value::Null,
        _ => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

/// The place of a path: keys of structs, indices or names of list entries.
fn find<'v>(value: &'v mut Value, path: &str, whole: &str) -> Result<&'v mut Value, SetError> {
    if path.is_empty() {
        return Ok(value);
    }
    let known: Vec<String> = match &*value {
        Value::Object(fields) => fields.keys().cloned().collect(),
        Value::Array(entries) => entries
            .iter()
            .enumerate()
            .map(|(index, entry)| entry_name(entry).unwrap_or_else(|| index.to_string()))
            .collect(),
        _ => Vec::new(),
    };
    // Names may contain dots: the longest name that the path starts with.
    let chosen = known
        .iter()
        .filter(|name| path.strip_prefix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
        .max_by_key(|name| name.len());
    let Some(name) = chosen else {
        let segment = path.split('.').next().unwrap_or(path);
        return Err(SetError::NoSuchField {
            path: whole.to_owned(),
            segment: segment.to_owned(),
            hint: did_you_mean(segment, &known),
            known: known.join(", "),
        });
    };
    let rest = path[name.len()..].trim_start_matches('.');
    let next = match value {
        Value::Object(fields) => fields.get_mut(name),
        Value::Array(entries) => {
            let position = entries.iter().position(|entry| entry_name(entry).as_deref() == Some(name));
            let position = position.or_else(|| name.parse().ok());
            position.and_then(|position| entries.get_mut(position))
        }
        _ => None,
    };
    match next {
        Some(next) => find(next, rest, whole),
        None => Err(SetError::Form(whole.to_owned())),
    }
}

fn entry_name(entry: &Value) -> Option<String> {
    entry.get("name").and_then(Value::as_str).map(str::to_owned)
}
