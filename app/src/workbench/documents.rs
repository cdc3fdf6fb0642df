//! The documents of the help window, as they are in the repository: their parts, links and sections, and the search in them.

use crossover_quantity::text::shortened;
use crossover_scenario::FORMULAS;
use crossover_scenario::glossary::GLOSSARY;

/// Guides and the glossary: path below `docs`, text.
const GUIDES: [(&str, &str); 14] = [
    ("GLOSSARY.md", GLOSSARY),
    ("WORKBENCH.md", include_str!("../../../docs/WORKBENCH.md")),
    ("PLACE-OPERATORS.md", include_str!("../../../docs/PLACE-OPERATORS.md")),
    ("DECIDE-SPARK.md", include_str!("../../../docs/DECIDE-SPARK.md")),
    ("IMPORT-PLANS.md", include_str!("../../../docs/IMPORT-PLANS.md")),
    ("FLEET.md", include_str!("../../../docs/FLEET.md")),
    ("SHARE-GPUS.md", include_str!("../../../docs/SHARE-GPUS.md")),
    ("COMPARE-CENTRES.md", include_str!("../../../docs/COMPARE-CENTRES.md")),
    ("REGULATE.md", include_str!("../../../docs/REGULATE.md")),
    ("CALIBRATE.md", include_str!("../../../docs/CALIBRATE.md")),
    ("TOOLS.md", include_str!("../../../docs/TOOLS.md")),
    ("SCENARIOS.md", include_str!("../../../docs/SCENARIOS.md")),
    ("COMMAND-LINE.md", include_str!("../../../docs/COMMAND-LINE.md")),
    ("METHODS.md", include_str!("../../../docs/METHODS.md")),
];

/// The folder of the formulas below `docs`.
const MODEL: &str = "model/";

/// Every document: path below `docs`, text.
pub(crate) fn documents() -> impl Iterator<Item = (String, &'static str)> {
    let guides = GUIDES.into_iter().map(|(path, text)| (path.to_owned(), text));
    guides.chain(FORMULAS.into_iter().map(|(file, text)| (format!("{MODEL}{file}"), text)))
}

/// Most sections that a search finds.
const MOST_FOUND: usize = 50;
/// Most characters of the line that a search shows of a section.
const LONGEST_LINE: usize = 140;

/// A part of a document.
pub(super) enum Part {
    /// Without pictures, and without links to files that the program does not contain.
    Markdown(String),
    /// Formulas, or lines of a terminal.
    Code(String),
}

impl Part {
    /// The name of its section in links, if it begins one.
    pub(super) fn section(&self) -> Option<String> {
        match self {
            Self::Markdown(text) => text.starts_with('#').then(|| slug(text.lines().next().unwrap_or_default())),
            Self::Code(_) => None,
        }
    }
}

/// A section of a document, or its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Path of the document below `docs`.
    pub(super) path: String,
    /// Name of the section in links; empty: the beginning of the document.
    pub(super) section: String,
}

impl Place {
    /// The place that a text such as `TOOLS.md#map-two-numbers` names.
    pub(super) fn named(text: &str) -> Self {
        let (path, section) = text.split_once('#').unwrap_or((text, ""));
        Self { path: path.to_owned(), section: section.to_owned() }
    }
}

/// A section that a search has found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundSection {
    pub(super) place: Place,
    /// Title of the document, and heading of the section.
    pub(super) heading: String,
    /// The first line with one of the words.
    pub(super) line: String,
}

/// The formulas of a kind of study.
pub(super) fn formulas(key: &str) -> Place {
    Place::named(&format!("{MODEL}{key}.md"))
}

/// The text of a document; empty if there is none.
pub(super) fn text_of(path: &str) -> &'static str {
    documents().find(|(other, _)| other == path).map_or("", |(_, text)| text)
}

