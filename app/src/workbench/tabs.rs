//! The tabs of open documents, the status bar, messages, and the page that shows when nothing is open.

use crossover_page::command::Command;
use crossover_page::study_module::MenuPlace;
use crossover_page::widgets::focus;
use egui::{Panel, RichText, Ui};

use super::{Workbench, listed};
use crate::kinds;
use crossover_chart::theme::Token;

/// Width of the menu behind the tabs, in points.
const BEHIND_TABS: f32 = 76.0;

impl Workbench {
    pub(super) fn tab_bar(&mut self, ui: &mut Ui) {
        Panel::top("tabs").resizable(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                // The menu keeps its width, so that many tabs do not push it out of sight.
                let room = (ui.available_width() - BEHIND_TABS).max(0.0);
                ui.scope(|ui| {
                    ui.set_max_width(room);
                    self.tabs(ui);
                });
                ui.menu_button("+ New", |ui| {
                    for command in listed::new_ones().chain(opening()) {
                        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                            self.commands.push(command);
                        }
                    }
                });
            });
        });
    }

    /// The tabs themselves; the active one is always in sight.
    fn tabs(&mut self, ui: &mut Ui) {
        let is_new = self.tab_in_sight != Some((self.active, self.documents.len() + self.tools.len()));
        self.tab_in_sight = Some((self.active, self.documents.len() + self.tools.len()));
        egui::ScrollArea::horizontal().show(ui, |ui| {
            ui.horizontal(|ui| {
                for (index, document) in self.documents.iter().enumerate() {
                    let mark = if document.is_dirty() { " •" } else { "" };
                    let title = format!("{}{mark}", document.title());
                    let tab = ui.selectable_label(index == self.active, title);
                    if is_new && index == self.active {
                        tab.scroll_to_me(None);
                    }
                    let place = document
                        .path
                        .as_ref()
                        .map_or_else(|| "not saved yet".into(), |path| path.display().to_string());
                    if tab.on_hover_text(place).clicked() {
                        self.commands.push(Command::SelectTab(index));
                    }
                    if close_button(ui, &document.title()) {
                        self.commands.push(Command::CloseTabAt(index));
                    }
                    ui.separator();
                }
                for (index, page) in (self.documents.len()..).zip(&self.tools) {
                    let tool = page.tool();
                    let tab = ui.selectable_label(index == self.active, tool.title);
                    if is_new && index == self.active {
                        tab.scroll_to_me(None);
                    }
                    if tab.on_hover_text(tool.tooltip).clicked() {
                        self.commands.push(Command::SelectTab(index));
                    }
                    if close_button(ui, tool.title) {
                        self.commands.push(Command::CloseTabAt(index));
                    }
                    ui.separator();
                }
            });
        });
    }

    pub(super) fn status_bar(&mut self, ui: &mut Ui) {
        Panel::bottom("status").resizable(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                let Some(document) = self.active() else {
                    if let Some(page) = self.active_tool() {
                        ui.label(RichText::new(page.status()).weak());
                    }
                    return;
                };
                let state = match (document.is_dirty(), &document.path) {
                    (true, _) => "unsaved edits",
                    (false, Some(_)) => "saved",
                    (false, None) => document.without_file,
                };
                ui.label(RichText::new(state).weak());
                ui.separator();
                ui.label(RichText::new(document.view.status()).weak());
                if self.jobs.is_busy() {
                    ui.separator();
                    ui.label("working…");
                }
            });
        });
    }

    pub(super) fn notice_bar(&mut self, ui: &mut Ui) {
        if self.notices.is_empty() {
            return;
        }
        Panel::bottom("notices").resizable(false).show(ui, |ui| {
            let mut dismissed = None;
            for (index, notice) in self.notices.iter().enumerate() {
                ui.horizontal_wrapped(|ui| {
                    let token = if notice.is_error { Token::Error } else { Token::Accent };
                    if ui.small_button("Dismiss").clicked() {
                        dismissed = Some(index);
                    }
                    ui.colored_label(token.color(ui.visuals().dark_mode), &notice.text);
                });
            }
            if let Some(index) = dismissed {
                self.notices.remove(index);
            }
        });
    }

    /// What to do when nothing is open.
    pub(super) fn empty_page(&mut self, ui: &mut Ui) {
        egui::CentralPanel::default_margins().show(ui, |ui| {
            let space = (0.1 * ui.available_height()).min(80.0);
            let scroll = egui::ScrollArea::vertical().auto_shrink(false);
            scroll.show(ui, |ui| {
                ui.vertical_centered(|ui| {
                    focus::follow(ui);
                    ui.add_space(space);
                    ui.heading("No scenario is open");
                    let files = match self.imports().join(" or ") {
                        none if none.is_empty() => "Open a scenario file".to_owned(),
                        imports => format!("Open a scenario file or import {imports}"),
                    };
                    ui.label(format!("{files}, drop a file on this window, or open an example."));
                    ui.add_space(12.0);
                    let tools = kinds::tool_commands();
                    let new = listed::new_ones().chain(listed::examples());
                    for command in [Command::Open].into_iter().chain(opening()).chain(new).chain(tools) {
                        if ui.button(command.text()).clicked() {
                            self.commands.push(command);
                        }
                    }
                })
            });
        });
    }
}

/// The commands of kinds of studies that open other files than scenarios.
fn opening() -> impl Iterator<Item = Command> {
    kinds::requests(|place| matches!(place, MenuPlace::Open(_))).map(Command::Ask)
}

/// The button that closes a tab; true if it was clicked.
fn close_button(ui: &mut Ui, title: &str) -> bool {
    let close = ui.add(egui::Button::new("×").small().frame(false));
    close.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Close {title}")));
    close.on_hover_text("Close this tab").clicked()
}
