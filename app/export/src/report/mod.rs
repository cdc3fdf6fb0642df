//! Reports for those who decide, of any kind of study: as one HTML file that needs nothing else, or as Markdown.

mod digest;
mod findings;
mod html;
mod limits;
mod markdown;
mod sortable;

use clap::ValueEnum;
use crossover_chart::Chart;
use crossover_quantity::text::{Table, TextReport};

pub use findings::Findings;
pub use limits::limits;
pub use sortable::SortableTable;

/// The formats of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// One file with charts, for a browser or for print
    Html,
    /// Text for documents, without charts
    Markdown,
}

impl ReportFormat {
    /// All formats, in the order of menus.
    pub const ALL: [Self; 2] = [Self::Html, Self::Markdown];

    /// Name of the format in a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Html => "HTML",
            Self::Markdown => "Markdown",
        }
    }

    /// Extension of a file in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
        }
    }

    /// Name of the format on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
        }
    }
}

/// A report: its parts in order.
#[derive(Debug)]
pub struct Report {
    /// Name of the scenario.
    pub title: String,
    /// The question that studies of its kind answer.
    pub question: &'static str,
    /// Everything else.
    pub blocks: Vec<Block>,
}

/// A part of a report; texts are plain unless they are said to be Markdown.
#[derive(Debug)]
pub enum Block {
    /// The title of a section.
    Heading(&'static str),
    /// The answer.
    Lead(String),
    /// A paragraph.
    Text(String),
    /// Sentences one below the other.
    List(Vec<String>),
    /// A table.
    Table(Table),
    /// A table with the numbers by which a browser sorts it; others are sorted by the numbers which their cells begin with.
    Sortable(SortableTable),
    /// A chart, with its answer for a caption.
    Chart(Box<Chart>),
    /// Markdown of the documentation; its headings are below those of sections.
    Markdown(&'static str),
    /// A report of its own as a part, without its title; its headings are below those of sections.
    TextReport(TextReport),
    /// A line that is typed at a terminal.
    Command(String),
}

impl Report {
    /// The report as text.
    #[must_use]
    pub fn write(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Html => html::page(self),
            ReportFormat::Markdown => markdown::page(self),
        }
    }
}

/// Title and answer of a chart, and what it is of.
fn caption(chart: &Chart) -> [&str; 3] {
    match chart {
        Chart::Lines(chart) => [&chart.title, &chart.subtitle, &chart.answer],
        Chart::Bars(chart) => [&chart.title, &chart.subtitle, &chart.answer],
        Chart::Map(chart) => [&chart.title, &chart.subtitle, &chart.answer],
        Chart::Plan(chart) => [&chart.title, &chart.subtitle, &chart.answer],
        Chart::Gantt(chart) => [&chart.title, &chart.subtitle, &chart.answer],
        Chart::Grid(chart) => [&chart.title, &chart.subtitle, &chart.answer],
    }
}

#[cfg(test)]
mod tests {
    use crossover_quantity::text::Column;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;

    /// A hostile name of a scenario, a machine or a source.
    const HOSTILE: &str = "</td><script>alert(\"1\")</script> | `x` [a](javascript:b) ![c](d) *e* <img src=x onerror='f'> \u{1b}[31m\u{202e} &amp;\n# g";

    fn report() -> Report {
        let text = || HOSTILE.to_owned();
        let table =
            Table { columns: vec![Column::text("name"), Column::number("value")], rows: vec![vec![text(), text()]] };
        let mut outcome = TextReport::titled("t");
        outcome.heading(text()).table(table.clone()).facts([(text(), text())]).footnote(Some(text()));
        Report {
            title: text(),
            question: "Why?",
            blocks: vec![
                Block::Heading("Answer"),
                Block::Lead(text()),
                Block::Text(text()),
                Block::List(vec![text(), text()]),
                Block::Table(table),
                Block::TextReport(outcome),
                // Whatever else a writer may let through.
                Block::Markdown("a <b onclick='x'>b</b> <!-- c --> [d](javascript:e) ![f](g)\n\n<script>h</script>\n"),
                Block::Command(text()),
            ],
        }
    }

    #[test]
    fn no_text_is_taken_for_markup_in_html() {
        let page = report().write(ReportFormat::Html);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let parsed = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let names: Vec<&str> =
            parsed.descendants().filter(roxmltree::Node::is_element).map(|node| node.tag_name().name()).collect();
        for forbidden in ["img", "a", "b", "iframe", "link", "object"] {
            assert!(!names.contains(&forbidden), "{forbidden}: {page}");
        }
        let scripts = parsed.descendants().filter(|node| node.tag_name().name() == "script");
        assert_eq!(scripts.map(|node| node.text()).collect::<Vec<_>>(), [Some(sortable::SCRIPT)], "that of tables");
        let attributes = parsed.descendants().flat_map(|node| node.attributes().collect::<Vec<_>>());
        assert!(
            attributes.clone().all(|of| !of.name().starts_with("on") && !of.value().contains("javascript")),
            "{page}"
        );
        // It is all there to be read.
        let cell = parsed
            .descendants()
            .find(|node| node.tag_name().name() == "td")
            .and_then(|node| node.text())
            .expect("a cell");
        assert!(
            cell.starts_with("</td><script>alert(\"1\")</script> | `x` [a](javascript:b)") && cell.contains("&amp;"),
            "{cell}"
        );
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
    }

    #[test]
    fn no_text_is_taken_for_markup_in_markdown() {
        let page = report().write(ReportFormat::Markdown);
        assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page}");
        // Without the block that is hostile Markdown itself.
        let text = page.split("\na <b onclick").next().expect("a text");
        let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
        let count = |is_one: fn(&Tag<'_>) -> bool| {
            events.iter().filter(|event| matches!(event, Event::Start(tag) if is_one(tag))).count()
        };
        // Title, section, and two of the outcome; two tables of two rows of two cells; the list and a fact.
        assert_eq!(count(|tag| matches!(tag, Tag::Heading { .. })), 4, "{page}");
        assert_eq!(count(|tag| matches!(tag, Tag::TableCell)), 8, "{page}");
        assert_eq!(count(|tag| matches!(tag, Tag::Item)), 3, "{page}");
        assert_eq!(count(|tag| matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_))), 0, "{page}");
        assert_eq!(count(|tag| matches!(tag, Tag::HtmlBlock | Tag::Emphasis)), 0, "{page}");
        assert!(!events.iter().any(|event| matches!(event, Event::InlineHtml(_) | Event::Code(_))), "{page}");
    }
}