/// The first heading.
pub(super) fn title(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

/// The section that a link in a document leads to; `None` if it leads elsewhere.
pub(super) fn target(from: &str, link: &str) -> Option<Place> {
    let Place { path: file, section } = Place::named(link);
    let folder = from.rsplit_once('/').map(|(folder, _)| folder);
    let path = match (file.strip_prefix("../"), folder) {
        _ if file.is_empty() => from.to_owned(),
        (Some(file), Some(_)) => file.to_owned(),
        (None, Some(folder)) => format!("{folder}/{file}"),
        (_, None) => file.clone(),
    };
    documents().any(|(other, _)| other == path).then_some(Place { path, section })
}

/// The sections that have all words of a query: first those with them in the heading.
pub(super) fn search(query: &str) -> Vec<FoundSection> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let Some(first) = words.first() else { return Vec::new() };
    let has_all = |text: &str| words.iter().all(|word| text.contains(word.as_str()));
    let mut found = Vec::new();
    for (path, text) in documents() {
        for section in whole_sections(text) {
            if !has_all(&section.to_lowercase()) {
                continue;
            }
            let heading = section.lines().next().filter(|line| line.starts_with('#')).unwrap_or_default();
            let line = section.lines().skip(1).find(|line| line.to_lowercase().contains(first.as_str()));
            let of_section = FoundSection {
                place: Place { path: path.clone(), section: slug(heading) },
                heading: headed(title(text), &plain(heading)),
                line: shortened(&plain(line.unwrap_or_default()), LONGEST_LINE),
            };
            found.push((!has_all(&heading.to_lowercase()), of_section));
        }
    }
    // Stable: the documents stay in their order.
    found.sort_by_key(|(is_in_text, _)| *is_in_text);
    found.into_iter().take(MOST_FOUND).map(|(_, found)| found).collect()
}

/// A document's title with the heading of a section, which may be the same.
fn headed(title: &str, heading: &str) -> String {
    if heading.is_empty() || heading == title { title.to_owned() } else { format!("{title}: {heading}") }
}

/// A text from heading to heading, with its code.
fn whole_sections(text: &str) -> Vec<&str> {
    let (mut sections, mut start, mut at, mut is_code) = (Vec::new(), 0, 0, false);
    for line in text.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with('#') && at > start {
            sections.push(&text[start..at]);
            start = at;
        }
        at += line.len();
    }
    sections.push(&text[start..]);
    sections
}

/// A line without the marks of Markdown.
fn plain(line: &str) -> String {
    line.trim_start_matches(['#', '-', '|', ' ']).replace(['`', '*', '|'], "").trim().to_owned()
}

/// The name of a heading in links, as GitHub makes it.
fn slug(heading: &str) -> String {
    let letters = heading.trim_start_matches('#').trim().chars().flat_map(char::to_lowercase);
    let letters = letters.map(|letter| if letter == ' ' { '-' } else { letter });
    letters.filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

/// The destinations of links in a text.
pub(super) fn links(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").filter_map(|(at, mark)| text[at + mark.len()..].split(')').next())
}

/// A text in parts: code, and between it, from heading to heading, Markdown without pictures, and with links to documents only.
pub(super) fn parts(path: &str, text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (place, part) in text.split("\n```").enumerate() {
        if place % 2 == 1 {
            // The first line names a language.
            let code = part.split_once('\n').map_or("", |(_, code)| code);
            parts.push(Part::Code(code.to_owned()));
            continue;
        }
        let mut rest = part.trim_start_matches('\n');
        while !rest.trim().is_empty() {
            let end = rest.find("\n#").map_or(rest.len(), |at| at + 1);
            parts.push(Part::Markdown(readable(path, &rest[..end])));
            rest = &rest[end..];
        }
    }
    parts
}

fn readable(path: &str, text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.starts_with("![")) {
        let mut rest = line;
        while let Some((before, label, link, after)) = link(rest) {
            readable += before;
            if link.starts_with("https://") || target(path, link).is_some() {
                readable += &format!("[{label}]({link})");
            } else {
                readable += label;
            }
            rest = after;
        }
        readable += rest;
        readable.push('\n');
    }
    readable
}

