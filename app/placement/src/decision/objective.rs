//! What the user wants of the query: least cost, least time or the Pareto front of both, the limit, and the runs of a month.

use crossover_decision::saving::longest_payback;
use crossover_decision::{Decision, DecisionOption, Goal, Objective, decide, words};
use crossover_page::widgets::{effort_hours, exact, runs_per_month};
use crossover_placement::Placement;
use crossover_quantity::unit::{Unit, predicted_limit};
use egui::{ComboBox, Role, Ui, WidgetInfo};

use super::headline::Subject;
use super::missing;

/// Largest time limit that can be dragged to, as a factor of today's time.
const LARGEST_LIMIT: f64 = 100.0;
/// Largest budget.
const LARGEST: f64 = 1e9;

/// Draws the goal and edits it.
pub(super) fn show(ui: &mut Ui, study: &mut Placement, subject: Subject) {
    let before = study.decision_inputs();
    let mut inputs = before.clone();
    ui.horizontal_wrapped(|ui| {
        let goals = [(Goal::Cost, "least cost"), (Goal::Time, "least time"), (Goal::ParetoFront, "Pareto front")];
        let name = |goal: Goal| goals.iter().find(|(other, _)| *other == goal).map_or("", |(_, name)| *name);
        ui.label("Goal");
        let combo = ComboBox::from_id_salt("goal").selected_text(name(inputs.goal)).width(100.0);
        let combo = combo.show_ui(ui, |ui| {
            for (goal, name) in goals {
                ui.selectable_value(&mut inputs.goal, goal, name);
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "goal"));
        if inputs.goal == Goal::Cost {
            let label = ui.label("within");
            let limit = exact::number(&mut inputs.time_limit).range(0.01..=LARGEST_LIMIT).speed(0.01).suffix("×");
            ui.add(limit).labelled_by(label.id).on_hover_text("Longest time of a run, as a factor of today’s time");
            ui.label("today’s time");
        } else if inputs.goal == Goal::ParetoFront {
            let text = ui.label("of time and cost");
            text.on_hover_text(
                "Lists the non-dominated options: any faster one costs more, and any cheaper one is slower",
            );
        } else if subject == Subject::Application {
            let text = ui.label("at no more than today’s cost");
            text.on_hover_text("A budget is the cost of one query: enter it beside the decision about this query");
        } else {
            let label = ui.label("at no more than");
            let mut budget = inputs.budget_usd.unwrap_or(0.0);
            let drag = exact::number(&mut budget).range(0.0..=LARGEST).speed(0.001).prefix("$");
            if ui.add(drag).labelled_by(label.id).on_hover_text("Largest cost of a run; 0: today’s cost").changed() {
                inputs.budget_usd = (budget >= 1e-6).then_some(budget);
            }
            ui.label(if inputs.budget_usd.is_some() { "per run" } else { "today’s cost" });
        }
        ui.add_space(12.0);
        let label = ui.label("Runs per month");
        let mut runs = inputs.runs_per_month.unwrap_or(0.0);
        let drag = runs_per_month::field(&mut runs);
        if ui.add(drag).labelled_by(label.id).on_hover_text("For the saving per month; 0: not set").changed() {
            inputs.runs_per_month = (runs > 0.0).then_some(runs);
        }
        ui.add_space(12.0);
        let label = ui.label("Effort of the move");
        let mut effort = inputs.effort_usd.unwrap_or(0.0);
        let drag = exact::number(&mut effort).range(0.0..=LARGEST).speed(10.0).prefix("$");
        let within = longest_payback();
        let meaning = format!(
            "One-time cost of the move, US dollars, to be paid back within {within}. Work × hourly rate is added. 0: not counted"
        );
        if ui.add(drag).labelled_by(label.id).on_hover_text(meaning).changed() {
            inputs.effort_usd = (effort > 0.0).then_some(effort);
        }
        effort_hours::fields(ui, &mut inputs.effort_hours, &mut inputs.hourly_rate_usd);
    });
    if inputs != before {
        study.edit_decision(|now| *now = inputs);
    }
}

/// The decision without effort, and with limits that are not below today's. If it recommends no option, the decision with the largest limits
/// that can be entered.
pub(super) fn unlimited(decision: &Decision) -> Decision {
    let Decision { baseline, options, objective, .. } = decision;
    let decide_within = |time_limit: f64, budget_usd: Option<f64>| {
        let goal = if objective.goal == Goal::ParetoFront { Goal::Cost } else { objective.goal };
        let objective = Objective { goal, time_limit, budget_usd, effort_usd: None, ..*objective };
        let candidates = options.iter().map(|option| option.candidate.clone()).collect();
        decide(baseline.clone(), candidates, objective)
    };
    let usual = decide_within(objective.time_limit.max(1.0), None);
    if usual.best.is_some() { usual } else { decide_within(LARGEST_LIMIT, Some(LARGEST)) }
}

/// Says that no option is likely to keep the time limit or the budget, and offers the least one that an option is likely to keep.
pub(super) fn unmet(ui: &mut Ui, study: &mut Placement, decision: &Decision) {
    if let Some(limit) = shortest_limit(decision) {
        let now = Unit::Factor.format(decision.objective.time_limit);
        let text = format!("No option is likely to finish within {now} today’s time.");
        let button = format!("Set the limit to {}", Unit::Factor.format(limit));
        if missing::with_button(ui, &text, &button) {
            study.edit_decision(|inputs| inputs.time_limit = limit);
        }
    } else if let Some((now, budget)) = decision.objective.budget_usd.zip(smallest_budget(decision)) {
        let text = format!("No option is likely to cost at most {} per run.", words::known_dollars(now));
        if missing::with_button(ui, &text, &format!("Set the budget to {}", words::dollars(budget))) {
            study.edit_decision(|inputs| inputs.budget_usd = Some(budget));
        }
    }
}

/// The options that are judged; `None` if one of them is at least 50 % likely to keep the present limit or budget.
fn unlikely(decision: &Decision) -> Option<Vec<&DecisionOption>> {
    let judged = decision.options.iter().filter(|option| option.candidate.blocked_by.is_none());
    let judged: Vec<&DecisionOption> = judged.filter(|option| option.feasible.is_some()).collect();
    let is_kept = judged.iter().any(|option| option.feasible.is_some_and(|chance| chance >= 0.5));
    (!is_kept).then_some(judged)
}

/// The time limit that the answer names, or else the shortest, in hundredths, that an option is at least 50 % likely to keep; `None` if the present one is kept so,
/// or if no option has a time.
fn shortest_limit(decision: &Decision) -> Option<f64> {
    if decision.objective.goal != Goal::Cost {
        return None;
    }
    let today = decision.baseline.time.value();
    let times = unlikely(decision)?.into_iter().filter_map(|option| option.candidate.time);
    let fastest = times.map(|time| time.value()).min_by(f64::total_cmp)?;
    let least = (100.0 * fastest / today).ceil() / 100.0;
    // The limit that the answer names recommends an option. If it names none, no limit does so without a trial.
    let limit = decision.limit_of_a_move().map_or(least, |(limit, _)| limit);
    let is_allowed = limit.is_finite() && limit <= LARGEST_LIMIT && limit > decision.objective.time_limit;
    is_allowed.then_some(limit)
}

/// The smallest budget, with two digits, that an option is at least 50 % likely to keep; `None` if the present one is kept so, or if
/// no option has a price.
fn smallest_budget(decision: &Decision) -> Option<f64> {
    if decision.objective.goal != Goal::Time {
        return None;
    }
    let costs = unlikely(decision)?.into_iter().filter_map(|option| option.usd);
    let cheapest = costs.map(|cost| cost.value).min_by(f64::total_cmp)?;
    let budget = predicted_limit(cheapest);
    (budget.is_finite() && budget > 0.0 && budget <= LARGEST).then_some(budget)
}
