//! Cells of tables and grids.

use egui::{Align, Layout, Response, Ui, WidgetText};

/// A number in a cell, right-aligned.
pub fn right(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text)).inner
}
