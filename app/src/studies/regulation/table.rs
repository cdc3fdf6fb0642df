//! The table at the bottom: every cluster before and after.

use egui::{Panel, Ui};

use super::board::Board;
use super::{Env, time};

/// Draws the table.
pub(super) fn show(ui: &mut Ui, board: &Board, _time: &time::State, _env: &mut Env<'_>) {
    Panel::bottom("before and after").resizable(true).show(ui, |ui| {
        ui.label(format!("{} clusters", board.outcome().comparison.len()));
    });
}
