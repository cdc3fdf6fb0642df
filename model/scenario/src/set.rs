//! Overriding one field by path: `cluster.machines=200`, `operators.join.input_gb=4`, `controllers.PI.kp=0.5`.
//!
//! The path names fields as in a file below the study, and entries of a list by their name
//! (which may hold dots and spaces) or by their place from 0. The value is written as in a file, but a
//! number may have a unit:
//!
//! | field | example |
//! |---|---|
//! | number, with a unit or in that of the field | `cluster.machines=200`, `operators.join.input_gb=1.5 TB` |
//! | optional field | `node.scan_gb_per_s=5`, `node.scan_gb_per_s=None` |
//! | text, quotes may be left out | `policy.network=100 Gb InfiniBand` |
//! | one of several names | `policy.overlap=Everything`, `operators.join.pin=Gpu` |
//! | exponent | `operators.join.class=Quadratic`, `operators.join.class=Power(1.5)` |
//! | pin of a node of the query, which comes and goes | `query.pins.12=Gpu`, `query.pins.12=None` |
//! | group of fields | `operators.join.gpu_curve=(fixed_seconds: 0.001, gb_per_s: 80)` |
//!
//! Where a text is renamed that other fields refer to, they follow.

use super::locate::{Astray, INSIDE, find, first_value};
use super::read::{read, read_unchecked};
use super::{Kind, Scenario};
use crossover_quantity::invalid::{did_you_mean, used_twice};
use crossover_study::{Field, FieldKind, number_at, set_number, sources};

/// Why a field could not be overridden.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// The argument is not of the form `PATH=VALUE`.
    #[error("“{0}” is not of the form PATH=VALUE, e.g. cluster.machines=200")]
    Form(String),
    /// No field has this path.
    #[error("{path}: unknown field “{segment}”{hint}{}", if known.is_empty() { String::new() } else { format!("; expected one of: {known}") })]
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

/// When a study whose field was replaced is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    AtOnce,
    /// When other fields are replaced as well.
    Later,
}

impl Scenario {
    /// The scenario with one field of its study replaced; `assignment` is `PATH=VALUE`. The field then
    /// counts as entered.
    ///
    /// The last `=` whose left side names a field separates path and value, so names may contain `=`.
    ///
    /// # Errors
    /// [`SetError`] if the form, the path or the value is wrong.
    pub fn with(&self, assignment: &str) -> Result<Self, SetError> {
        self.assigned(assignment, Check::AtOnce)
    }

    /// The scenario with several fields replaced as [`Scenario::with`] does, checked together: fields that limit
    /// each other may be in any order.
    ///
    /// # Errors
    /// [`SetError`] if a form or a path is wrong, or a value once all are set.
    pub fn with_all<S: AsRef<str>>(&self, assignments: &[S]) -> Result<Self, SetError> {
        if let [only] = assignments {
            return self.with(only.as_ref());
        }
        let unchecked = assignments
            .iter()
            .try_fold(self.clone(), |scenario, assignment| scenario.assigned(assignment.as_ref(), Check::Later))?;
        let read = read(&unchecked.to_ron())
            .map_err(|error| SetError::Value { path: error.field.unwrap_or_default(), problem: error.problem })?;
        Ok(read.with_found_of(self))
    }

    fn assigned(&self, assignment: &str, check: Check) -> Result<Self, SetError> {
        let text = self.to_ron();
        let form = || SetError::Form(assignment.to_owned());
        let splits =
            || assignment.match_indices('=').map(|(index, _)| (&assignment[..index], &assignment[index + 1..]));
        let names_field = |(path, _): &(&str, &str)| find(&text, &in_file(path)).is_ok();
        let (path, value) = splits().rfind(names_field).or_else(|| splits().next()).ok_or_else(form)?;
        let (path, value) = (path.trim(), value.trim());
        if path.is_empty() {
            return Err(form());
        }
        self.with_value(path, value, check)
    }

