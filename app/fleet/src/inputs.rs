//! What the user enters for all applications: runs per month, and the price of one of today's machines.

use crossover_placement_page::import::EnteredInputs;
use egui::{DragValue, Response, Ui};

/// Runs of a number that is switched on: once a day.
const FIRST_RUNS: f64 = 30.0;
/// Price that is switched on, US dollars per hour.
const FIRST_PRICE: f64 = 1.0;
/// Largest number of runs, and largest price.
const MOST: f64 = 1e9;

/// Draws both numbers, each with a switch, and edits them.
pub(super) fn show(ui: &mut Ui, inputs: &mut EnteredInputs) {
    let runs = "Each application runs so often; otherwise as often as in the logs, if they cover a week and have no longer gap than two weeks";
    switched(ui, ("Runs per month", runs), &mut inputs.runs_per_month, FIRST_RUNS, |number| {
        number.speed(1.0).max_decimals(0)
    });
    ui.add_space(6.0);
    let price =
        "Price of one of today’s machines for an hour; otherwise that of the engines that the logs are compared with";
    switched(ui, ("Price today", price), &mut inputs.price_today, FIRST_PRICE, |number| {
        number.speed(0.01).prefix("$").suffix(" per machine and hour")
    });
}

/// A number that is entered where it is switched on.
fn switched(
    ui: &mut Ui,
    (name, meaning): (&str, &str),
    value: &mut Option<f64>,
    first: f64,
    look: impl FnOnce(DragValue<'_>) -> DragValue<'_>,
) {
    let mut is_on = value.is_some();
    let switch: Response = ui.checkbox(&mut is_on, name).on_hover_text(meaning);
    if switch.changed() {
        *value = is_on.then_some(first);
    }
    if let Some(number) = value {
        // All is decided anew when the number is complete, not with each digit.
        let drag = DragValue::new(number).range(0.0..=MOST).update_while_editing(false);
        ui.add(look(drag)).labelled_by(switch.id);
    }
}
