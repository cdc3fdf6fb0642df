//! Predicted and measured times, at sizes that the fit did not use.

use crossover_measured::calibration::{Prediction, Validation};
use crossover_quantity::unit::Unit;
use egui::{Grid, Ui};

use super::results::{number, rest, title};

/// Rows that are shown; the others are folded.
const SHOWN: usize = 6;

/// Draws the table with title and answer, the worst prediction first.
pub(super) fn show(ui: &mut Ui, validation: &Validation) {
    ui.heading("How well do the curves predict other sizes?");
    // Equal as they are printed.
    let digits = |error: f64| (error.abs() * 1e3).round();
    let within =
        validation.points.iter().filter(|point| digits(error(point)) <= digits(validation.median_error)).count();
    ui.label(format!(
        "{within} of the {} predictions are within {} of the measurement; the largest error is {}.",
        validation.points.len(),
        share(validation.median_error),
        share(validation.worst_error)
    ));
    let mut points: Vec<&Prediction> = validation.points.iter().collect();
    points.sort_by(|a, b| error(b).abs().total_cmp(&error(a).abs()));
    let (worst, others) = points.split_at(SHOWN.min(points.len()));
    table(ui, "validation", worst);
    if !others.is_empty() {
        ui.collapsing(format!("{} with smaller errors", others.len()), |ui| table(ui, "other predictions", others));
    }
}

fn table(ui: &mut Ui, id: &str, points: &[&Prediction]) {
    Grid::new(id).num_columns(6).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        for (text, is_number) in
            [("prediction", false), ("input", true), ("predicted", true), ("measured", true), ("error", true)]
        {
            title(ui, text, is_number);
        }
        rest(ui);
        for point in points {
            ui.label(&point.what);
            number(ui, Unit::Gigabytes.format(point.bytes / 1e9));
            number(ui, Unit::Seconds.format(point.predicted_seconds));
            number(ui, Unit::Seconds.format(point.measured_seconds));
            let sign = if error(point) > 0.0 { "+" } else { "" };
            number(ui, format!("{sign}{}", share(error(point))));
            rest(ui);
        }
    });
}

/// Relative to what was measured.
fn error(point: &Prediction) -> f64 {
    point.predicted_seconds / point.measured_seconds - 1.0
}

/// An error in percent, rounded: further digits are noise.
fn share(error: f64) -> String {
    Unit::Share.format((error * 1e3).round() / 1e3)
}
