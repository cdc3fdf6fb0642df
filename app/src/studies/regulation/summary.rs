//! The strip on top: what the chosen controller gains.

use crossover_model::regulation::Regulation;
use egui::{Panel, Ui};

use super::board::Board;

/// Draws the strip.
pub(super) fn strip(ui: &mut Ui, _study: &mut Regulation, board: &Board) {
    Panel::top("summary").resizable(false).show(ui, |ui| {
        ui.label(format!("{} TOPS", board.outcome().after().tops));
    });
}
