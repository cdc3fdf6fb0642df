//! Texts about several options that are named together: a clause that the first text has is left out of the others.

/// A part of a text about an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// What is the option's own: "43 s".
    Own(String),
    /// A clause that is written once if several options have it: ", 90 % interval".
    Clause(String),
}

impl Part {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Own(text) | Self::Clause(text) => text,
        }
    }
}

/// " (32 s … 64 s, 90 % interval)"; empty without an interval. `holds`: " at the assumed price", for what it holds.
pub(crate) fn interval(ends: Option<[String; 2]>, holds: &str) -> Vec<Part> {
    let Some([low, high]) = ends else { return Vec::new() };
    let clause = Part::Clause(format!(", 90 % interval{holds}"));
    vec![Part::Own(format!(" ({low} … {high}")), clause, Part::Own(")".to_owned())]
}

/// The text of each option, in their order: "predicted 43 s (32 s … 64 s, 90 % interval)" and "42 s (28 s … 78 s)". If all are the same,
/// one text.
pub(crate) fn each(options: &[Vec<Part>]) -> Vec<String> {
    let Some((first, others)) = options.split_first() else { return Vec::new() };
    let whole: String = first.iter().map(Part::text).collect();
    if others.iter().all(|other| other == first) {
        return vec![whole];
    }
    let is_new = |part: &Part| matches!(part, Part::Own(_)) || !first.contains(part);
    let shorter =
        others.iter().map(|other| -> String { other.iter().filter(|part| is_new(part)).map(Part::text).collect() });
    std::iter::once(whole).chain(shorter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saving(usd: &str, ends: [&str; 2], holds: &str) -> Vec<Part> {
        let mut parts = vec![Part::Own(usd.to_owned()), Part::Clause(" per run".to_owned())];
        parts.extend(interval(Some(ends.map(str::to_owned)), holds));
        parts
    }

    #[test]
    fn a_clause_of_the_first_text_is_written_once_and_any_other_is_kept() {
        let first = saving("$3", ["$1", "$5"], "");
        assert_eq!(each(std::slice::from_ref(&first)), ["$3 per run ($1 … $5, 90 % interval)"]);
        assert_eq!(each(&[first.clone(), first.clone()]), ["$3 per run ($1 … $5, 90 % interval)"]);
        let alike = saving("$2", ["$0", "$4"], "");
        assert_eq!(each(&[first.clone(), alike]), ["$3 per run ($1 … $5, 90 % interval)", "$2 ($0 … $4)"]);
        let assumed = saving("$2", ["$0", "$4"], " at the assumed price");
        let expected = ["$3 per run ($1 … $5, 90 % interval)", "$2 ($0 … $4, 90 % interval at the assumed price)"];
        assert_eq!(each(&[first, assumed]), expected);
    }
}
