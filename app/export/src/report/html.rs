//! A report as one HTML page that needs nothing else: no other file, charts inside, and no script except the one that sorts its tables.
//! It is XML as well, so that every reader of either takes it.

use std::fmt::Write as _;

use crossover_chart::theme::Token;
use crossover_quantity::text::{ReportBlock, Table, TextReport, one_line};
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::sortable::{self, OPENING, SCRIPT, SortableTable, policy};
use super::{Block, Report, caption};

/// Size of a chart, in pixels of the page.
const CHART: [f32; 2] = [760.0, 420.0];

pub(super) fn page(report: &Report) -> String {
    let title = escaped(&report.title);
    let mut body = String::new();
    for block in &report.blocks {
        write(&mut body, block);
    }
    // Texts are escaped, so that this is a tag.
    let has_script = body.contains(OPENING);
    let policy = if has_script { policy() } else { String::new() };
    let script = if has_script { format!("<script>{SCRIPT}</script>\n") } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width\" />\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{policy}\" />\n\
         <title>{title}</title>\n<style>\n{}</style>\n{script}</head>\n<body>\n<header>\n<p class=\"question\">{}</p>\n<h1>{title}</h1>\n\
         </header>\n<main>\n{body}</main>\n</body>\n</html>\n",
        style(),
        escaped(report.question),
    )
}

fn write(body: &mut String, block: &Block) {
    match block {
        Block::Heading(title) => _ = writeln!(body, "<h2>{}</h2>", escaped(title)),
        Block::Lead(sentence) => _ = writeln!(body, "<p class=\"lead\">{}</p>", escaped(sentence)),
        Block::Text(sentence) => _ = writeln!(body, "<p>{}</p>", escaped(sentence)),
        Block::List(sentences) => list(body, sentences, |sentence| escaped(sentence)),
        Block::Table(of) => table(body, of),
        Block::Sortable(of) => sortable::write(body, of, escaped),
        Block::Chart(chart) => {
            let [title, of, answer] = caption(chart).map(escaped);
            let of = if of.is_empty() { String::new() } else { format!(" ({of})") };
            let svg = chart.to_svg_with_values(false, CHART);
            _ = write!(
                body,
                "<figure>\n{svg}<figcaption><strong>{title}</strong>{of} {answer}</figcaption>\n</figure>\n"
            );
        }
        Block::Markdown(text) => markdown(body, text),
        Block::TextReport(of) => text_report(body, of),
        Block::Command(line) => _ = writeln!(body, "<pre><code>{}</code></pre>", escaped(line)),
    }
}

/// A report of its own, its headings below those of sections.
fn text_report(body: &mut String, text_report: &TextReport) {
    for block in text_report.blocks() {
        match block {
            ReportBlock::Title(text) | ReportBlock::Heading(text) => {
                _ = writeln!(body, "<h3>{}</h3>", escaped(text));
            }
            ReportBlock::Paragraph(text) | ReportBlock::Footnote(text) => {
                _ = writeln!(body, "<p>{}</p>", escaped(text));
            }
            ReportBlock::Facts(facts) => {
                list(body, facts, |(label, value)| format!("<strong>{}:</strong> {}", escaped(label), escaped(value)));
            }
            ReportBlock::Command(lines) => {
                let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
                _ = writeln!(body, "<pre><code>{}</code></pre>", lines.join("\n"));
            }
            ReportBlock::Table(of) => table(body, of),
            ReportBlock::Remarks(word, lines) => list(body, lines, |line| format!("{word}: {}", escaped(line))),
        }
    }
}

fn list<T>(body: &mut String, items: &[T], item: impl Fn(&T) -> String) {
    body.push_str("<ul>\n");
    for of in items {
        _ = writeln!(body, "<li>{}</li>", item(of));
    }
    body.push_str("</ul>\n");
}

fn table(body: &mut String, table: &Table) {
    sortable::write(body, &SortableTable::from(table), escaped);
}

