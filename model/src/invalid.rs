//! What makes a study invalid, and which name may have been meant.

/// A field that makes a study invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field.
    pub path: String,
    /// What is wrong with it and what is allowed.
    pub problem: String,
}

/// ", did you mean “machines”?" if one of the known names is near, else nothing.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(found: &str, known: impl IntoIterator<Item = S>) -> String {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(found, name.as_ref()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| *distance <= 1 + name.as_ref().len() / 3)
        .map(|(_, name)| format!(", did you mean “{}”?", name.as_ref()))
        .unwrap_or_default()
}
