//! Columns of tables that a reader does not use although their names speak of a time or of an accelerator.

use std::path::Path;

use crossover_quantity::unread::{Unread, UnreadKind, suggests_accelerator, suggests_time};

/// Columns that are not used, with how many rows have a value in them.
#[derive(Debug, Default)]
pub(crate) struct UnreadColumns {
    /// Place in a row, name, and count.
    columns: Vec<(usize, String, usize)>,
}

impl UnreadColumns {
    /// The columns of a header that speak of a time or of an accelerator. `known`: names in small letters, without the unit in
    /// brackets, that are used or that say the same as a used one.
    pub(crate) fn of(header: &[String], known: &[&str]) -> Self {
        Self::among(header, known, |name| suggests_time(name) || suggests_accelerator(name))
    }

    /// The columns of a header that speak of a time.
    pub(crate) fn of_time(header: &[String], known: &[&str]) -> Self {
        Self::among(header, known, suggests_time)
    }

    /// These columns, by place and name.
    pub(crate) fn at(columns: impl Iterator<Item = (usize, String)>) -> Self {
        Self { columns: columns.map(|(place, name)| (place, name, 0)).collect() }
    }

    fn among(header: &[String], known: &[&str], is_of_interest: impl Fn(&str) -> bool) -> Self {
        let is_unread =
            |name: &str| is_of_interest(name) && !known.contains(&without_unit(name).to_lowercase().as_str());
        Self::at(
            header.iter().enumerate().filter(|(_, name)| is_unread(name)).map(|(place, name)| (place, name.clone())),
        )
    }

    /// Counts the values of a row of texts.
    pub(crate) fn count_row(&mut self, row: &[String]) {
        self.count(|place| row.get(place).map_or("", String::as_str));
    }

    /// Counts the values of a row; `field` gives the text at a place.
    pub(crate) fn count<'a>(&mut self, field: impl Fn(usize) -> &'a str) {
        for (place, _, count) in &mut self.columns {
            *count += usize::from(!field(*place).is_empty());
        }
    }

    /// Reports the columns that have values; `place`: the table, such as "a.csv".
    pub(crate) fn report(&self, place: &str, unread: &mut Unread) {
        for (_, name, count) in self.columns.iter().filter(|(.., count)| *count > 0) {
            unread.add_several(UnreadKind::Column, name.trim(), place, *count);
        }
    }
}

/// A name without the unit behind it: "Duration" of "Duration (ns)" and of "Duration [ns]".
fn without_unit(name: &str) -> &str {
    name.find(['(', '[']).map_or(name, |end| &name[..end]).trim()
}

/// Name of a file for a message.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_time_and_accelerators_are_counted_and_known_ones_are_not() {
        let header = ["job", "Duration (s)", "gpu_type", "queue time [ms]", "gpu_hours", "colour"].map(str::to_owned);
        let mut columns = UnreadColumns::of(&header, &["duration"]);
        for row in [["1", "2", "T4", "5", "", "red"], ["2", "2", "", "7", "", ""]] {
            columns.count(|place| row[place]);
        }
        let mut unread = Unread::default();
        columns.report("a.csv", &mut unread);
        let named: Vec<_> = unread.names().map(|name| (name.name, name.count, name.first)).collect();
        assert_eq!(named, [("gpu_type", 1, "a.csv"), ("queue time [ms]", 2, "a.csv")]);
    }
}
