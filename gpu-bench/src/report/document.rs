//! Text in blocks, written for a terminal or as Markdown.

use clap::ValueEnum;

/// What a result is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, in a terminal
    Table,
    /// For spreadsheets and programs: one line per measurement, base units
    Csv,
    /// For pasting into a text
    Markdown,
}

/// Blocks of text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The heading of what follows.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// What is called what.
    Facts(Vec<(String, String)>),
    /// Rows and columns.
    Table(Table),
}

/// Rows under a header.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Names of the columns; those of numbers are aligned to the right.
    pub columns: Vec<Column>,
    /// Cells, as many per row as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// What stands above.
    pub name: &'static str,
    /// Whether its cells are numbers.
    pub numeric: bool,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub const fn text(name: &'static str) -> Self {
        Self { name, numeric: false }
    }

    /// A column of numbers.
    #[must_use]
    pub const fn number(name: &'static str) -> Self {
        Self { name, numeric: true }
    }
}

impl Table {
    /// The same table without the columns in which no row says anything.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        let said: Vec<bool> =
            (0..self.columns.len()).map(|column| self.rows.iter().any(|row| !row[column].is_empty())).collect();
        let kept = |index: usize| said[index];
        let keep =
            |row: Vec<String>| row.into_iter().enumerate().filter(|(index, _)| kept(*index)).map(|(_, cell)| cell);
        Self {
            columns: self.columns.into_iter().enumerate().filter(|(index, _)| kept(*index)).map(|(_, c)| c).collect(),
            rows: self.rows.into_iter().map(|row| keep(row).collect()).collect(),
        }
    }
}

impl Document {
    /// Appends a block.
    pub fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// For a terminal: columns side by side.
    #[must_use]
    pub fn text(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Heading(text) => format!("{}\n{}\n", one_line(text), "─".repeat(text.chars().count())),
            Block::Paragraph(text) => one_line(text) + "\n",
            Block::Facts(facts) => facts_text(facts),
            Block::Table(table) => table_text(table),
        });
        // A heading stands right above what it names.
        let mut text = String::new();
        let mut after_heading = true;
        for (block, written) in self.blocks.iter().zip(blocks) {
            if !after_heading {
                text.push('\n');
            }
            text += &written;
            after_heading = matches!(block, Block::Heading(_));
        }
        text
    }

    /// As Markdown with the tables of GitHub.
    #[must_use]
    pub fn markdown(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Heading(text) => format!("## {}\n", escaped(text)),
            Block::Paragraph(text) => format!("{}\n", escaped(text)),
            Block::Facts(facts) => {
                let lines = facts.iter().map(|(name, value)| format!("- **{}:** {}\n", escaped(name), escaped(value)));
                lines.collect::<Vec<_>>().concat()
            }
            Block::Table(table) => table_markdown(table),
        });
        blocks.collect::<Vec<_>>().join("\n")
    }
}

fn facts_text(facts: &[(String, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines = facts.iter().map(|(name, value)| format!("{name:<width$}  {}\n", one_line(value)));
    lines.collect::<Vec<_>>().concat()
}

fn table_text(table: &Table) -> String {
    let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let widths: Vec<usize> = table
        .columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let cells = rows.iter().map(|row| row[index].chars().count());
            cells.chain([column.name.chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&table.columns).zip(&widths).map(|((cell, column), width)| {
            if column.numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let header = line(&mut table.columns.iter().map(|column| column.name));
    rows.iter().fold(header, |text, row| text + &line(&mut row.iter().map(String::as_str)))
}

fn table_markdown(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns.iter().map(|column| escaped(column.name)).collect());
    text += &line(table.columns.iter().map(|c| if c.numeric { "---:" } else { ":---" }.to_owned()).collect());
    for row in &table.rows {
        text += &line(row.iter().map(|cell| escaped(cell)).collect());
    }
    text
}

/// Text that Markdown shows as it is; names and reasons come from drivers and files.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '[' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Text without line breaks or codes that would move a terminal's cursor.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let table = Table {
            columns: vec![Column::text("name"), Column::number("value"), Column::text("remark")],
            rows: vec![
                vec!["µ|a".to_owned(), "1".to_owned(), String::new()],
                vec!["b".to_owned(), "1,234".to_owned(), "two\nlines \u{1b}[2J".to_owned()],
            ],
        };
        let fact = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        Document {
            blocks: vec![
                Block::Facts(vec![fact("CPU", "one"), fact("Machine", "two")]),
                Block::Heading("group_by\u{7}".to_owned()),
                Block::Table(table),
            ],
        }
    }

    #[test]
    fn a_terminal_gets_aligned_columns_and_no_control_codes() {
        let expected = "\
CPU      one
Machine  two

group_by\u{20}
─────────
name  value  remark
µ|a       1
b     1,234  two lines  [2J
";
        assert_eq!(document().text(), expected);
    }

    #[test]
    fn markdown_escapes_what_it_would_interpret() {
        let expected = "\
- **CPU:** one
- **Machine:** two

## group\\_by\u{20}

| name | value | remark |
| :--- | ---: | :--- |
| µ\\|a | 1 |  |
| b | 1,234 | two lines  \\[2J |
";
        assert_eq!(document().markdown(), expected);
    }

    #[test]
    fn a_column_that_says_nothing_is_left_out() {
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
