//! Links to a view: one is copied from what is on screen, pasted into a dialog, and opened as a document without a file.

use std::path::PathBuf;

use crossover_chart::theme::Token;
use crossover_page::document::Document;
use crossover_page::lazy_text::LazyText;
use crossover_page::storage::link::{self, Front};
use crossover_page::tool::ToolView;
use crossover_scenario::Scenario;
use crossover_scenario::views::PageView;
use egui::{Context, Id, Key, Modal, RichText, TextEdit};

use super::Workbench;
use super::notices::shown;
use crate::kinds;

/// The question for a link.
#[derive(Default)]
pub(super) struct PastedLink {
    text: String,
    is_focused: bool,
}

impl PastedLink {
    /// What is wrong with the text, or what it does, with its colour.
    fn hint(&self, problem: Option<&str>) -> (String, Token) {
        match problem {
            _ if self.text.trim().is_empty() => {
                ("A link carries a scenario. It opens in a new tab and starts no program.".to_owned(), Token::TextWeak)
            }
            Some(problem) => (shown(problem), Token::Error),
            None => ("The scenario opens in a new tab.".to_owned(), Token::TextWeak),
        }
    }
}

impl Workbench {
    /// Puts a link to what is on screen on the clipboard.
    pub(super) fn copy_link(&mut self) {
        let Some(document) = self.document_in_front().and_then(|id| self.document(id)) else { return };
        let name = document.label();
        let (front, mut what) = match self.active_tool().map(|page| page.tool().title) {
            Some(tool) => (Front::Tool(tool.to_owned()), format!("a link to {tool} of “{name}”")),
            None => (Front::Page(document.view.content().map(str::to_owned)), format!("a link to “{name}”")),
        };
        let mut scenario = document.scenario.clone();
        scenario.views.page = Some(document.view.shown()).filter(|shown| *shown != PageView::default());
        scenario.views.tool_zoomed = self.active_tool_view().map(ToolView::zoomed).unwrap_or_default();
        // Ranges that the user changed nothing of are in no document.
        if let Some(page) = self.active_tool()
            && let Some(shown) = page.shown()
        {
            let views = &mut scenario.views;
            views.sweep = views.sweep.take().or(shown.views.sweep);
            views.map = views.map.take().or(shown.views.map);
        }
        let others = link::leaves_out(&scenario);
        if !others.is_empty() {
            what = format!("{what}, without {others}");
        }
        let made = LazyText::fallible(move || link::write(&scenario, &front).map_err(|problem| format!("{problem:#}")));
        self.jobs.copy(made, what);
    }

    /// Opens the scenario of a link, with what is in front.
    pub(super) fn opened_from_link(&mut self, mut scenario: Scenario, front: &Front) {
        let shown = scenario.views.page.take();
        let tool_zoomed = std::mem::take(&mut scenario.views.tool_zoomed);
        self.add(|id| Document::recovered(kinds::page, id, None, scenario));
        if let (Some(shown), Some(document)) = (shown, self.documents.last_mut()) {
            document.view.show_again(&shown);
        }
        match front {
            Front::Page(content) => {
                if let (Some(content), Some(document)) = (content, self.documents.last_mut()) {
                    document.view.show_content(content);
                }
            }
            // No other tool: one may start a measurement.
            Front::Tool(title) => match kinds::tools_of_documents().into_iter().find(|kind| kind.tool.title == title) {
                Some(kind) => {
                    let ctx = self.jobs.window().clone();
                    self.show_tool(&ctx, kind.tool);
                    if let Some(view) = self.tools.iter_mut().find(|view| view.tool() == kind.tool) {
                        view.zoom(&tool_zoomed);
                    }
                }
                None => self.notify_lasting(format!("The link shows the tool “{title}”, which this version lacks")),
            },
        }
    }

    /// Asks for a link.
    pub(super) fn pasted_link(&mut self, ctx: &Context) {
        let Some(pasted) = &mut self.pasted_link else { return };
        let (mut is_accepted, mut is_cancelled) = (false, false);
        let modal = Modal::new(Id::unique("pasted link")).show(ctx, |ui| {
            ui.set_width(520.0);
            let label = ui.heading("Open link");
            let edit = TextEdit::singleline(&mut pasted.text).desired_width(f32::INFINITY).hint_text(link::BEGINNING);
            let edit = ui.add(edit).labelled_by(label.id);
            if !pasted.is_focused {
                edit.request_focus();
                pasted.is_focused = edit.has_focus();
            }
            let problem = link::check(&pasted.text).err().map(|problem| format!("{problem:#}"));
            let (hint, token) = pasted.hint(problem.as_deref());
            ui.add(egui::Label::new(RichText::new(hint).color(token.color(ui.visuals().dark_mode))).wrap());
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let is_clicked = ui.add_enabled(problem.is_none(), egui::Button::new("Open")).clicked();
                let is_entered = edit.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                is_accepted = problem.is_none() && (is_clicked || is_entered);
                // Enter on a rejected link keeps the focus.
                if is_entered && !is_accepted {
                    edit.request_focus();
                }
                is_cancelled = ui.button("Cancel").clicked();
            });
        });
        if is_accepted {
            if let Some(pasted) = self.pasted_link.take() {
                self.jobs.open(PathBuf::from(pasted.text));
            }
        } else if is_cancelled || modal.should_close() {
            self.pasted_link = None;
        }
    }
}
