//! The start panel: what can be decided, beside the live curves of the published setting.

use crossover_page::command::Command;
use crossover_page::storage::scenario::BUILT_IN;
use crossover_page::study_module::StudyModule;
use crossover_page::widgets::focus;
use crossover_placement_page::steps;
use crossover_scenario::Kind;
use egui::{Button, Panel, RichText, ScrollArea, Ui, vec2};

use super::{Workbench, listed};
use crate::kinds;

/// The question of the panel.
const TITLE: &str = "What do you want to decide?";
/// Width of the panel, in points: beside it a window of 1280 points shows all of the page.
const WIDTH: f32 = 264.0;
/// Width of a window below which the panel is above the page, in points.
const NARROW: f32 = 1200.0;
/// Height of a large button, in points.
const LARGE: f32 = 38.0;

impl Workbench {
    /// Draws the panel beside the published scenario that the window began with, until the user closes it.
    pub(super) fn start_panel(&mut self, ui: &mut Ui) {
        let is_beside = self.active().is_some_and(|document| Some(&document.id) == self.start_document.as_ref());
        if !is_beside || !self.settings.start_open {
            return;
        }
        if ui.available_width() < NARROW {
            Panel::top("start above").resizable(false).show(ui, |ui| {
                ui.horizontal_wrapped(|ui| {
                    ui.strong(TITLE);
                    for (text, meaning, command) in choices() {
                        if ui.button(text).on_hover_text(meaning).clicked() {
                            self.commands.push(command);
                        }
                    }
                    self.close_start_button(ui);
                });
            });
            return;
        }
        Panel::right("start").resizable(false).exact_size(WIDTH).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                ui.add_space(6.0);
                ui.heading(TITLE);
                self.close_start_button(ui);
                ui.add_space(8.0);
                for (text, meaning, command) in choices() {
                    let size = vec2(ui.available_width(), LARGE);
                    if ui.add(Button::new(RichText::new(text).strong().size(15.0)).min_size(size)).clicked() {
                        self.commands.push(command);
                    }
                    ui.add(egui::Label::new(RichText::new(meaning).weak()).wrap());
                    ui.add_space(10.0);
                }
                ui.separator();
                self.start_menus(ui);
            });
        });
    }

    fn close_start_button(&mut self, ui: &mut Ui) {
        let close = Command::CloseStart;
        let button = ui.small_button("× Close");
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, close.text()));
        if button.on_hover_text(close.tooltip()).clicked() {
            self.commands.push(close);
        }
    }

    /// Everything else that can be opened.
    fn start_menus(&mut self, ui: &mut Ui) {
        ui.menu_button("More studies", |ui| {
            for command in listed::new_ones() {
                if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                    self.commands.push(command);
                }
            }
        });
        ui.menu_button("Examples", |ui| {
            for example in kinds::modules().flat_map(StudyModule::examples) {
                if ui.button(example.label).clicked() {
                    self.commands.push(Command::OpenExample(*example));
                }
            }
        });
        ui.menu_button("Recent files", |ui| self.recent_menu(ui));
    }

    /// Shows the panel again, beside the published scenario.
    pub(super) fn show_start(&mut self) {
        self.settings.start_open = true;
        let open = self.start_document.as_ref();
        let place = open.and_then(|id| self.documents.iter().position(|document| document.id == *id));
        match place {
            Some(place) => self.show_tab(place),
            None => self.start_document = self.open_example("The built-in scenario", BUILT_IN),
        }
    }
}

/// What can be decided: button, meaning, command.
fn choices() -> impl Iterator<Item = (&'static str, &'static str, Command)> {
    let first = |kind: Kind| kinds::module(kind).examples().first().copied().map(Command::OpenExample);
    let queries = Some(Command::ShowTool(steps::WHAT));
    let all = [
        (
            "Move queries to GPUs",
            "Which engine and which machines should run a Spark or DuckDB query: time, cost and likelihood.",
            queries,
        ),
        (
            "Share GPUs among tasks",
            "Which tasks share a GPU, and how many fit: allocation of vGPUs, time slices and memory.",
            first(Kind::Allocation),
        ),
        (
            "Compare centres",
            "Which data centre or cluster runs your work best, from short probes of each.",
            first(Kind::Probe),
        ),
    ];
    all.into_iter().filter_map(|(text, meaning, command)| Some((text, meaning, command?)))
}
