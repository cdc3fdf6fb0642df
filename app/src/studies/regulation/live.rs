//! What the controller would do on this machine; advice only.

use crossover_model::regulation::Regulation;
use egui::Ui;

use super::Env;

/// What is watched.
#[derive(Debug, Default)]
pub(super) struct State;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, _state: &mut State, study: &mut Regulation, _env: &mut Env<'_>) {
    ui.label(study.policy.controller.as_str());
}
