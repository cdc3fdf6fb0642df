//! Noise and delay of the occupancies that the controller reads.

use crossover_page::widgets::form;
use crossover_regulation::{Regulation, Run};
use egui::Ui;

use super::Env;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    form::all(ui, study, "measurement", &[], env.commands);
    form::numbers(ui, study, "run", &[&Run::SEED], env.commands);
}
