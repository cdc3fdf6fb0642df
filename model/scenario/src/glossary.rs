//! The glossary, as it is in the repository, and the meanings that titles and figures take from it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// `docs/GLOSSARY.md`.
pub const GLOSSARY: &str = include_str!("../../../docs/GLOSSARY.md");

/// The lines of the terms: each name of a term, and “name: meaning”.
static DEFINITIONS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let named = rows().flat_map(|(term, meaning)| {
        let meaning = plain(meaning);
        names(term).map(move |name| (name.to_owned(), format!("{name}: {meaning}")))
    });
    named.collect()
});

/// “term: meaning”; `None` if the glossary does not have the term.
///
/// A term with several names, such as “rejected, unschedulable”, is found by each of them.
#[must_use]
pub fn definition(term: &str) -> Option<&'static str> {
    DEFINITIONS.get(term).map(String::as_str)
}

/// What a title, a label or a figure means: a text of its own, a term of the glossary, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meaning {
    /// What the glossary does not say; may be empty.
    own: &'static str,
    /// The term; may be empty.
    term: &'static str,
}

impl Meaning {
    /// A text that no term of the glossary says.
    #[must_use]
    pub const fn own(text: &'static str) -> Self {
        Self { own: text, term: "" }
    }

    /// The meaning of a term.
    #[must_use]
    pub const fn term(term: &'static str) -> Self {
        Self { own: "", term }
    }

    /// The text, and below it the meaning of a term.
    #[must_use]
    pub const fn and_term(self, term: &'static str) -> Self {
        Self { term, ..self }
    }

    /// Whether the glossary has its term, if it has one.
    #[must_use]
    pub fn is_known(self) -> bool {
        self.term.is_empty() || definition(self.term).is_some()
    }

    /// As the text of a tooltip.
    #[must_use]
    pub fn text(self) -> String {
        debug_assert!(self.is_known(), "the glossary has no term “{}”", self.term);
        below(self.own, self.term)
    }
}

/// A text, and below it the meaning of a term.
#[must_use]
pub fn below(text: &str, term: &str) -> String {
    let lines = [text, definition(term).unwrap_or_default()];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The rows of all tables: term and meaning, as Markdown.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    GLOSSARY.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" |").map(str::trim);
        let (term, symbol, meaning) = (cells.next()?, cells.next()?, cells.next()?);
        (symbol != "symbol").then_some((term, meaning))
    })
}

/// The names of a term: all of the cell, and each between commas.
fn names(term: &str) -> impl Iterator<Item = &str> {
    let parts = term.split(", ").filter(move |part| *part != term);
    std::iter::once(term).chain(parts)
}

/// A cell without marks of code and with the labels of its links.
fn plain(cell: &str) -> String {
    let mut plain = String::with_capacity(cell.len());
    let mut rest = cell;
    while let Some((before, label, after)) = link(rest) {
        plain.push_str(before);
        plain.push_str(label);
        rest = after;
    }
    plain.push_str(rest);
    plain.replace('`', "").replace("\\|", "|")
}

/// What is before the first link, its label, and what is after it.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, target) = text.split_once("](")?;
    let (before, label) = before.rsplit_once('[')?;
    let (_, after) = target.split_once(')')?;
    Some((before, label, after))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_term_is_found_by_each_of_its_names() {
        for name in ["rejected, unschedulable", "rejected", "unschedulable"] {
            assert_eq!(definition(name).expect(name), format!("{name}: a task that no node can take"));
        }
        assert_eq!(definition("no such term"), None);
        assert_eq!(definition("term").expect("one of placement").split(':').next(), Some("term"));
    }

    #[test]
    fn every_name_belongs_to_one_term() {
        let mut seen = BTreeSet::new();
        for (term, meaning) in rows() {
            assert!(!meaning.is_empty(), "{term} has no meaning");
            for name in names(term) {
                assert!(seen.insert(name), "the glossary has “{name}” twice");
            }
        }
        assert!(seen.len() > 300, "{} names", seen.len());
    }

    #[test]
    fn a_meaning_has_no_marks_of_its_document() {
        assert_eq!(plain("a [b c](#d) of `e_f`, \\|g\\|"), "a b c of e_f, |g|");
        for text in DEFINITIONS.values() {
            assert!(!text.contains(['`', '[', '\\']), "{text}");
        }
    }

    #[test]
    fn a_tooltip_is_the_own_text_above_the_line_of_the_glossary() {
        let term = "wait: time from arrival to start";
        assert_eq!(Meaning::term("wait").text(), term);
        assert_eq!(Meaning::own("Mean of all tasks").text(), "Mean of all tasks");
        assert_eq!(Meaning::own("Mean of all tasks").and_term("wait").text(), format!("Mean of all tasks\n{term}"));
        assert!(!Meaning::term("no such term").is_known());
    }
}
