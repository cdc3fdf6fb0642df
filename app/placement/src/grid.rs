//! A table of texts as it stands in reports, on the screen.

use crossover_page::widgets::cell::right;
use crossover_quantity::text::{Align, Table};
use egui::{Grid, RichText, Ui};

/// Draws a table; `id` tells it from others on the page.
pub(crate) fn show(ui: &mut Ui, id: &str, table: &Table) {
    Grid::new(id).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
        let cell = |ui: &mut Ui, align: Align, text: RichText| match align {
            Align::Right => right(ui, text),
            Align::Left => ui.label(text),
        };
        for column in &table.columns {
            cell(ui, column.align, RichText::new(&*column.title).strong());
        }
        ui.end_row();
        for row in &table.rows {
            for (column, text) in table.columns.iter().zip(row) {
                cell(ui, column.align, RichText::new(text));
            }
            ui.end_row();
        }
    });
}
