//! What the answer depends on most, as horizontal bars.

use crossover_chart::bars::BarChart;
use crossover_chart::screen::{self, Swatch};
use egui::{Label, RichText, Ui};

/// Draws the bars of the numbers that move the saving most; `meaning`: what they are.
pub(super) fn show(ui: &mut Ui, chart: &BarChart, meaning: &str) {
    ui.add_space(8.0);
    ui.strong(&chart.title);
    ui.add(Label::new(RichText::new(&chart.subtitle).weak()).wrap());
    ui.add(Label::new(RichText::new(meaning).weak()).wrap());
    ui.horizontal_wrapped(|ui| {
        for segment in chart.rows.first().map_or(&[][..], |row| &row.segments) {
            screen::entry(ui, segment.token, Swatch::Square, &segment.name);
            ui.add_space(6.0);
        }
    });
    screen::bars(ui, chart);
    if chart.rows.iter().any(|row| row.start < 0.0) {
        ui.weak("At the vertical line there is no difference; left of it, the other option is better.");
    }
    ui.label(&chart.answer);
}
