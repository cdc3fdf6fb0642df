//! Text in blocks, written for a terminal or as Markdown.

use clap::ValueEnum;
use crossover_quantity::text::{Table, escaped, one_line};

/// Format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Table for a terminal
    Table,
    /// For spreadsheets and programs: one line per measurement, in base units
    Csv,
    /// Tables for documents
    Markdown,
}

/// Blocks of text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// Names and values.
    Facts(Vec<(String, String)>),
    /// Rows and columns.
    Table(Table),
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
            Block::Table(table) => table.aligned(),
        });
        // No blank line after a heading.
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
            Block::Table(table) => table.markdown(),
        });
        blocks.collect::<Vec<_>>().join("\n")
    }
}

fn facts_text(facts: &[(String, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines = facts.iter().map(|(name, value)| format!("{name:<width$}  {}\n", one_line(value)));
    lines.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use crossover_quantity::text::Column;

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

group_by␇
─────────
name  value  remark
µ|a       1
b     1,234  two lines ␛[2J
";
        assert_eq!(document().text(), expected);
    }

    #[test]
    fn markdown_escapes_what_it_would_interpret() {
        let expected = "\
- **CPU:** one
- **Machine:** two

## group\\_by␇

| name | value | remark |
| :-- | --: | :-- |
| µ\\|a | 1 |  |
| b | 1,234 | two lines ␛\\[2J |
";
        assert_eq!(document().markdown(), expected);
    }
}
