//! The score: weights, and the two tables of points.

use crossover_page::widgets::form::{self, Choice, list};
use crossover_probe::study::MOST_BANDS;
use crossover_probe::{Interpolation, PrecisionBand, Probe, TimeBand};
use crossover_study::sources;
use egui::{Button, Ui};

use super::Env;

/// Draws weights and tables.
pub(super) fn show(ui: &mut Ui, study: &mut Probe, env: &mut Env<'_>) {
    form::all(ui, study, "score", &[], env.commands);
    let choices = [
        Choice::new(
            Interpolation::Steps,
            "steps",
            "Points of the first row that the value does not exceed, as published",
        ),
        Choice::new(Interpolation::LogLinear, "log-linear", "Straight line along the logarithm, without steps"),
    ];
    let title = ("interpolation", "Points between two rows of a table");
    form::choose(ui, title, "score.interpolation", &mut study.score.interpolation, choices, env.commands);
    ui.strong("Points for time");
    let mut gone = None;
    for row in 0..study.score.times.len() {
        ui.push_id(("time", row), |ui| {
            form::all(ui, study, &format!("score.times.{row}"), &[], env.commands);
            if study.score.times.len() > 1 && ui.add(Button::new("Remove row").small()).clicked() {
                gone = Some(row);
            }
        });
    }
    if let Some(row) = gone {
        study.score.times.remove(row);
        sources::move_entries(study, "score.times", |place| moved(place, row));
    }
    if list::add_button(ui, "Add row for longer probes", study.score.times.len(), MOST_BANDS)
        && let Some(last) = study.score.times.last()
    {
        let row = TimeBand { up_to_seconds: 2.0 * last.up_to_seconds, points: last.points / 2.0 };
        study.score.times.push(row);
    }
    ui.strong("Points for precision");
    let mut gone = None;
    for row in 0..study.score.precisions.len() {
        ui.push_id(("precision", row), |ui| {
            form::all(ui, study, &format!("score.precisions.{row}"), &[], env.commands);
            if study.score.precisions.len() > 1 && ui.add(Button::new("Remove row").small()).clicked() {
                gone = Some(row);
            }
        });
    }
    if let Some(row) = gone {
        study.score.precisions.remove(row);
        sources::move_entries(study, "score.precisions", |place| moved(place, row));
    }
    if list::add_button(ui, "Add row for larger errors", study.score.precisions.len(), MOST_BANDS)
        && let Some(last) = study.score.precisions.last()
    {
        let row = PrecisionBand { up_to_error: (10.0 * last.up_to_error).max(1e-15), points: last.points / 2.0 };
        study.score.precisions.push(row);
    }
}

/// New index of a row after one was removed.
fn moved(place: usize, gone: usize) -> Option<usize> {
    (place != gone).then(|| if place > gone { place - 1 } else { place })
}
