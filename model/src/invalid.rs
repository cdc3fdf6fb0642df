//! What makes a study invalid, and which name may have been meant.

/// A field that makes a study invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field.
    pub path: String,
    /// What is wrong with it and what is allowed.
    pub problem: String,
}

/// ", did you mean “machines”?" if one of the known names is near, else nothing. A name that differs in
/// upper and lower case only is the nearest.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(found: &str, known: impl IntoIterator<Item = S>) -> String {
    let lower = found.to_lowercase();
    let distances = |name: &str| {
        (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), strsim::damerau_levenshtein(found, name))
    };
    known
        .into_iter()
        .map(|name| (distances(name.as_ref()), name))
        .min_by_key(|(distances, _)| *distances)
        .filter(|((distance, _), name)| *distance <= 1 + name.as_ref().len() / 3)
        .map(|(_, name)| format!(", did you mean “{}”?", name.as_ref()))
        .unwrap_or_default()
}