/// Markdown as HTML, its headings below those of sections. What is HTML in it is text, and nothing leads anywhere.
fn markdown(body: &mut String, text: &str) {
    let lower = |level: HeadingLevel| match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    };
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        | Event::End(TagEnd::Link | TagEnd::Image | TagEnd::HtmlBlock) => None,
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Heading { level, .. }) => {
            Some(Event::Start(Tag::Heading { level: lower(level), id: None, classes: Vec::new(), attrs: Vec::new() }))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lower(level)))),
        other => Some(other),
    });
    let mut made = String::new();
    html::push_html(&mut made, events);
    let opening = format!("<div class=\"wide\">{OPENING}");
    body.push_str(&made.replace("<table>", &opening).replace("</table>", "</table></div>"));
}

/// A text on one line, as text of a page.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Characters that no XML may hold.
            '\u{fffe}' | '\u{ffff}' => safe.push(char::REPLACEMENT_CHARACTER),
            c => safe.push(c),
        }
    }
    safe
}

/// A colour as a style has it.
fn colour(token: Token, dark: bool) -> String {
    let [red, green, blue] = token.rgb(dark);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colours are those of the charts on a light background, and on a dark one where the reader prefers that. Charts bring
/// their own light background.
fn style() -> String {
    let [text, weak, grid, panel, accent] =
        [Token::Text, Token::TextWeak, Token::Grid, Token::Panel, Token::Accent].map(|token| colour(token, false));
    let [dark_background, dark_text, dark_weak, dark_grid, dark_panel] =
        [Token::Background, Token::Text, Token::TextWeak, Token::Grid, Token::Panel].map(|token| colour(token, true));
    format!(
        ":root {{ color-scheme: light; }}
body {{ margin: 2rem auto; padding: 0 1.25rem; max-width: 64rem; background: white; color: {text};
  font: 15px/1.5 Ubuntu, 'Segoe UI', Helvetica, Arial, sans-serif; }}
h1 {{ margin: 0 0 1rem; font-size: 1.9rem; line-height: 1.2; }}
h2 {{ margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 1px solid {grid}; font-size: 1.3rem; }}
h3, h4, h5, h6 {{ margin: 1.4rem 0 0.4rem; font-size: 1.05rem; }}
.question {{ margin: 0; color: {weak}; }}
.lead {{ padding: 0.8rem 1rem; border-left: 4px solid {accent}; background: {panel}; font-size: 1.15rem; }}
.wide {{ overflow-x: auto; }}
table {{ margin: 0.6rem 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.25rem 0.7rem 0.25rem 0; border-bottom: 1px solid {grid}; text-align: left; vertical-align: top; }}
th {{ color: {weak}; font-weight: 600; }}
.number, th[style*=right], td[style*=right] {{ text-align: right; }}
td.number, td[style*=right] {{ white-space: nowrap; }}
td {{ overflow-wrap: break-word; min-width: 3rem; }}
td:last-child {{ overflow-wrap: anywhere; }}
figure {{ margin: 1.2rem 0; }}
figure svg {{ max-width: 100%; height: auto; }}
figcaption {{ color: {weak}; }}
pre {{ padding: 0.6rem 0.8rem; overflow-x: auto; background: {panel}; white-space: pre-wrap; overflow-wrap: anywhere; }}
table.sortable th {{ cursor: pointer; }}
th[aria-sort=ascending]::after {{ content: ' ▲'; }}
th[aria-sort=descending]::after {{ content: ' ▼'; }}
@media screen and (prefers-color-scheme: dark) {{
  :root {{ color-scheme: dark; }}
  body {{ background: {dark_background}; color: {dark_text}; }}
  .question, th, figcaption {{ color: {dark_weak}; }}
  h2, th, td {{ border-color: {dark_grid}; }}
  .lead, pre {{ background: {dark_panel}; }}
}}
@page {{ size: A4; margin: 16mm 14mm; }}
@media print {{
  body {{ margin: 0; padding: 0; max-width: none; font-size: 10pt; }}
  h1, h2, h3, h4 {{ break-after: avoid; }}
  figure, tr, .lead {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
  .wide {{ overflow: visible; }}
  .wide table {{ font-size: 8pt; line-height: 1.3; }}
  th, td {{ padding-right: 0.45rem; min-width: 0; white-space: normal !important; }}
}}
"
    )
}
