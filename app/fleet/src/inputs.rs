//! What the user enters for all applications: runs per month, the goal with its limit, the effort of a move, and the price of one of
//! today's machines.

use crossover_decision::Goal;
use crossover_decision::saving::longest_payback;
use crossover_page::widgets::typed::{Fields, Format, dollars, factor_of_today, in_dollars, in_factor};
use crossover_page::widgets::{effort_hours, runs_per_month};
use crossover_placement::EnteredInputs;
use egui::{ComboBox, Response, Role, Ui, WidgetInfo};

use super::price_used::UsedPrice;

/// Runs of a number that is switched on: once a day.
const FIRST_RUNS: f64 = 30.0;
/// Time limit that is switched on, as a factor of today's time.
const FIRST_LIMIT: f64 = 1.2;
/// Largest time limit.
const LARGEST_LIMIT: f64 = 100.0;
/// Budget that is switched on, US dollars per run.
const FIRST_BUDGET: f64 = 1.0;
/// Effort that is switched on, US dollars per application.
const FIRST_EFFORT: f64 = 5000.0;
/// Price that is switched on where none is used, US dollars per hour.
const FIRST_PRICE: f64 = 1.0;
/// Largest price, budget or effort.
const MOST_USD: f64 = 1e9;

/// Draws the numbers, each with a switch, and edits them. The price begins at the one that is used where none is entered, whose source
/// stands beside it.
pub(super) fn show(ui: &mut Ui, inputs: &mut EnteredInputs, used: Option<&UsedPrice>) {
    let runs =
        "Runs of each application; off: as often as in the logs, if they cover a week and have no gap of two weeks";
    let mut fields = Fields::default();
    let format = &runs_per_month::FORMAT;
    switched(ui, &mut fields, ("Runs per month", runs, ""), &mut inputs.runs_per_month, FIRST_RUNS, format);
    ui.add_space(6.0);
    let goals = [(Goal::Cost, "least cost"), (Goal::Time, "least time")];
    let chosen = goals.iter().find(|(goal, _)| *goal == inputs.goal).map_or("", |(_, name)| *name);
    ui.label("Goal");
    let combo = ComboBox::from_id_salt("goal of the fleet").selected_text(chosen).width(90.0);
    let combo = combo.show_ui(ui, |ui| {
        for (goal, name) in goals {
            ui.selectable_value(&mut inputs.goal, goal, name);
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "goal"));
    let meaning = "What to minimise for each application: the cost of a run, within the time limit, or its time, within the budget";
    combo.response.on_hover_text(meaning);
    ui.add_space(6.0);
    if inputs.goal == Goal::Cost {
        time_limit(ui, &mut fields, inputs);
        effort(ui, &mut fields, inputs);
    } else {
        budget(ui, &mut fields, inputs);
    }
    ui.add_space(6.0);
    let price = "Price of one of today’s machines for an hour; off: for each core, the price of a core of the measured CPU \
         machines";
    let first = used.map_or(FIRST_PRICE, UsedPrice::usd_per_hour);
    let unit = "per machine and hour";
    switched(ui, &mut fields, ("Price today", price, unit), &mut inputs.price_today, first, &money(0.01));
    let source = used.map_or_else(|| "No price of today’s machines is known".to_owned(), UsedPrice::source);
    ui.weak(beside(inputs.price_today, used)).on_hover_text(source);
    fields.reasons(ui);
}

/// Amounts of US dollars; `speed`: of a drag.
fn money(speed: f64) -> Format<'static> {
    Format { range: 0.0..=MOST_USD, speed, shown: &in_dollars, read: &dollars }
}

/// The longest time of a run, for the least cost.
fn time_limit(ui: &mut Ui, fields: &mut Fields, inputs: &mut EnteredInputs) {
    let limit = "Longest time of a run of each application, as a factor of its time today; off: not slower than today";
    // Each application has its own time.
    let format = Format { range: 0.01..=LARGEST_LIMIT, speed: 0.01, shown: &in_factor, read: &factor_of_today };
    let names = ("Time limit", limit, "today’s time");
    switched(ui, fields, names, &mut inputs.time_limit, FIRST_LIMIT, &format);
    ui.add_space(6.0);
}

/// What a move costs once, for the least cost: seconds pay no effort.
fn effort(ui: &mut Ui, fields: &mut Fields, inputs: &mut EnteredInputs) {
    let effort = format!(
        "One-time cost of moving an application, such as work and tests. An application whose saving does not pay it back within {} is \
         not moved. Off: not counted",
        longest_payback()
    );
    // Hours alone are an effort, too.
    let mut usd = inputs.effort_usd.or(inputs.effort_hours.map(|_| 0.0));
    switched(ui, fields, ("Effort", &effort, "per application"), &mut usd, FIRST_EFFORT, &money(10.0));
    if usd.is_some() {
        inputs.effort_usd = usd.filter(|usd| *usd > 0.0 || inputs.effort_hours.is_none());
        effort_hours::fields(ui, fields, &mut inputs.effort_hours, &mut inputs.hourly_rate_usd);
    } else {
        (inputs.effort_usd, inputs.effort_hours) = (None, None);
    }
}

/// The largest cost of a run, for the least time.
fn budget(ui: &mut Ui, fields: &mut Fields, inputs: &mut EnteredInputs) {
    let budget = "Largest cost of a run of each application; off: its cost today";
    switched(ui, fields, ("Budget", budget, "per run"), &mut inputs.budget_usd, FIRST_BUDGET, &money(0.01));
}

/// What the price is, beside its field: the one that is used, or another one that was entered instead.
fn beside(entered: Option<f64>, used: Option<&UsedPrice>) -> String {
    match (entered, used) {
        (None, None) => "no price known".to_owned(),
        (None, Some(used)) => used.in_words(),
        (Some(usd), Some(used)) if usd == used.usd_per_hour() && used.is_of_all() => used.basis(),
        (Some(_), Some(used)) => format!("entered, instead of {}", used.in_words()),
        (Some(_), None) => "entered".to_owned(),
    }
}

/// A number that is entered where it is switched on; its name, its meaning, and what follows it.
fn switched(
    ui: &mut Ui,
    fields: &mut Fields,
    (name, meaning, unit): (&str, &str, &str),
    value: &mut Option<f64>,
    first: f64,
    format: &Format<'_>,
) {
    let mut is_on = value.is_some();
    let switch: Response = ui.checkbox(&mut is_on, name).on_hover_text(meaning);
    // What was entered before it was switched off comes back.
    let last = switch.id.with("last");
    if switch.changed() {
        if let Some(value) = *value {
            ui.data_mut(|data| data.insert_temp(last, value));
        }
        *value = is_on.then(|| ui.data(|data| data.get_temp(last)).unwrap_or(first));
    }
    if let Some(number) = value {
        fields.add(ui, (&switch, name, meaning), number, format);
        if !unit.is_empty() {
            ui.label(unit);
        }
    }
}
