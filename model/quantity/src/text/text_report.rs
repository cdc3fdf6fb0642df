//! A report as blocks, written for a terminal or as Markdown.

use super::{Table, escaped, one_line, paragraph};

/// A report: blocks in their order. Its methods leave out blocks without content.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextReport {
    blocks: Vec<ReportBlock>,
}

/// A part of a report. Its texts are plain: each writer escapes them.
#[derive(Debug, Clone, PartialEq)]
pub enum ReportBlock {
    /// Title of the whole report.
    Title(String),
    /// Heading of a section.
    Heading(String),
    /// A paragraph.
    Paragraph(String),
    /// Labels, each with its value.
    Facts(Vec<(String, String)>),
    /// Rows and columns.
    Table(Table),
    /// A remark on the table above it.
    Footnote(String),
    /// The lines of a command for a terminal.
    Command(Vec<String>),
    /// Lines that begin with the same word, such as “Warning”.
    Remarks(&'static str, Vec<String>),
}

impl TextReport {
    /// A report with a title.
    #[must_use]
    pub fn titled(title: impl Into<String>) -> Self {
        Self { blocks: vec![ReportBlock::Title(title.into())] }
    }

    /// The blocks, in their order.
    #[must_use]
    pub fn blocks(&self) -> &[ReportBlock] {
        &self.blocks
    }

    /// The report without title and remarks, as a part of another, which has its own.
    #[must_use]
    pub fn body(mut self) -> Self {
        self.blocks.retain(|block| !matches!(block, ReportBlock::Title(_) | ReportBlock::Remarks(..)));
        self
    }

    /// Begins a section.
    pub fn heading(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(ReportBlock::Heading(text.into()))
    }

    /// Begins a section with the blocks that a closure appends; nothing where it appends none.
    pub fn section(&mut self, heading: impl Into<String>, append: impl FnOnce(&mut Self) -> &mut Self) -> &mut Self {
        let mut content = Self::default();
        append(&mut content);
        if content.blocks.is_empty() { self } else { self.heading(heading).append(content) }
    }

    /// Appends a paragraph.
    pub fn paragraph(&mut self, text: impl Into<String>) -> &mut Self {
        let text = text.into();
        if text.is_empty() { self } else { self.push(ReportBlock::Paragraph(text)) }
    }

    /// Appends labels with their values; those without a value are left out.
    pub fn facts<L: Into<String>>(&mut self, facts: impl IntoIterator<Item = (L, String)>) -> &mut Self {
        let facts: Vec<(String, String)> = facts
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(label, value)| (label.into(), value))
            .collect();
        if facts.is_empty() { self } else { self.push(ReportBlock::Facts(facts)) }
    }

    /// Appends a table.
    pub fn table(&mut self, table: Table) -> &mut Self {
        if table.rows.is_empty() { self } else { self.push(ReportBlock::Table(table)) }
    }

    /// Appends a remark on the table above, if there is one.
    pub fn footnote(&mut self, text: Option<String>) -> &mut Self {
        match text {
            Some(text) => self.push(ReportBlock::Footnote(text)),
            None => self,
        }
    }

    /// Appends a command for a terminal, a line each.
    pub fn command(&mut self, lines: Vec<String>) -> &mut Self {
        if lines.is_empty() { self } else { self.push(ReportBlock::Command(lines)) }
    }

    /// Appends warnings, a line each.
    pub fn warnings<T: ToString>(&mut self, warnings: impl IntoIterator<Item = T>) -> &mut Self {
        self.remarks("Warning", warnings)
    }

    /// Appends notes, a line each.
    pub fn notes<T: ToString>(&mut self, notes: impl IntoIterator<Item = T>) -> &mut Self {
        self.remarks("Note", notes)
    }

    fn remarks<T: ToString>(&mut self, word: &'static str, lines: impl IntoIterator<Item = T>) -> &mut Self {
        let lines: Vec<String> = lines.into_iter().map(|line| line.to_string()).collect();
        if lines.is_empty() { self } else { self.push(ReportBlock::Remarks(word, lines)) }
    }

    /// Appends all blocks of another report.
    pub fn append(&mut self, mut other: Self) -> &mut Self {
        self.blocks.append(&mut other.blocks);
        self
    }

    fn push(&mut self, block: ReportBlock) -> &mut Self {
        self.blocks.push(block);
        self
    }

