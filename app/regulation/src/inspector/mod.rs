//! The left panel: every number of the study, section by section.

mod actuators;
mod clusters;
mod controllers;
mod demand;
mod fuzzy;
mod gpu;
mod manager;
mod measurement;
mod power;
mod precision;
mod precision_levels;
mod run;
mod schedule;
mod table;
mod terms;

use crossover_page::widgets::focus;
use crossover_page::widgets::form::{legend, name, section};
use crossover_regulation::Regulation;
use egui::Ui;

use super::Env;

/// State of the panel between frames.
#[derive(Default)]
pub(super) struct State {
    name: name::State,
    precision_levels: precision_levels::State,
    power: power::State,
}

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Regulation, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        section(ui, "What do e, u and vGPU mean?", false, terms::show);
        section(ui, "Run", true, |ui| run::show(ui, study, env));
        section(ui, "Clusters", true, |ui| clusters::show(ui, &mut state.name, study, env));
        section(ui, "Controllers", true, |ui| controllers::show(ui, &mut state.name, study, env));
        section(ui, "Control table", true, |ui| table::show(ui, study, env));
        section(ui, "Actuators", true, |ui| actuators::show(ui, study, env));
        section(ui, "Precision levels", false, |ui| {
            precision_levels::show(ui, &mut state.precision_levels, &mut state.name, study, env);
        });
        section(ui, "Cloud manager", true, |ui| manager::show(ui, study, env));
        section(ui, "Measurement", true, |ui| measurement::show(ui, study, env));
        section(ui, "Power and price", true, |ui| power::show(ui, &mut state.power, study, env));
        legend(ui, study);
    });
}