    /// The scenario with one field of its study replaced by a value as it is typed.
    fn with_value(&self, typed_path: &str, value: &str, check: Check) -> Result<Self, SetError> {
        let mut assigned = self.clone();
        if let Some(result) = assigned.study.subject_mut().assign(typed_path, value) {
            return result
                .map(|()| assigned)
                .map_err(|problem| SetError::Value { path: typed_path.to_owned(), problem });
        }
        let text = self.to_ron();
        if find(&text, &in_file(typed_path)).is_err()
            && let Some(result) = self.with_absent(typed_path, value, check)
        {
            return result;
        }
        let place = find(&text, &in_file(typed_path))
            .map_err(|astray| no_such_field(self.study.kind(), &text, typed_path, &astray))?;
        let path = &place.path();
        let refuse = |problem: String| SetError::Value { path: path.clone(), problem };

        let is_text = place.written().starts_with('"');
        let value = if is_text && !value.starts_with('"') { quoted(value) } else { value.to_owned() };
        if value.is_empty() {
            return Err(refuse("a value is missing after “=”".to_owned()));
        }
        let value = match self.study.quantity_at(path).filter(|_| has_unit(&value)) {
            Some(info) => {
                let number = info.parse(&value).map_err(|error| refuse(error.to_string()))?;
                format!("{number:?}") // the shortest text that reads as the same number
            }
            None => value,
        };
        if first_value(&value) != value {
            return Err(refuse(format!("“{value}” is not one value; write numbers without commas and spaces")));
        }
        if let Some(renamed) = self.renamed(path, &value) {
            let renamed = renamed.map_err(refuse)?;
            let checked = if check == Check::AtOnce { renamed.study.validate() } else { Ok(()) };
            return checked.map(|()| renamed).map_err(|invalid| refuse(invalid.problem));
        }
        let mut entered = self.clone();
        sources::mark_entered(entered.study.subject_mut(), place.below_study());
        let text = entered.to_ron();
        // As it was typed: with the names of entries in the place of their numbers, it may lead to another one.
        let changed = find(&text, &in_file(typed_path))
            .map_err(|astray| no_such_field(self.study.kind(), &text, path, &astray))?
            .replaced_by(&value);
        let read = if check == Check::AtOnce { read } else { read_unchecked };
        let read = read(&changed).map_err(|error| {
            // Broken text is noticed in the group around the field.
            let elsewhere = error.field.filter(|field| !path.starts_with(field.as_str()));
            SetError::Value { path: elsewhere.unwrap_or_else(|| path.clone()), problem: error.problem }
        })?;
        Ok(read.with_found_of(self))
    }

    /// The scenario with the content of the files that it names, taken from another scenario that names the same files.
    fn with_found_of(mut self, other: &Self) -> Self {
        if let Some((named, of_other)) = self.study.named_trace_mut().zip(other.study.named_trace()) {
            named.take(of_other);
        }
        self
    }

    /// The scenario with a number that the file leaves out while it is absent; `None` if there is none at this path.
    fn with_absent(&self, path: &str, value: &str, check: Check) -> Option<Result<Self, SetError>> {
        let mut entered = self.clone();
        let info =
            number_at(entered.study.subject(), path).filter(|(_, value)| value.is_none()).map(|(info, _)| info)?;
        let refuse = |problem: String| SetError::Value { path: path.to_owned(), problem };
        let number = match info.parse(value) {
            Ok(number) => number,
            Err(error) => return Some(Err(refuse(error.to_string()))),
        };
        if !set_number(entered.study.subject_mut(), path, number) {
            return None;
        }
        entered.study.sources_mut().remove(path);
        let checked = if check == Check::AtOnce { entered.study.validate() } else { Ok(()) };
        Some(
            checked
                .map(|()| entered)
                .map_err(|invalid| SetError::Value { path: invalid.path, problem: invalid.problem }),
        )
    }

