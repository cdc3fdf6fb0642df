//! JSON files with one long list: each entry is visited and dropped, so that only one is in memory beside the text.

use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer as _, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::error::{self, TraceError};
use crate::json_value::Entry;

/// Largest file: 10,000 pods take 150 MB.
const LARGEST_BYTES: u64 = 512 << 20;

/// How reading ended.
pub(crate) struct Ended {
    /// Entries of the list.
    pub(crate) entries: usize,
    /// The problem after the last entry, with line and column; none if the file is complete.
    pub(crate) broken: Option<String>,
}

/// Visits every entry of a list, by its number from 1, until the file ends or is damaged.
///
/// # Errors
/// Unreadable, or damaged before the first entry, or no such list. `expected` ends the sentence.
pub(crate) fn each(
    path: &Path,
    list: &'static str,
    expected: &str,
    mut visit: impl FnMut(usize, Value),
) -> Result<Ended, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let mut entries = 0;
    let mut is_there = false;
    let mut count = |entry| {
        entries += 1;
        visit(entries, entry);
    };
    let mut parser = serde_json::Deserializer::from_str(&text);
    let seen = parser.deserialize_map(Top { list, is_there: &mut is_there, visit: &mut count });
    let outcome = seen.and_then(|()| parser.end());
    match outcome {
        Ok(()) if !is_there => {
            Err(TraceError::unusable(path, format!("no list called “{list}” in it; expected {expected}")))
        }
        Ok(()) => Ok(Ended { entries, broken: None }),
        Err(problem) if entries > 0 => Ok(Ended { entries, broken: Some(problem.to_string()) }),
        Err(problem) => Err(TraceError::unusable(path, format!("{problem}; expected {expected}"))),
    }
}

/// The outermost object.
struct Top<'a> {
    list: &'static str,
    is_there: &'a mut bool,
    visit: &'a mut dyn FnMut(Value),
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a list called “{}”", self.list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key != self.list {
                map.next_value::<IgnoredAny>()?;
            } else if *self.is_there {
                return Err(A::Error::custom(format!("a second list called “{key}”")));
            } else {
                *self.is_there = true;
                map.next_value_seed(List(&mut *self.visit))?;
            }
        }
        Ok(())
    }
}

/// The list.
struct List<'a>(&'a mut dyn FnMut(Value));

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element_seed(&mut Entry::new())? {
            (self.0)(entry);
        }
        Ok(())
    }
}
