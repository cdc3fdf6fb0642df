//! A report as Markdown, without charts.

use std::fmt::Write as _;

use crossover_quantity::text::{escaped, one_line, paragraph};

use super::{Block, Report, caption};

pub(super) fn page(report: &Report) -> String {
    let mut text = format!("# {}\n\n{}\n", paragraph(&report.title), report.question);
    let (mut has_said, mut is_listing) = (false, false);
    for block in &report.blocks {
        match block {
            Block::Heading(title) => _ = write!(text, "\n## {title}\n"),
            Block::Lead(sentence) => _ = write!(text, "\n**{}**\n", escaped(sentence)),
            Block::Text(sentence) => _ = write!(text, "\n{}\n", paragraph(sentence)),
            Block::List(sentences) => {
                text.push('\n');
                for sentence in sentences {
                    _ = writeln!(text, "- {}", paragraph(sentence));
                }
            }
            Block::Table(table) => _ = write!(text, "\n{}", table.markdown()),
            Block::Sortable(sortable) => _ = write!(text, "\n{}", sortable.table.markdown()),
            Block::Chart(chart) => {
                if !has_said {
                    text += "\nCharts are in the HTML report; their captions follow.\n";
                    has_said = true;
                }
                if !is_listing {
                    text.push('\n');
                }
                let [title, of, answer] = caption(chart).map(escaped);
                let of = if of.is_empty() { String::new() } else { format!(" ({of})") };
                _ = writeln!(text, "- **{title}**{of} {answer}");
            }
            Block::Markdown(markdown) => _ = write!(text, "\n{}\n", below(markdown).trim()),
            Block::TextReport(text_report) => _ = write!(text, "\n{}\n", below(&text_report.markdown()).trim()),
            // Indented: no number of backticks ends it.
            Block::Command(line) => _ = write!(text, "\n    {}\n", one_line(line)),
        }
        is_listing = matches!(block, Block::Chart(_));
    }
    text
}

/// Markdown whose headings are below those of sections.
fn below(markdown: &str) -> String {
    let line = |line: &str| if line.starts_with('#') { format!("#{line}") } else { line.to_owned() };
    markdown.lines().map(line).collect::<Vec<_>>().join("\n")
}
