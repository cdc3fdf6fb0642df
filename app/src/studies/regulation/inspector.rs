//! The left panel: every number of the study, section by section.

use crossover_model::regulation::Regulation;
use egui::Ui;

use super::Env;

/// What the panel remembers between frames.
#[derive(Default)]
pub(super) struct State;

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, _state: &mut State, study: &mut Regulation, _env: &mut Env<'_>) {
    ui.label(study.policy.controller.as_str());
}
