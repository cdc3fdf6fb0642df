//! How the occupancies are read that the controller acts upon.

use crossover_model::regulation::Regulation;
use crossover_model::regulation::numbers::{MEASUREMENT_DELAY, NOISE, SEED};
use egui::Ui;

use super::Env;
use super::form::{self, Part};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    form::numbers(ui, study, Part::Measurement, &[&NOISE, &MEASUREMENT_DELAY], env);
    form::numbers(ui, study, Part::Run, &[&SEED], env);
}
