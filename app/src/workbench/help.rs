//! The help window: guides, glossary and formulas, as they are in the repository.

use crossover_scenario::glossary::GLOSSARY;
use crossover_scenario::{FORMULAS, Kind};
use egui::{ComboBox, Frame, Label, Rect, RichText, ScrollArea, TextStyle, Ui, vec2};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

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

/// The document on screen.
pub(super) struct Help {
    path: String,
    title: &'static str,
    sections: Vec<Section>,
    markdown: CommonMarkCache,
}

/// A section of a document, which is laid out only where it is in sight.
struct Section {
    part: Part,
    /// The width at which it was laid out last, and its height then, points.
    laid_out: Option<[f32; 2]>,
}

/// A part of a document.
enum Part {
    /// Without pictures, and without links to files that the program does not contain.
    Markdown(String),
    /// Formulas, or lines of a terminal.
    Code(String),
}

impl Help {
    /// The formulas of a kind of study.
    pub(super) fn of(kind: Kind) -> Self {
        Self::new(&format!("{MODEL}{}.md", kind.key()))
    }

    fn new(path: &str) -> Self {
        let text = documents().find(|(other, _)| other == path).map_or("", |(_, text)| text);
        let sections = sections(path, text);
        let mut markdown = CommonMarkCache::default();
        for section in &sections {
            if let Part::Markdown(text) = &section.part {
                links(text).filter(|link| target(path, link).is_some()).for_each(|link| markdown.add_link_hook(link));
            }
        }
        Self { path: path.to_owned(), title: title(text), sections, markdown }
    }

    /// Shows the list of documents, and below it the text of one; `scroll` is called where the text scrolls.
    pub(super) fn ui(&mut self, ui: &mut Ui, scroll: impl FnOnce(&Ui)) {
        let mut next = None;
        ComboBox::from_label("Document").selected_text(self.title).width(320.0).show_ui(ui, |ui| {
            for (path, text) in documents() {
                let response = ui.selectable_label(path == self.path, title(text));
                if response.clicked() {
                    next = Some(path);
                }
            }
        });
        ui.separator();
        let mut clicked = None;
        ScrollArea::vertical().id_salt(&self.path).auto_shrink(false).show(ui, |ui| {
            scroll(ui);
            for (place, section) in self.sections.iter_mut().enumerate() {
                clicked = clicked.take().or(section.ui(ui, place, &mut self.markdown));
            }
        });
        if let Some(path) = next.or_else(|| target(&self.path, &clicked?)) {
            *self = Self::new(&path);
        }
    }
}

impl Section {
    fn new(part: Part) -> Self {
        Self { part, laid_out: None }
    }

    /// Shows it, or takes its space where it is out of sight, and returns the link to a document that was clicked in it.
    fn ui(&mut self, ui: &mut Ui, place: usize, markdown: &mut CommonMarkCache) -> Option<String> {
        let width = ui.available_width();
        if let Some([at_width, height]) = self.laid_out
            && at_width == width
            && !ui.is_rect_visible(Rect::from_min_size(ui.cursor().min, vec2(width, height)))
        {
            ui.allocate_space(vec2(width, height));
            return None;
        }
        let shown = ui.push_id(place, |ui| match &self.part {
            Part::Markdown(text) => {
                if place > 0 {
                    ui.add_space(ui.text_style_height(&TextStyle::Body));
                }
                _ = CommonMarkViewer::new().show(ui, markdown, text);
                // The next section that is shown resets this.
                markdown.link_hooks().iter().find_map(|(link, is_clicked)| is_clicked.then(|| link.clone()))
            }
            Part::Code(text) => {
                code(ui, text);
                None
            }
        });
        self.laid_out = Some([width, shown.response.rect.height()]);
        shown.inner
    }
}

/// Lines in a frame, which scroll where they are too wide.
fn code(ui: &mut Ui, text: &str) {
    Frame::new().fill(ui.visuals().extreme_bg_color).corner_radius(4).inner_margin(8).show(ui, |ui| {
        ScrollArea::horizontal().show(ui, |ui| ui.add(Label::new(RichText::new(text).monospace()).extend()));
    });
}

