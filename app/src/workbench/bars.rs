//! The status bar, and the page that shows when nothing is open.

use crossover_page::command::Command;
use crossover_page::widgets::focus;
use egui::{Align, Label, Layout, Panel, RichText, Ui, vec2};

use super::{Workbench, listed};
use crate::kinds;

/// Room for the link to the help on the page, in points.
const HELP: f32 = 130.0;
/// Room for the note that a job is running, in points.
const WORKING: f32 = 90.0;

impl Workbench {
    pub(super) fn status_bar(&mut self, ui: &mut Ui) {
        Panel::bottom("status").resizable(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                // The status is cut off where there is no room beside the link.
                let room = ui.available_width() - HELP;
                in_width(ui, room, |ui| self.status(ui));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    let help = Command::HelpOnPage;
                    if ui.link(help.text()).on_hover_text(help.tooltip()).clicked() {
                        self.commands.push(help);
                    }
                });
            });
        });
    }

    fn status(&self, ui: &mut Ui) {
        let Some(document) = self.active() else {
            if let Some(page) = self.active_tool() {
                ui.add(Label::new(RichText::new(page.status()).weak()).truncate());
            }
            return;
        };
        let state = match (document.is_dirty(), &document.path) {
            (true, _) if document.is_unedited_import() => document.without_file,
            (true, _) => "unsaved edits",
            (false, Some(_)) if self.is_read_only(document) => "read only: open in another window",
            (false, Some(_)) => "saved",
            (false, None) => document.without_file,
        };
        ui.label(RichText::new(state).weak());
        ui.separator();
        let is_busy = self.jobs.is_busy();
        let room = ui.available_width() - if is_busy { WORKING } else { 0.0 };
        in_width(ui, room, |ui| drop(ui.add(Label::new(RichText::new(document.view.status()).weak()).truncate())));
        if is_busy {
            ui.separator();
            ui.label("working…");
        }
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
                    if !self.settings.has_taken_tour {
                        let tour = Command::TakeTour(None);
                        if ui.link(tour.text()).on_hover_text(tour.tooltip()).clicked() {
                            self.commands.push(tour);
                        }
                    }
                    ui.add_space(12.0);
                    let tools = kinds::tool_commands();
                    let new = listed::new_ones().chain(listed::examples());
                    for command in [Command::Open].into_iter().chain(listed::opening()).chain(new).chain(tools) {
                        if ui.button(command.text()).clicked() {
                            self.commands.push(command);
                        }
                    }
                })
            });
        });
    }
}

/// A part of the bar, at most so many points wide.
fn in_width(ui: &mut Ui, width: f32, show: impl FnOnce(&mut Ui)) {
    let size = vec2(width.max(0.0), ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), show);
}
