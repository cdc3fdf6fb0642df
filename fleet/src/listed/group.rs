//! Applications of one user, queue or name pattern together.

use std::collections::BTreeMap;

use super::row::Row;
use crate::application::{Blocker, Range, Verdict};
use crate::spread::Sum;

/// What the applications of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// Who ran them.
    User,
    /// Where they ran.
    Queue,
    /// Their names without numbers.
    Pattern,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Queue, Self::Pattern];

    /// In words.
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

/// What some applications come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// How many they are.
    pub applications: usize,
    /// Their time today, seconds.
    pub seconds: f64,
    /// Those of them that are to move.
    pub moving: usize,
    /// Their time once those have moved, seconds.
    pub moved: Range,
    /// Dollars that this saves; `None` where a price is missing, or nothing moves.
    pub saved_usd: Option<f64>,
}

impl Total {
    /// What moving those saves that are to move, seconds.
    #[must_use]
    pub fn saved(&self) -> Range {
        let Range { value, low, high } = self.moved;
        Range { value: self.seconds - value, low: self.seconds - high, high: self.seconds - low }
    }

    pub(super) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let (mut there, mut staying, mut usd) = (Sum::default(), 0.0, Some(0.0));
        let (mut applications, mut seconds, mut moving) = (0, 0.0, 0);
        for row in rows {
            applications += 1;
            let today = row.seconds.unwrap_or(0.0);
            seconds += today;
            let Some(gpu) = row.gpu.filter(|_| row.verdict == Verdict::Move && row.seconds.is_some()) else {
                staying += today;
                continue;
            };
            moving += 1;
            staying += row.staying_seconds;
            let deviations = row.deviations.iter().map(|(query, deviation)| (query.as_str(), *deviation));
            there.add_all(gpu.value - row.staying_seconds, deviations);
            usd = usd.zip(row.saved_usd).map(|(sum, saved)| sum + saved);
        }
        let saved_usd = usd.filter(|_| moving > 0);
        Self { applications, seconds, moving, moved: there.range(staying), saved_usd }
    }
}

/// Some applications together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// What they have in common; empty: the logs say nothing.
    pub name: String,
    /// What they come to.
    pub total: Total,
    /// What keeps most of the others from moving.
    pub blocker: Option<Blocker>,
    /// Their places among all rows, in the order of the list.
    pub rows: Vec<usize>,
}

/// Puts rows together, which keep their order.
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
        Group { name: name.to_owned(), total: Total::of(of()), blocker, rows: rows.clone() }
    };
    rows.into_iter().map(group).collect()
}
