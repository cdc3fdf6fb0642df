//! The left panel: every number of the study, section by section.

mod gpu;
mod kernels;
mod pairs;
mod rule;
mod stream;

use crossover_page::ask;
use crossover_page::command::Command;
use crossover_page::widgets::focus;
use crossover_page::widgets::form::{self, legend, section, text};
use crossover_preemption::Preemption;
use egui::{Button, Ui};

use super::Env;
use super::request::{ImportKind, Request};

/// State of the panel between frames.
#[derive(Default)]
pub(super) struct State {
    name: text::State,
    /// The last selected pair, by its names.
    looked_at: Option<(String, String)>,
}

/// A button that imports from a file.
fn import(ui: &mut Ui, what: ImportKind, env: &mut Env<'_>) {
    let request = ask::Request::new(Request::Import(what));
    if ui.add(Button::new(what.short()).small()).on_hover_text(request.tooltip()).clicked() {
        env.commands.push(Command::Ask(request));
    }
}

/// Draws the panel; `looked_at` is the selected pair of the map.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    looked_at: Option<&(String, String)>,
    study: &mut Preemption,
    env: &mut Env<'_>,
) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        section(ui, "Sharing policy", true, |ui| rule::show(ui, study, env));
        section(ui, "Stream", true, |ui| stream::show(ui, study, env));
        section(ui, "GPU", true, |ui| gpu::show(ui, study, env));
        section(ui, "Kernels", true, |ui| kernels::show(ui, state, study, env));
        section(ui, "Pairs", true, |ui| pairs::show(ui, state, looked_at, study, env));
        section(ui, "Unmeasured pairs", study.pairs.is_empty(), |ui| {
            form::all(ui, study, "fallback", &[], env.commands);
        });
        legend(ui, study);
    });
}
