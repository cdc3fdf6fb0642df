//! The help window: guides, glossary and formulas, found by document, by search, and from the page on screen.

use egui::style::ScrollAnimation;
use egui::{Align, ComboBox, Frame, Label, Rect, RichText, ScrollArea, TextEdit, TextStyle, Ui, vec2};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

use super::documents::{FoundSection, Part, Place, documents, links, parts, search, target, text_of, title};

/// The document on screen.
pub(super) struct Help {
    path: String,
    title: &'static str,
    sections: Vec<Section>,
    markdown: CommonMarkCache,
    /// The section to scroll to in the next frame.
    wanted: Option<String>,
    query: String,
    /// The query that was searched last, and what it found.
    found: (String, Vec<FoundSection>),
}

/// A section of a document, which is laid out only where it is in sight.
struct Section {
    part: Part,
    /// The width at which it was laid out last, and its height then, points.
    laid_out: Option<[f32; 2]>,
}

impl Help {
    /// A document, scrolled to a section.
    pub(super) fn at(place: &Place) -> Self {
        let Place { path, section } = place;
        let text = text_of(path);
        let sections: Vec<Section> =
            parts(path, text).into_iter().map(|part| Section { part, laid_out: None }).collect();
        let mut markdown = CommonMarkCache::default();
        for section in &sections {
            if let Part::Markdown(text) = &section.part {
                links(text).filter(|link| target(path, link).is_some()).for_each(|link| markdown.add_link_hook(link));
            }
        }
        Self {
            path: path.clone(),
            title: title(text),
            sections,
            markdown,
            wanted: Some(section.clone()).filter(|section| !section.is_empty()),
            query: String::new(),
            found: (String::new(), Vec::new()),
        }
    }

    /// Shows the list of documents and the search, and below it the text of a document or what was found; `scroll` is called
    /// where the text scrolls.
    pub(super) fn ui(&mut self, ui: &mut Ui, scroll: impl FnOnce(&Ui)) {
        let mut next = None;
        ComboBox::from_label("Document").selected_text(self.title).width(320.0).show_ui(ui, |ui| {
            for (path, text) in documents() {
                let response = ui.selectable_label(path == self.path, title(text));
                if response.clicked() {
                    next = Some(Place { path, section: String::new() });
                }
            }
        });
        ui.horizontal(|ui| {
            let edit = TextEdit::singleline(&mut self.query).desired_width(320.0).hint_text("words of a section");
            let edit = ui.add(edit);
            let label = ui.label("Search");
            _ = edit.labelled_by(label.id);
        });
        ui.separator();
        if self.query.trim().is_empty() {
            next = next.or(self.text(ui, scroll));
        } else {
            next = next.or(self.results(ui, scroll));
        }
        if let Some(place) = next {
            *self = Self::at(&place);
        }
    }

    /// The text of the document; gives the place of a link that was clicked.
    fn text(&mut self, ui: &mut Ui, scroll: impl FnOnce(&Ui)) -> Option<Place> {
        let mut clicked = None;
        let wanted = self.wanted.take();
        ScrollArea::vertical().id_salt(&self.path).auto_shrink(false).show(ui, |ui| {
            scroll(ui);
            for (place, section) in self.sections.iter_mut().enumerate() {
                if wanted.is_some() && section.part.section() == wanted {
                    ui.scroll_to_cursor_animation(Some(Align::TOP), ScrollAnimation::none());
                    // It is in sight in the next frame.
                    ui.ctx().request_repaint();
                }
                clicked = clicked.take().or(section.ui(ui, place, &mut self.markdown));
            }
        });
        target(&self.path, &clicked?)
    }

    /// The sections that the search finds; gives the one that was clicked.
    fn results(&mut self, ui: &mut Ui, scroll: impl FnOnce(&Ui)) -> Option<Place> {
        if self.found.0 != self.query {
            self.found = (self.query.clone(), search(&self.query));
        }
        let mut clicked = None;
        ScrollArea::vertical().id_salt("found").auto_shrink(false).show(ui, |ui| {
            scroll(ui);
            let (_, found) = &self.found;
            if found.is_empty() {
                ui.label("No section has all of these words. Use fewer words, or choose a document above.");
            }
            for FoundSection { place, heading, line } in found {
                if ui.link(heading).clicked() {
                    clicked = Some(place.clone());
                }
                if !line.is_empty() {
                    ui.weak(line);
                }
                ui.add_space(6.0);
            }
        });
        clicked
    }
}

impl Section {
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
