//! The gain schedule of a controller: gains by the size of the error and of its change.

use crossover_page::widgets::{form, warning};
use crossover_quantity::quantity::Quantity;
use crossover_regulation::{Form, Regulation, Schedule};
use egui::{RichText, Ui};

use super::Env;

/// Draws the switch between constant and scheduled gains.
pub(super) fn switch(ui: &mut Ui, study: &mut Regulation, index: usize) {
    let controller = &study.controllers[index];
    let path = format!("controllers.{}.schedule", controller.name);
    let explanation = "Gains by the size of the error e and of its change ec, instead of Kp, Ki and Kd";
    if let Some(is_on) = form::switch(ui, "gain schedule", explanation, &path, controller.schedule.is_some()) {
        study.set_schedule(index, is_on.then(Schedule::expert));
    }
}

/// Draws the numbers that the form uses, and the published inequalities that they do not meet.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, index: usize, env: &mut Env<'_>) {
    let parts = study.controllers[index].form;
    let path = format!("controllers.{}.schedule", study.controllers[index].name);
    form::all(ui, study, &path, &unused(parts), env.commands);
    let button = ui.button("Use expert start values");
    if button.on_hover_text("Start values that meet the published inequalities").clicked() {
        study.set_schedule(index, Some(Schedule::expert()));
    }
    let Some(schedule) = &study.controllers[index].schedule else { return };
    let departures = schedule.departures();
    if departures.is_empty() {
        ui.label(RichText::new("Meets the published inequalities").weak().small());
    }
    for departure in departures {
        warning::show(ui, RichText::new(format!("Departs from the published method: {departure}")).small());
    }
}

/// Numbers that a form does not use.
fn unused(form: Form) -> Vec<&'static Quantity> {
    let mut unused = Vec::new();
    if !form.has_integral() {
        unused.extend([&Schedule::KI1, &Schedule::KI2, &Schedule::KI3]);
    }
    if !form.has_derivative() {
        unused.extend([&Schedule::FAST_CHANGE, &Schedule::KD1, &Schedule::KD2, &Schedule::KD3, &Schedule::KD4]);
    }
    unused
}
