//! Sorting of applications and groups.

use std::cmp::Ordering;

use super::group::Group;
use super::row::Row;
use crate::application::Range;

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// Name.
    Name,
    /// User.
    User,
    /// Queue.
    Queue,
    /// Time today.
    Today,
    /// The option that the following columns are of.
    Option,
    /// Predicted time with the option.
    OptionTime,
    /// 90 % interval of that, sorted by the ratio of its ends.
    Interval,
    /// Saved time.
    Saves,
    /// Saved cost.
    SavesUsd,
    /// Likelihood of being cheaper within the time limit.
    Likelihood,
    /// Verdict; of a group: the number to move.
    Verdict,
    /// Blockers.
    BlockedBy,
}

impl Column {
    /// All of them, from left to right.
    pub const ALL: [Self; 12] = [
        Self::Name,
        Self::User,
        Self::Queue,
        Self::Today,
        Self::Option,
        Self::OptionTime,
        Self::Interval,
        Self::Saves,
        Self::SavesUsd,
        Self::Likelihood,
        Self::Verdict,
        Self::BlockedBy,
    ];

    /// Whether its cells are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        !matches!(self, Self::Name | Self::User | Self::Queue | Self::Option | Self::Verdict | Self::BlockedBy)
    }
}

/// Sort order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// By which column.
    pub column: Column,
    /// Whether the largest comes first.
    pub is_descending: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self { column: Column::Saves, is_descending: true }
    }
}

impl Order {
    /// By this column; the same column again reverses the order. Numbers begin with the largest.
    #[must_use]
    pub fn by(self, column: Column) -> Self {
        let is_descending = if self.column == column { !self.is_descending } else { column.is_number() };
        Self { column, is_descending }
    }

    fn directed(self, order: Ordering) -> Ordering {
        if self.is_descending { order.reverse() } else { order }
    }

    /// Unknown values come last in both directions.
    fn numbers(self, a: Option<f64>, b: Option<f64>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => self.directed(a.total_cmp(&b)),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }

    /// Empty texts come last in both directions.
    fn texts(self, a: &str, b: &str) -> Ordering {
        if a.is_empty() == b.is_empty() { self.directed(a.cmp(b)) } else { a.is_empty().cmp(&b.is_empty()) }
    }

    /// The order of two applications; ties by id.
    pub(super) fn rows(self, a: &Row, b: &Row) -> Ordering {
        let order = match self.column {
            Column::Name => self.texts(&a.name, &b.name),
            Column::User => self.texts(&a.user, &b.user),
            Column::Queue => self.texts(&a.queue, &b.queue),
            Column::Today => self.numbers(a.seconds, b.seconds),
            Column::Option => self.texts(&a.option, &b.option),
            Column::OptionTime => {
                self.numbers(a.option_time.map(|time| time.value), b.option_time.map(|time| time.value))
            }
            Column::Interval => self.numbers(width(a.option_time), width(b.option_time)),
            Column::Saves => self.numbers(a.saved_seconds, b.saved_seconds),
            Column::SavesUsd => self.numbers(a.saved_usd, b.saved_usd),
            Column::Likelihood => self.numbers(a.likelihood, b.likelihood),
            Column::Verdict => self.directed(a.verdict.cmp(&b.verdict)),
            Column::BlockedBy => {
                let label = |row: &Row| row.blockers().first().map_or("", |blocker| blocker.label());
                self.texts(label(a), label(b))
            }
        };
        order.then_with(|| a.id.cmp(&b.id))
    }

    /// The order of two groups; ties by name.
    pub(super) fn groups(self, a: &Group, b: &Group) -> Ordering {
        let (one, other) = (&a.total, &b.total);
        let order = match self.column {
            Column::Name | Column::User | Column::Queue | Column::Option => self.texts(&a.name, &b.name),
            Column::Today => self.numbers(Some(one.seconds), Some(other.seconds)),
            Column::OptionTime => self.numbers(Some(one.moved.value), Some(other.moved.value)),
            Column::Interval => self.numbers(width(Some(one.moved)), width(Some(other.moved))),
            Column::Saves => self.numbers(Some(one.saved().value), Some(other.saved().value)),
            Column::SavesUsd => self.numbers(one.saved_usd, other.saved_usd),
            Column::Likelihood | Column::Verdict => self.directed(one.moving.cmp(&other.moving)),
            Column::BlockedBy => {
                let label = |group: &Group| group.blocker.map_or("", |blocker| blocker.label());
                self.texts(label(a), label(b))
            }
        };
        order.then_with(|| a.name.cmp(&b.name))
    }
}

fn width(range: Option<Range>) -> Option<f64> {
    range.map(|range| range.high / range.low).filter(|width| width.is_finite())
}
