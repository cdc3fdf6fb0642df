//! The runs over time: occupancies, actions, and what they are worth.

use egui::Ui;

use super::Env;
use super::board::Board;

/// What is looked at.
#[derive(Debug, Default)]
pub(super) struct State;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, _state: &mut State, board: &Board, _env: &mut Env<'_>) {
    ui.label(format!("{} controllers", board.outcome().controllers.len()));
}
