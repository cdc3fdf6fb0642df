//! The fields for the work of a move: its hours, and the cost of an hour.

use std::ops::RangeInclusive;

use egui::Ui;

use super::exact;

/// Allowed hours.
const HOURS: RangeInclusive<f64> = 0.0..=1e9;
/// Allowed costs of an hour, US dollars; at 0 the hours are not counted.
const HOURLY_RATES: RangeInclusive<f64> = 0.0..=1e5;

/// Draws the fields, and edits both numbers. The field for the rate appears once hours are entered. Numbers are applied when they are
/// complete, not with each digit.
pub fn fields(ui: &mut Ui, hours: &mut Option<f64>, hourly_rate_usd: &mut Option<f64>) {
    let label = ui.label("Work");
    let mut number = hours.unwrap_or(0.0);
    let drag = exact::number(&mut number).range(HOURS).speed(1.0).suffix(" h");
    let meaning = "Hours of work for the move. Hours × hourly rate is part of its effort. 0: none";
    if ui.add(drag).labelled_by(label.id).on_hover_text(meaning).changed() {
        *hours = (number > 0.0).then_some(number);
        *hourly_rate_usd = hourly_rate_usd.filter(|_| number > 0.0);
    }
    if hours.is_some() {
        let label = ui.label("Hourly rate");
        let mut usd = hourly_rate_usd.unwrap_or(0.0);
        let drag = exact::number(&mut usd).range(HOURLY_RATES).speed(1.0).prefix("$");
        let meaning = "Cost of an hour of this work, US dollars; 0: the hours are not counted";
        if ui.add(drag).labelled_by(label.id).on_hover_text(meaning).changed() {
            *hourly_rate_usd = (usd > 0.0).then_some(usd);
        }
    }
}