/// The first heading.
fn title(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

/// The document that a link in another one leads to; `None` if it leads elsewhere.
fn target(from: &str, link: &str) -> Option<String> {
    let file = link.split('#').next().filter(|file| !file.is_empty())?;
    let folder = from.rsplit_once('/').map(|(folder, _)| folder);
    let path = match (file.strip_prefix("../"), folder) {
        (Some(file), Some(_)) => file.to_owned(),
        (None, Some(folder)) => format!("{folder}/{file}"),
        (_, None) => file.to_owned(),
    };
    documents().any(|(other, _)| other == path).then_some(path)
}

/// Whether the viewer can follow a link: a page of the web, or a heading of the same document.
fn is_followed(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with('#')
}

/// The destinations of links in a text.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("](").filter_map(|(at, mark)| text[at + mark.len()..].split(')').next())
}

/// A text as sections: code, and between it, from heading to heading, Markdown without pictures, and with links to documents only.
fn sections(path: &str, text: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    for (place, part) in text.split("\n```").enumerate() {
        if place % 2 == 1 {
            // The first line names a language.
            let code = part.split_once('\n').map_or("", |(_, code)| code);
            sections.push(Section::new(Part::Code(code.to_owned())));
            continue;
        }
        let mut rest = part.trim_start_matches('\n');
        while !rest.trim().is_empty() {
            let end = rest.find("\n#").map_or(rest.len(), |at| at + 1);
            sections.push(Section::new(Part::Markdown(readable(path, &rest[..end]))));
            rest = &rest[end..];
        }
    }
    sections
}

fn readable(path: &str, text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.starts_with("![")) {
        let mut rest = line;
        while let Some((before, label, link, after)) = link(rest) {
            readable += before;
            if is_followed(link) || target(path, link).is_some() {
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
    use super::*;

    #[test]
    fn every_document_has_a_title_and_every_kind_of_study_its_formulas() {
        for (path, text) in documents() {
            assert!(!title(text).is_empty(), "{path}");
        }
        for kind in Kind::ALL {
            assert!(!Help::of(kind).title.is_empty(), "{}", kind.key());
        }
    }

    #[test]
    fn links_lead_to_documents_headings_or_the_web() {
        for (path, _) in documents() {
            let help = Help::new(&path);
            for section in &help.sections {
                let Part::Markdown(text) = &section.part else { continue };
                for link in links(text) {
                    assert!(is_followed(link) || target(&path, link).is_some(), "{path}: {link}");
                }
            }
        }
        assert_eq!(target("FLEET.md", "model/fleet.md#formulas").as_deref(), Some("model/fleet.md"));
        assert_eq!(target("model/fleet.md", "engines.md").as_deref(), Some("model/engines.md"));
        assert_eq!(target("model/fleet.md", "../FLEET.md").as_deref(), Some("FLEET.md"));
        assert_eq!(target("FLEET.md", "MEASURING.md"), None);
    }

    #[test]
    fn a_section_goes_from_heading_to_heading_and_code_is_one_of_its_own() {
        let text = "# Title\nText.\n\n## One\nMore.\n```sh\n# no heading\n```\nAfter it.\n### Two\nEnd.\n";
        let found: Vec<String> = sections("TOOLS.md", text)
            .into_iter()
            .map(|section| match section.part {
                Part::Markdown(text) => text.trim().to_owned(),
                Part::Code(text) => format!("code: {text}"),
            })
            .collect();
        assert_eq!(found, ["# Title\nText.", "## One\nMore.", "code: # no heading", "After it.", "### Two\nEnd."]);
    }

    #[test]
    fn pictures_and_links_to_other_files_are_left_out() {
        let text = "![a](b.png)\nSee [one](FLEET.md), [two](x.yaml) and [three](https://a.b).\n";
        let expected = "See [one](FLEET.md), two and [three](https://a.b).\n";
        assert_eq!(readable("TOOLS.md", text), expected);
    }
}
