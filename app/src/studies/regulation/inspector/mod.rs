//! The left panel: every number of the study, section by section.

mod actuators;
mod clusters;
mod controllers;
mod demand;
mod form;
mod fuzzy;
mod gpu;
mod ladder;
mod list;
mod manager;
mod measurement;
mod name;
mod power;
mod precision;
mod run;
mod schedule;
mod table;
mod terms;

use crossover_model::regulation::Regulation;
use egui::{CollapsingHeader, RichText, Ui};

use super::Env;

/// What the panel remembers between frames.
#[derive(Default)]
pub(super) struct State {
    name: name::State,
    ladder: ladder::State,
    power: power::State,
}

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Regulation, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        section(ui, "What do e, u and vGPU mean?", false, terms::show);
        section(ui, "Run", true, |ui| run::show(ui, study, env));
        section(ui, "Clusters", true, |ui| clusters::show(ui, &mut state.name, study, env));
        section(ui, "Controllers", true, |ui| controllers::show(ui, &mut state.name, study, env));
        section(ui, "Control table", true, |ui| table::show(ui, study, env));
        section(ui, "Actuators", true, |ui| actuators::show(ui, study, env));
        section(ui, "Precision ladder", false, |ui| ladder::show(ui, &mut state.ladder, &mut state.name, study, env));
        section(ui, "Cloud manager", true, |ui| manager::show(ui, study, env));
        section(ui, "Measurement", true, |ui| measurement::show(ui, study, env));
        section(ui, "Power and price", true, |ui| power::show(ui, &mut state.power, study, env));
        ui.add_space(8.0);
        ui.label(RichText::new("P published  C catalogue  M measured  I imported  E entered").weak().small());
    });
}

fn section(ui: &mut Ui, title: &str, is_open: bool, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(is_open).show_unindented(ui, content);
    ui.add_space(4.0);
}