    /// The scenario with one field, and its source, as they are in another one; an end of a row of a control table
    /// takes that of its neighbour along. `None` if either has no such field or the value does not fit the other fields
    /// here.
    #[must_use]
    pub fn with_field_of(&self, other: &Self, path: &str) -> Option<Self> {
        let text = other.to_ron();
        let value = find(&text, &in_file(path)).ok()?.written().to_owned();
        let alone = self.with_value(path, &value, Check::AtOnce).ok();
        let mut scenario = alone.or_else(|| {
            let mut scenario = self.clone();
            let is_same = self.study.kind() == other.study.kind();
            let (here, there) = (scenario.study.subject_mut(), other.study.subject());
            (is_same && sources::take_number_of(here, there, path)).then_some(scenario)
        })?;
        if let Some(source) = other.study.sources().get(path) {
            scenario.study.sources_mut().insert(path.to_owned(), source.clone());
        }
        Some(scenario)
    }

    /// The scenario with another name for what is named at the path, or why it cannot have that name; `None` if the
    /// path asks for something else.
    fn renamed(&self, path: &str, value: &str) -> Option<Result<Self, String>> {
        let name: String = ron::from_str(value).ok()?;
        let mut renamed = self.clone();
        let study = renamed.study.subject_mut();
        let (list, index) = sources::named_at(study, path)?;
        Some(if sources::rename(study, list, index, &name) { Ok(renamed) } else { Err(used_twice(list, &name)) })
    }
}

/// A path below the study as a path in the file.
fn in_file(path: &str) -> String {
    format!("study.{}", path.trim())
}

/// A text in the quotes of a file.
fn quoted(text: &str) -> String {
    ron::to_string(text).expect("RON can write every text")
}

/// Whether a value is a number with something after it, such as "5 ms" or "30 %".
fn has_unit(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit() || "+-−.".contains(c))
        && value.contains(|c: char| c.is_alphabetic() || "%×".contains(c))
        && value.parse::<f64>().is_err()
        && !value.contains([',', '(', ')', '"'])
}

fn no_such_field(kind: Kind, text: &str, path: &str, astray: &Astray<'_>) -> SetError {
    let segment = astray.rest.split('.').next().unwrap_or(&astray.rest);
    SetError::NoSuchField {
        path: path.to_owned(),
        segment: segment.to_owned(),
        hint: hint(kind, text, path, segment, astray),
        known: astray.known.iter().filter(|name| *name != INSIDE).cloned().collect::<Vec<_>>().join(", "),
    }
}

/// How the group of fields at a path is written, if it may be left out.
fn example(fields: &'static [Field], path: &str) -> Option<&'static str> {
    let (key, rest) = path.split_once('.').unwrap_or((path, ""));
    match &fields.iter().find(|field| field.key == key)?.kind {
        FieldKind::Part { example: written, .. } if rest.is_empty() => *written,
        FieldKind::Part { fields, .. } => example(fields, rest),
        // Names of entries may hold dots.
        FieldKind::List { fields, .. } => {
            rest.match_indices('.').find_map(|(dot, _)| example(fields, &rest[dot + 1..]))
        }
        _ => None,
    }
}

/// What may have been meant by a path that leads nowhere.
fn hint(kind: Kind, text: &str, path: &str, segment: &str, astray: &Astray<'_>) -> String {
    if let Some(below) = path.strip_prefix("study.") {
        return format!(", paths begin below the study: {below}");
    }
    let nearest = Some(astray.nearest.path()).filter(|path| !path.is_empty());
    let nearest = nearest.as_deref();
    let group = nearest
        .filter(|_| astray.nearest.written() == "None")
        .and_then(|field| Some((field, example(kind.fields(), field)?)));
    if let Some((field, example)) = group {
        // "curve" of cpu_curve.
        let name = field.rsplit(['.', '_']).next().unwrap_or(field);
        return format!(", the {name} is None; give all of it: {field}={example}");
    }
    if nearest.is_none() {
        // The field of a group, or of the first entry of a list, without the way to it.
        let mut ways = astray.known.iter().flat_map(|group| [group.clone(), format!("{group}.0")]);
        let found = ways.find_map(|way| find(text, &in_file(&format!("{way}.{path}"))).ok());
        if let Some(field) = found {
            return format!(", did you mean “{}”?", field.path());
        }
    }
    did_you_mean(segment, &astray.known)
}
