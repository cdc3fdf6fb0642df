//! What a reader of files met and did not use: each name once, with its count.

mod words;

use std::collections::BTreeMap;

use serde::Serialize;

pub use self::words::{suggests_accelerator, suggests_time};

/// Characters of a name that are kept.
const LONGEST: usize = 80;
/// Most names that are kept; further ones are counted.
const MOST: usize = 1_000;
/// Names of a sentence.
const NAMED: usize = 8;

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnreadKind {
    /// A resource that nodes offer or tasks request.
    Resource,
    /// A label of a node, or one by which a task selects nodes.
    Label,
    /// An annotation of a node or of a task.
    Annotation,
    /// An environment variable of a task.
    Variable,
    /// A claim for devices.
    Claim,
    /// A metric of time of an operator, a query or a kernel.
    Time,
    /// A setting of an engine's plugin or of its accelerators.
    Setting,
    /// A column of a table, or a field of a record.
    Column,
}

impl UnreadKind {
    /// Singular and plural.
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::Resource => ["resource", "resources"],
            Self::Label => ["label", "labels"],
            Self::Annotation => ["annotation", "annotations"],
            Self::Variable => ["environment variable", "environment variables"],
            Self::Claim => ["device claim", "device claims"],
            Self::Time => ["time metric", "time metrics"],
            Self::Setting => ["setting", "settings"],
            Self::Column => ["column", "columns"],
        }
    }
}

/// A name that was not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadName<'a> {
    /// What it is.
    pub kind: UnreadKind,
    /// The name.
    pub name: &'a str,
    /// How often it was met.
    pub count: usize,
    /// Where it was met first, such as "node n1".
    pub first: &'a str,
}

/// All names that were not used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// How often, and where first.
    names: BTreeMap<(UnreadKind, String), (usize, String)>,
    /// Occurrences of names beyond the limit.
    more: usize,
}

impl Unread {
    /// Adds an occurrence of a name. `place`: where it stands, such as "node n1".
    pub fn add(&mut self, kind: UnreadKind, name: &str, place: &str) {
        self.add_several(kind, name, place, 1);
    }

    /// Adds several occurrences of a name. `place`: where the first one stands.
    pub fn add_several(&mut self, kind: UnreadKind, name: &str, place: &str, occurrences: usize) {
        let cut = |text: &str| -> String { text.chars().take(LONGEST).collect() };
        let key = (kind, cut(name));
        if let Some((count, _)) = self.names.get_mut(&key) {
            *count += occurrences;
        } else if self.names.len() < MOST {
            self.names.insert(key, (occurrences, cut(place)));
        } else {
            self.more += occurrences;
        }
    }

    /// Adds all occurrences of another list, whose first places come later.
    pub fn merge(&mut self, other: &Self) {
        for name in other.names() {
            self.add_several(name.kind, name.name, name.first, name.count);
        }
        self.more += other.more;
    }

    /// Whether everything was used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Every name once, by kind and name.
    pub fn names(&self) -> impl Iterator<Item = UnreadName<'_>> {
        self.names.iter().map(|((kind, name), (count, first))| UnreadName { kind: *kind, name, count: *count, first })
    }

    /// All names in sentences: "not used: resources example.com/npu (2, first in node n1), …".
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let names: Vec<UnreadName<'_>> = self.names().collect();
        for of_kind in names.chunk_by(|a, b| a.kind == b.kind) {
            for some in of_kind.chunks(NAMED) {
                let [one, several] = some[0].kind.words();
                let what = if some.len() == 1 { one } else { several };
                let listed = some.iter().map(|name| format!("{} ({}, first in {})", name.name, name.count, name.first));
                sentences.push(format!("not used: {what} {}", listed.collect::<Vec<_>>().join(", ")));
            }
        }
        if self.more > 0 {
            sentences.push(format!("not used: {} more occurrences of other names", self.more));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_in_a_sentence_once_with_its_count() {
        let mut unread = Unread::default();
        assert!(unread.is_empty() && unread.sentences().is_empty());
        for place in ["node a", "node b", "pod p"] {
            unread.add(UnreadKind::Resource, "example.com/npu", place);
        }
        unread.add(UnreadKind::Label, "example.com/npu", "node a");
        let expected = [
            "not used: resource example.com/npu (3, first in node a)",
            "not used: label example.com/npu (1, first in node a)",
        ];
        assert_eq!(unread.sentences(), expected);
    }

    #[test]
    fn names_beyond_the_limit_are_counted_and_sentences_stay_short() {
        let mut unread = Unread::default();
        for number in 0..MOST + 5 {
            unread.add(UnreadKind::Resource, &format!("{}{number:04}", "x".repeat(LONGEST - 4)), &"n".repeat(500));
        }
        assert_eq!(unread.names().count(), MOST);
        let sentences = unread.sentences();
        assert!(sentences.iter().all(|sentence| sentence.len() < 2_000));
        assert_eq!(sentences.last().map(String::as_str), Some("not used: 5 more occurrences of other names"));
    }
}
