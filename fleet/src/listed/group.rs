//! Groups of applications by user, queue or name pattern.

use std::collections::BTreeMap;

use super::row::Row;
use super::total::Total;
use crate::blocker::Blocker;

/// The key of a grouping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// User who ran them.
    User,
    /// Queue in which they ran.
    Queue,
    /// Their names without numbers.
    Pattern,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Queue, Self::Pattern];

    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Queue => "queue",
            Self::Pattern => "name pattern",
        }
    }

    fn name(self, row: &Row) -> &str {
        match self {
            Self::User => &row.user,
            Self::Queue => &row.queue,
            Self::Pattern => &row.pattern,
        }
    }
}

/// A group of applications.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Value of the key; empty if the logs lack it.
    pub name: String,
    /// Their sum.
    pub total: Total,
    /// The most frequent blocker.
    pub blocker: Option<Blocker>,
    /// Their places among all rows, in the order of the list.
    pub rows: Vec<usize>,
}

/// Groups rows, which keep their order.
pub(super) fn groups(all: &[Row], shown: &[usize], by: By) -> Vec<Group> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for at in shown {
        rows.entry(by.name(&all[*at])).or_default().push(*at);
    }
    let group = |(name, rows): (&str, Vec<usize>)| {
        let of = || rows.iter().map(|at| &all[*at]);
        let mut blockers: BTreeMap<Blocker, usize> = BTreeMap::new();
        for blocker in of().filter_map(Row::blocker) {
            *blockers.entry(blocker).or_default() += 1;
        }
        let most = blockers.iter().max_by_key(|(blocker, count)| (**count, std::cmp::Reverse(**blocker)));
        let blocker = most.map(|(blocker, _)| *blocker);
        Group { name: name.to_owned(), total: Total::of(of().map(Into::into)), blocker, rows: rows.clone() }
    };
    rows.into_iter().map(group).collect()
}
