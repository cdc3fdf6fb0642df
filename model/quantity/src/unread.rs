//! What a reader of files met and did not use: each name once, with its count.

mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

pub use self::words::{suggests_accelerator, suggests_time};
use crate::unit::Unit;

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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnreadName<'a> {
    /// What it is.
    pub kind: UnreadKind,
    /// The name.
    pub name: &'a str,
    /// How often it was met.
    pub count: usize,
    /// Where it was met first, such as "node n1".
    pub first: &'a str,
    /// The sum of a time, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

impl UnreadName<'_> {
    /// The name with its count, its sum and its first place: "spill time (3, 12 s in total, first in node 2)".
    #[must_use]
    pub fn counted(&self) -> String {
        let sum = self.seconds.map(|seconds| format!("{} in total, ", Unit::Seconds.format(seconds)));
        format!("{} ({}, {}first in {})", self.name, self.count, sum.unwrap_or_default(), self.first)
    }
}

/// The occurrences of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Occurrences {
    count: usize,
    /// Where the first one was.
    first: String,
    /// Their sum, of a time that was added with its duration.
    time: Option<Duration>,
}

/// All names that were not used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    names: BTreeMap<(UnreadKind, String), Occurrences>,
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
        self.add_all(kind, name, place, occurrences, None);
    }

    /// Adds several occurrences of a time with their sum. `place`: where the first one stands.
    pub fn add_time(&mut self, name: &str, place: &str, occurrences: usize, sum: Duration) {
        self.add_all(UnreadKind::Time, name, place, occurrences, Some(sum));
    }

    fn add_all(&mut self, kind: UnreadKind, name: &str, place: &str, count: usize, time: Option<Duration>) {
        let cut = |text: &str| -> String { text.chars().take(LONGEST).collect() };
        let key = (kind, cut(name));
        if let Some(found) = self.names.get_mut(&key) {
            found.count += count;
            // A sum without some of the occurrences would be too small.
            found.time = found.time.zip(time).map(|(sum, more)| sum.saturating_add(more));
        } else if self.names.len() < MOST {
            self.names.insert(key, Occurrences { count, first: cut(place), time });
        } else {
            self.more += count;
        }
    }

    /// Adds all occurrences of another list, whose first places come later.
    pub fn merge(&mut self, other: &Self) {
        for ((kind, name), Occurrences { count, first, time }) in &other.names {
            self.add_all(*kind, name, first, *count, *time);
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
        self.names.iter().map(|((kind, name), Occurrences { count, first, time })| UnreadName {
            kind: *kind,
            name,
            count: *count,
            first,
            seconds: time.map(|time| time.as_secs_f64()),
        })
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
                let listed: Vec<String> = some.iter().map(UnreadName::counted).collect();
                sentences.push(format!("not used: {what} {}", listed.join(", ")));
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
    fn a_time_has_the_sum_of_its_occurrences_unless_one_lacks_it() {
        let mut unread = Unread::default();
        unread.add_time("start time", "stage 0", 3, Duration::from_millis(1_500));
        unread.add_time("start time", "stage 1", 1, Duration::from_millis(500));
        assert_eq!(unread.sentences(), ["not used: time metric start time (4, 2 s in total, first in stage 0)"]);
        let mut merged = Unread::default();
        merged.merge(&unread);
        assert_eq!(merged, unread);
        merged.add(UnreadKind::Time, "start time", "stage 2");
        assert_eq!(merged.sentences(), ["not used: time metric start time (5, first in stage 0)"]);
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
