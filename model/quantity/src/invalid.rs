//! Errors of a study, and suggestions for misspelt names.

use std::collections::BTreeSet;

use crate::provenance::Sources;
use crate::text::shortened;

/// A field that makes a study invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct Invalid {
    /// Path of the field.
    pub path: String,
    /// The problem and what is allowed.
    pub problem: String,
}

/// Checks that a list is not empty and that no name in it is empty or used twice.
///
/// # Errors
/// The first violation.
pub fn names<'a>(list: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Invalid> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let invalid = |problem| Err(Invalid { path: format!("{list}.{index}.name"), problem });
        if name.trim().is_empty() {
            return invalid("a name must not be empty".to_owned());
        }
        if !seen.insert(name) {
            return invalid(used_twice(list, name));
        }
    }
    if seen.is_empty() {
        return Err(Invalid {
            path: list.to_owned(),
            problem: "the list is empty; at least one entry is needed".to_owned(),
        });
    }
    Ok(())
}

/// Message for a name that another entry of the list has.
#[must_use]
pub fn used_twice(list: &str, name: &str) -> String {
    format!("“{name}” is used twice; every name in {list} must be unique")
}

/// The name, or the name with the first number that makes it unique.
#[expect(clippy::missing_panics_doc, reason = "there are more numbers than names")]
pub fn free_name<'a>(name: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: BTreeSet<&str> = taken.collect();
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .find(|free| !taken.contains(free.as_str()))
        .expect("there are more numbers than names")
}

/// Checks that sources belong to fields that exist, and that their intervals are intervals.
///
/// # Errors
/// The first invalid source.
pub fn sources(sources: &Sources, known: &BTreeSet<String>) -> Result<(), Invalid> {
    for (path, source) in sources {
        let invalid = |problem| Err(Invalid { path: format!("sources.{path}"), problem });
        if !known.contains(path) {
            return invalid(format!("“{path}” is not a number of this study{}", did_you_mean(path, known)));
        }
        if let Some(problem) = source.problem() {
            return invalid(problem);
        }
    }
    Ok(())
}

/// A reference to an entry that does not exist.
pub fn unknown<'a>(path: &str, what: &str, found: &str, known: impl Iterator<Item = &'a str> + Clone) -> Invalid {
    let count = known.clone().count();
    let mut allowed: Vec<String> = known.clone().take(LISTED).map(|name| shortened(name, LONGEST_NAME)).collect();
    if count > LISTED {
        allowed.push(format!("and {} more", count - LISTED));
    }
    let (allowed, hint) = (allowed.join(", "), did_you_mean(found, known).replacen(',', ";", 1));
    let found = shortened(found, LONGEST_NAME);
    Invalid { path: path.to_owned(), problem: format!("no {what} is called “{found}”; allowed: {allowed}{hint}") }
}

/// Names that a message lists.
const LISTED: usize = 20;
/// Characters of a name that a message shows, and up to which names are compared.
const LONGEST_NAME: usize = 100;

/// ", did you mean “machines”?" if one of the known names is near, else nothing. A name that differs in
/// upper and lower case only is the nearest.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(found: &str, known: impl IntoIterator<Item = S>) -> String {
    let lower = found.to_lowercase();
    let distances = |name: &str| {
        (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), strsim::damerau_levenshtein(found, name))
    };
    // The time grows with the product of both lengths.
    let is_short = |name: &str| name.len() <= LONGEST_NAME;
    if !is_short(found) {
        return String::new();
    }
    known
        .into_iter()
        .filter(|name| is_short(name.as_ref()))
        .map(|name| (distances(name.as_ref()), name))
        .min_by_key(|(distances, _)| *distances)
        .filter(|((distance, _), name)| *distance <= 1 + name.as_ref().len() / 3)
        .map(|(_, name)| format!(", did you mean “{}”?", name.as_ref()))
        .unwrap_or_default()
}
