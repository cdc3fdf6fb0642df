//! Tables of text: aligned for a terminal, or as Markdown.

use std::fmt::Write as _;

/// On which side a column's cells line up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names and sentences.
    Left,
    /// Numbers.
    Right,
}

/// A table: titled columns, and a cell of each in every row.
pub(crate) struct Columns {
    titles: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub(crate) fn new<T: Into<String>>(titles: impl IntoIterator<Item = (T, Align)>) -> Self {
        let titles = titles.into_iter().map(|(title, align)| (title.into(), align)).collect();
        Self { titles, rows: Vec::new() }
    }

    /// Adds a row, one cell for each column.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The table with every column as wide as its widest cell, counted in characters.
    pub(crate) fn aligned(&self) -> String {
        let titles: Vec<String> = self.titles.iter().map(|(title, _)| title.clone()).collect();
        let lines: Vec<Vec<String>> = std::iter::once(&titles)
            .chain(&self.rows)
            .map(|row| row.iter().map(|cell| one_line(cell)).collect())
            .collect();
        let widths: Vec<usize> = (0..self.titles.len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for line in &lines {
            let mut aligned = String::new();
            for ((cell, width), (_, align)) in line.iter().zip(&widths).zip(&self.titles) {
                _ = match align {
                    Align::Left => write!(aligned, "{cell:<width$}  "),
                    Align::Right => write!(aligned, "{cell:>width$}  "),
                };
            }
            text += aligned.trim_end();
            text.push('\n');
        }
        text
    }

    /// The table as Markdown (the table extension of GitHub Flavored Markdown).
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        let mut text = line(&mut self.titles.iter().map(|(title, _)| escaped(title)));
        text += &line(&mut self.titles.iter().map(|(_, align)| match align {
            Align::Left => ":--".to_owned(),
            Align::Right => "--:".to_owned(),
        }));
        for row in &self.rows {
            text += &line(&mut row.iter().map(|cell| escaped(cell)));
        }
        text
    }
}

/// The text without control characters, so that no name from a file can break a line or steer the terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text on one line, with what Markdown would take for markup escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if "\\`*<|[".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns {
        let mut table = Columns::new([("Name", Align::Left), ("Time", Align::Right)]);
        table.push(vec!["Überlauf".to_owned(), "5 ms".to_owned()]);
        table.push(vec!["a|b\n\u{1b}[31m".to_owned(), "12.5 ms".to_owned()]);
        table
    }

    #[test]
    fn columns_line_up_by_characters_and_no_cell_leaves_its_line() {
        let expected = "Name          Time\nÜberlauf      5 ms\na|b  [31m  12.5 ms\n";
        assert_eq!(table().aligned(), expected);
    }

    #[test]
    fn a_name_cannot_break_a_markdown_table() {
        let expected = "| Name | Time |\n| :-- | --: |\n| Überlauf | 5 ms |\n| a\\|b  \\[31m | 12.5 ms |\n";
        assert_eq!(table().markdown(), expected);
    }
}
