//! How the occupancies are read that the controller acts upon.

use crossover_model::regulation::Regulation;
use crossover_model::regulation::numbers::{MEASUREMENT_DELAY, NOISE, SEED};
use egui::Ui;

use super::Env;
use super::form;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    form::numbers(ui, study, "measurement", &[&NOISE, &MEASUREMENT_DELAY], env);
    form::numbers(ui, study, "run", &[&SEED], env);
}