/// The first link of a line: what is before it, its label, where it leads, and what is after it.
fn link(line: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = line.find("](")?;
    let start = line[..middle].rfind('[')?;
    let end = middle + line[middle..].find(')')?;
    Some((&line[..start], &line[start + 1..middle], &line[middle + 2..end], &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use crossover_scenario::glossary::definition;

    use super::*;

    fn has_section(place: &Place) -> bool {
        let parts = parts(&place.path, text_of(&place.path));
        place.section.is_empty() || parts.iter().any(|part| part.section().as_ref() == Some(&place.section))
    }

    #[test]
    fn every_document_has_a_title() {
        for (path, text) in documents() {
            assert!(!title(text).is_empty(), "{path}");
        }
    }

    #[test]
    fn links_lead_to_sections_or_the_web() {
        for (path, text) in documents() {
            for part in parts(&path, text) {
                let Part::Markdown(text) = part else { continue };
                for link in links(&text).filter(|link| !link.starts_with("https://")) {
                    assert!(target(&path, link).is_some_and(|place| has_section(&place)), "{path}: {link}");
                }
            }
        }
        let place = |path: &str, section: &str| Some(Place { path: path.into(), section: section.into() });
        assert_eq!(target("FLEET.md", "model/fleet.md#formulas"), place("model/fleet.md", "formulas"));
        assert_eq!(target("model/fleet.md", "engines.md"), place("model/engines.md", ""));
        assert_eq!(target("model/fleet.md", "../FLEET.md"), place("FLEET.md", ""));
        assert_eq!(target("FLEET.md", "#blockers"), place("FLEET.md", "blockers"));
        assert_eq!(target("FLEET.md", "MEASURING.md"), None);
    }

    /// Titles and figures of all pages name their terms in the sources; tooltips show the lines.
    #[test]
    fn every_term_that_a_title_names_has_a_line_in_the_glossary() {
        let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            let paths = std::fs::read_dir(&folder).expect("sources").map(|entry| entry.expect("a file").path());
            let (inner, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.partition(|path| path.is_dir());
            folders.extend(inner);
            for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
                let source = std::fs::read_to_string(file).expect("a source");
                for term in source.split("term(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    assert!(definition(term).is_some(), "{}: the glossary has no term “{term}”", file.display());
                    count += 1;
                }
            }
        }
        assert!(count > 70, "{count} terms");
    }

    #[test]
    fn every_page_and_every_tool_has_a_section() {
        let tools = crate::kinds::tools().map(|kind| (kind.tool.title, kind.tool.help));
        let pages = crate::kinds::modules().map(|module| {
            let scenario = crossover_scenario::read(module.template().example.text).expect("a template");
            (module.template().kind.key(), crate::kinds::page(&scenario.study).help())
        });
        for (name, help) in tools.chain(pages) {
            let place = Place::named(help);
            assert!(!text_of(&place.path).is_empty() && has_section(&place), "{name}: {help}");
        }
    }

    #[test]
    fn a_heading_is_named_as_in_links_of_github() {
        assert_eq!(slug("## Gains by error, and fuzzy correction"), "gains-by-error-and-fuzzy-correction");
        assert_eq!(slug("### left_out"), "left_out");
        assert_eq!(slug("## 日本語 · `Ünï`"), "日本語--ünï");
    }

    #[test]
    fn a_part_goes_from_heading_to_heading_and_code_is_one_of_its_own() {
        let text = "# Title\nText.\n\n## One\nMore.\n```sh\n# no heading\n```\nAfter it.\n### Two\nEnd.\n";
        let found: Vec<String> = parts("TOOLS.md", text)
            .into_iter()
            .map(|part| match part {
                Part::Markdown(text) => text.trim().to_owned(),
                Part::Code(text) => format!("code: {text}"),
            })
            .collect();
        assert_eq!(found, ["# Title\nText.", "## One\nMore.", "code: # no heading", "After it.", "### Two\nEnd."]);
        let whole = ["# Title\nText.\n\n", "## One\nMore.\n```sh\n# no heading\n```\nAfter it.\n", "### Two\nEnd.\n"];
        assert_eq!(whole_sections(text), whole);
    }

    #[test]
    fn pictures_and_links_to_other_files_are_left_out() {
        let text = "![a](b.png)\nSee [one](FLEET.md), [two](x.yaml) and [three](https://a.b).\n";
        let expected = "See [one](FLEET.md), two and [three](https://a.b).\n";
        assert_eq!(readable("TOOLS.md", text), expected);
    }

    #[test]
    fn a_search_finds_the_section_with_all_words_and_headings_first() {
        let found = search("MAP two");
        assert_eq!(found.first().map(|found| &found.place), Some(&Place::named("TOOLS.md#map-two-numbers")));
        assert!(found.iter().all(|found| has_section(&found.place)), "{found:?}");
        assert!(search("no_such_word_anywhere").is_empty());
        assert!(search("  ").is_empty());
    }

    #[test]
    fn a_search_takes_letters_of_any_script() {
        for query in ["日本語", "İ", "👩‍🔬 e", "مرحبا", "ﬃ", "\u{301}", "”"] {
            assert!(search(query).len() <= MOST_FOUND);
        }
    }
}
