//! Predicted against measured, at sizes that the curves were not fitted to.

use crossover_model::calibration::Validation;
use crossover_model::unit::Unit;
use egui::{Grid, Ui};

use super::results::{number, rest, title};

/// Draws the table with title and answer.
pub(super) fn show(ui: &mut Ui, validation: &Validation) {
    ui.heading("How well do the curves predict other sizes?");
    Grid::new("validation").num_columns(6).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        for (text, is_number) in
            [("prediction", false), ("input", true), ("predicted", true), ("measured", true), ("error", true)]
        {
            title(ui, text, is_number);
        }
        rest(ui);
        for point in &validation.points {
            ui.label(&point.what);
            number(ui, Unit::Gigabytes.format(point.bytes / 1e9));
            number(ui, Unit::Seconds.format(point.predicted_seconds));
            number(ui, Unit::Seconds.format(point.measured_seconds));
            let error = point.predicted_seconds / point.measured_seconds - 1.0;
            let sign = if error > 0.0 { "+" } else { "" };
            number(ui, format!("{sign}{}", Unit::Share.format((error * 1e4).round() / 1e4)));
            rest(ui);
        }
    });
    ui.label(format!(
        "Half of the {} predictions are within {} of the measurement, the worst is off by {}.",
        validation.points.len(),
        Unit::Share.format(validation.median_error),
        Unit::Share.format(validation.worst_error)
    ));
}
