//! Tables of text: aligned for a terminal, or as Markdown.

use std::borrow::Cow;

use super::{escaped, one_line};

/// Largest width of a column that one cell can cause, in characters.
const WIDEST: usize = 300;

/// On which side a column's cells line up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Names and sentences.
    Left,
    /// Numbers.
    Right,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Title.
    pub title: Cow<'static, str>,
    /// Where its cells line up.
    pub align: Align,
}

impl Column {
    /// A column of names or sentences.
    #[must_use]
    pub const fn text(title: &'static str) -> Self {
        Self { title: Cow::Borrowed(title), align: Align::Left }
    }

    /// A column of numbers.
    #[must_use]
    pub const fn number(title: &'static str) -> Self {
        Self { title: Cow::Borrowed(title), align: Align::Right }
    }
}

/// Columns, and a cell of each in every row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The rows, as many cells in each as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The same table without empty columns.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        let filled: Vec<bool> =
            (0..self.columns.len()).map(|column| self.rows.iter().any(|row| !row[column].is_empty())).collect();
        let keep = |row: Vec<String>| {
            row.into_iter().zip(&filled).filter(|(_, filled)| **filled).map(|(cell, _)| cell).collect()
        };
        Self {
            columns: self
                .columns
                .into_iter()
                .zip(&filled)
                .filter(|(_, filled)| **filled)
                .map(|(column, _)| column)
                .collect(),
            rows: self.rows.into_iter().map(keep).collect(),
        }
    }

    /// For a terminal: every column as wide as its widest cell, counted in characters, two spaces between them. Cells of
    /// more than some hundred characters stand out of their column.
    #[must_use]
    pub fn aligned(&self) -> String {
        let titles = self.columns.iter().map(|column| one_line(&column.title)).collect();
        let cells = self.rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect());
        let lines: Vec<Vec<String>> = std::iter::once(titles).chain(cells).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0).min(WIDEST))
            .collect();
        let aligned = lines.iter().map(|line| {
            let padded =
                line.iter().zip(&self.columns).zip(&widths).map(|((cell, column), width)| match column.align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        });
        aligned.collect()
    }

    /// As Markdown (the table extension of GitHub Flavored Markdown).
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rule = |column: &Column| match column.align {
            Align::Left => ":--".to_owned(),
            Align::Right => "--:".to_owned(),
        };
        let mut text = line(self.columns.iter().map(|column| escaped(&column.title)).collect());
        text += &line(self.columns.iter().map(rule).collect());
        for row in &self.rows {
            text += &line(row.iter().map(|cell| escaped(cell)).collect());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            columns: vec![Column::text("Name"), Column::number("Time")],
            rows: vec![
                vec!["Überlauf".to_owned(), "5 ms".to_owned()],
                vec!["a|b\n\u{1b}[31m".to_owned(), "12.5 ms".to_owned()],
            ],
        }
    }

    #[test]
    fn columns_line_up_by_characters_and_no_cell_leaves_its_line() {
        let expected = "Name          Time\nÜberlauf      5 ms\na|b ␛[31m  12.5 ms\n";
        assert_eq!(table().aligned(), expected);
    }

    #[test]
    fn a_cell_of_any_length_is_written_and_widens_no_other() {
        // More than the formatter of the standard library can pad to.
        let long = "x".repeat(70_000);
        let table =
            Table { rows: vec![vec![long.clone(), "1".to_owned()], vec!["y".to_owned(), "2".to_owned()]], ..table() };
        let aligned = table.aligned();
        let lines: Vec<&str> = aligned.lines().collect();
        assert_eq!(lines[1], format!("{long}     1"));
        assert_eq!(lines[2].chars().count(), WIDEST + 2 + "Time".len());
    }

    #[test]
    fn a_name_cannot_break_a_markdown_table() {
        let expected = "| Name | Time |\n| :-- | --: |\n| Überlauf | 5 ms |\n| a\\|b ␛\\[31m | 12.5 ms |\n";
        assert_eq!(table().markdown(), expected);
    }

    #[test]
    fn an_empty_column_is_left_out() {
        let table = Table {
            columns: vec![Column::text("a"), Column::text("b"), Column::text("c")],
            rows: vec![
                vec!["1".to_owned(), String::new(), String::new()],
                vec![String::new(), String::new(), "2".to_owned()],
            ],
        };
        let kept = table.without_empty_columns();
        assert_eq!(kept.columns, [Column::text("a"), Column::text("c")]);
        assert_eq!(kept.rows, [["1", ""], ["", "2"]]);
    }
}
