//! Which gains are safe: the stability map, and tuning.

use crossover_model::regulation::Regulation;
use egui::Ui;

use super::Env;

/// What is looked at, and what is being computed.
#[derive(Debug, Default)]
pub(super) struct State;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, _state: &mut State, study: &mut Regulation, _env: &mut Env<'_>) {
    ui.label(study.policy.controller.as_str());
}