    /// For a terminal: facts and columns line up.
    #[must_use]
    pub fn terminal(&self) -> String {
        let mut text = String::new();
        let mut joins = true;
        for block in &self.blocks {
            if !joins && !matches!(block, ReportBlock::Footnote(_)) {
                text.push('\n');
            }
            match block {
                ReportBlock::Title(line)
                | ReportBlock::Heading(line)
                | ReportBlock::Paragraph(line)
                | ReportBlock::Footnote(line) => {
                    text += &one_line(line);
                    text.push('\n');
                }
                ReportBlock::Facts(facts) => text += &aligned(facts),
                ReportBlock::Command(lines) => text += &line_each(lines, |line| one_line(line)),
                ReportBlock::Table(table) => text += &table.aligned(),
                ReportBlock::Remarks(word, lines) => {
                    text += &line_each(lines, |line| format!("{word}: {}", one_line(line)));
                }
            }
            // No empty line between a heading and what it names.
            joins = matches!(block, ReportBlock::Title(_) | ReportBlock::Heading(_));
        }
        text
    }

    /// As Markdown with the tables of GitHub.
    #[must_use]
    pub fn markdown(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            ReportBlock::Title(text) => format!("# {}\n", escaped(text)),
            ReportBlock::Heading(text) => format!("## {}\n", escaped(text)),
            ReportBlock::Paragraph(text) | ReportBlock::Footnote(text) => format!("{}\n", paragraph(text)),
            ReportBlock::Facts(facts) => {
                line_each(facts, |(label, value)| format!("- **{}:** {}", escaped(label), escaped(value)))
            }
            // Indented: no number of backticks ends it.
            ReportBlock::Command(lines) => line_each(lines, |line| format!("    {}", one_line(line))),
            ReportBlock::Table(table) => table.markdown(),
            ReportBlock::Remarks(word, lines) => line_each(lines, |line| format!("- {word}: {}", escaped(line))),
        });
        blocks.collect::<Vec<String>>().join("\n")
    }
}

/// Labels in a column as wide as the widest, values beside it.
fn aligned(facts: &[(String, String)]) -> String {
    let width = facts.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    line_each(facts, |(label, value)| format!("{:<width$}  {}", one_line(label), one_line(value)))
}

/// A line for each item.
fn line_each<T>(items: &[T], line: impl Fn(&T) -> String) -> String {
    items.iter().fold(String::new(), |text, item| text + &line(item) + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    fn text_report() -> TextReport {
        let table = Table {
            columns: vec![Column::text("name"), Column::number("value"), Column::text("remark")],
            rows: vec![
                vec!["µ|a".to_owned(), "1".to_owned(), String::new()],
                vec!["b".to_owned(), "1,234".to_owned(), "two\nlines \u{1b}[2J".to_owned()],
            ],
        };
        let mut text_report = TextReport::titled("A *name*");
        text_report
            .paragraph("2 nodes")
            .facts([("CPU", "one".to_owned()), ("Machine", "two".to_owned()), ("GPU", String::new())])
            .heading("group_by\u{7}")
            .table(table)
            .footnote(Some("and 3 more".to_owned()))
            .warnings(["too many", "too few"])
            .notes([] as [&str; 0]);
        text_report
    }

    #[test]
    fn a_terminal_gets_aligned_columns_and_no_control_codes() {
        let expected = "\
A *name*
2 nodes

CPU      one
Machine  two

group_by␇
name  value  remark
µ|a       1
b     1,234  two lines ␛[2J
and 3 more

Warning: too many
Warning: too few
";
        assert_eq!(text_report().terminal(), expected);
    }

    #[test]
    fn markdown_escapes_what_it_would_interpret() {
        let expected = "\
# A \\*name\\*

2 nodes

- **CPU:** one
- **Machine:** two

## group\\_by␇

| name | value | remark |
| :-- | --: | :-- |
| µ\\|a | 1 |  |
| b | 1,234 | two lines ␛\\[2J |

and 3 more

- Warning: too many
- Warning: too few
";
        assert_eq!(text_report().markdown(), expected);
    }

    #[test]
    fn a_section_is_its_heading_and_its_blocks() {
        let [mut section, mut blocks] = [TextReport::default(), TextReport::default()];
        section.section("a", |section| section.paragraph("b").footnote(Some("c".to_owned()))).paragraph("d");
        blocks.heading("a").paragraph("b").footnote(Some("c".to_owned())).paragraph("d");
        assert_eq!(section, blocks);
    }

    #[test]
    fn blocks_without_content_are_left_out() {
        let mut text_report = TextReport::default();
        text_report.paragraph("").facts([("label", String::new())]).table(Table::default()).footnote(None);
        assert_eq!(text_report, TextReport::default());
        let mut text_report = TextReport::default();
        text_report.section("a", |section| section.paragraph("").table(Table::default()));
        assert_eq!(text_report, TextReport::default());
        let mut text_report = TextReport::titled("a");
        text_report.warnings(["b"]);
        assert_eq!(text_report.body(), TextReport::default());
    }
}
