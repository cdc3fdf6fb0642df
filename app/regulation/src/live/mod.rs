//! "What would the controller do here?": the GPUs of this machine, watched, and the actions that the study's
//! controller would take. Read-only: no GPU setting is changed.
//!
//! - [`state`]: the watch and its view, [`track`]: from readings to the controller's output
//! - [`welcome`]: the section before the first sample, [`controls`]: GPU, controller and time range
//! - [`advice`], [`charts`] and [`plots`], [`readings`]: the views, [`data`]: the same as CSV
//! - [`record`]: the samples as a recording, [`sample`]: a recorded GPU for the section before the first sample

mod advice;
mod charts;
mod controls;
mod data;
mod plots;
mod readings;
mod record;
mod sample;
mod state;
mod track;
mod welcome;

use crossover_chart::lines::LineChart;
use crossover_page::export_menu;
use crossover_regulation::Regulation;
use egui::Ui;

use super::Env;

pub use state::State;

/// The question of the section.
const TITLE: &str = "What would the controller do here?";

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &Regulation, env: &mut Env<'_>) {
    state.update(study);
    if !state.has_samples() {
        return welcome::show(ui, state, study, env);
    }
    state.sample.forget();
    ui.horizontal_wrapped(|ui| {
        ui.heading(TITLE);
        ui.weak("Read-only: no GPU setting is changed.");
        export_menu::of_charts(ui, env, 0, state.charts.iter().map(LineChart::captions));
    });
    controls::show(ui, state, study, env);
    ui.add_space(4.0);
    advice::show(ui, state);
    ui.add_space(4.0);
    plots::show(ui, state);
    ui.add_space(4.0);
    readings::show(ui, state);
}
