//! What the user wants of the query: least cost, least time or the Pareto front of both, the limit, and the runs of a month.

use std::cell::Cell;

use crossover_decision::saving::longest_payback;
use crossover_decision::{Decision, DecisionOption, Goal, TimeLimit, words};
use crossover_page::widgets::typed::{Fields, Format, dollars, in_dollars, in_limit, time_limit};
use crossover_page::widgets::{effort_hours, runs_per_month};
use crossover_placement::{DecisionInputs, Placement};
use crossover_quantity::unit::{Unit, predicted, predicted_limit};
use egui::{ComboBox, Role, Ui, WidgetInfo};

use super::missing;

/// A drag over one point changes a time limit by this share of it, or a factor by this much.
const LIMIT_SPEED: f64 = 0.01;
/// Smallest budget.
const LEAST_BUDGET: f64 = 1e-6;
/// Largest budget or effort.
const LARGEST: f64 = 1e9;

/// Time and mean cost of a run today.
#[derive(Debug, Clone, Copy)]
pub(super) struct Today {
    seconds: f64,
    /// US dollars; `None` without a price.
    usd: Option<f64>,
}

impl Today {
    /// Those of a decision.
    pub(super) fn of(decision: &Decision) -> Self {
        Self {
            seconds: decision.baseline.time.value(),
            usd: decision.spending_today().map(|spending| spending.usd_per_run),
        }
    }
}

/// Draws the goal and edits it.
pub(super) fn show(ui: &mut Ui, study: &mut Placement, today: Option<Today>) {
    let before = study.decision_inputs();
    let mut inputs = before.clone();
    ui.horizontal_wrapped(|ui| {
        let mut fields = Fields::default();
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
            limit(ui, &mut fields, &mut inputs, today);
        } else if inputs.goal == Goal::ParetoFront {
            let text = ui.label("of time and cost");
            text.on_hover_text(
                "Lists the non-dominated options: any faster one costs more, and any cheaper one is slower",
            );
        } else {
            budget(ui, &mut fields, &mut inputs, today);
        }
        ui.add_space(12.0);
        let label = ui.label("Runs per month");
        let mut runs = inputs.runs_per_month.unwrap_or(0.0);
        let meaning = "For the saving per month; 0: not set";
        if fields.add(ui, (&label, "runs per month", meaning), &mut runs, &runs_per_month::FORMAT) {
            inputs.runs_per_month = (runs > 0.0).then_some(runs);
        }
        ui.add_space(12.0);
        let label = ui.label("Effort of the move");
        let mut effort = inputs.effort_usd.unwrap_or(0.0);
        let within = longest_payback();
        let meaning = format!(
            "One-time cost of the move, US dollars, to be paid back within {within}. Work × hourly rate is added. 0: not counted"
        );
        let format = Format { range: 0.0..=LARGEST, speed: 10.0, shown: &in_dollars, read: &dollars };
        if fields.add(ui, (&label, "effort of the move", &meaning), &mut effort, &format) {
            inputs.effort_usd = (effort > 0.0).then_some(effort);
        }
        effort_hours::fields(ui, &mut fields, &mut inputs.effort_hours, &mut inputs.hourly_rate_usd);
        fields.reasons(ui);
    });
    if inputs != before {
        study.edit_decision(|now| *now = inputs);
    }
}

/// Draws the longest time of a run in the form in which it was entered, and behind it the other form.
fn limit(ui: &mut Ui, fields: &mut Fields, inputs: &mut DecisionInputs, today: Option<Today>) {
    let label = ui.label("within");
    let before = inputs.limit();
    let typed = Cell::new(None);
    let read = |text: &str| -> Result<f64, String> {
        let limit = time_limit(text)?;
        typed.set(Some(limit));
        Ok(limit.amount())
    };
    let shown = |amount: f64| in_limit(before.with_amount(amount));
    let speed = if before.as_seconds().is_some() { LIMIT_SPEED * before.amount() } else { LIMIT_SPEED };
    // The number of a typed text may be of the other form.
    let [factors, times] = [TimeLimit::Factor(1.0), TimeLimit::Seconds(1.0)].map(TimeLimit::range);
    let range = (*times.start()).min(*factors.start())..=(*times.end()).max(*factors.end());
    let format = Format { range, speed, shown: &shown, read: &read };
    let meaning = "Longest time of a run, as a factor of today’s time (1.2×), a share of it (80 %) or a time (30 s). A time stays the same \
                   if today’s time changes";
    let mut amount = before.amount();
    let is_edited = fields.add(ui, (&label, "time limit", meaning), &mut amount, &format);
    if let Some(limit) = typed.get().filter(|limit| limit.amount() == amount) {
        inputs.set_limit(limit);
    } else if is_edited {
        let range = before.range();
        inputs.set_limit(before.with_amount(amount.clamp(*range.start(), *range.end())));
    }
    ui.label(other_form(inputs.limit(), today.map(|today| today.seconds)));
}

/// A time limit in the form in which it was not entered: "today’s time: 12 s", "0.46× today’s time".
fn other_form(limit: TimeLimit, today_seconds: Option<f64>) -> String {
    match (limit, today_seconds) {
        (TimeLimit::Factor(_), Some(today)) if limit != TimeLimit::TODAY => {
            format!("today’s time: {}", Unit::Seconds.format(limit.seconds(today)))
        }
        (TimeLimit::Factor(_), _) => "today’s time".to_owned(),
        (TimeLimit::Seconds(_), Some(today)) => TimeLimit::Factor(predicted(limit.factor(today))).in_words(),
        (TimeLimit::Seconds(_), None) => String::new(),
    }
}

/// Draws the largest cost of a run, which is today's until another one is entered.
fn budget(ui: &mut Ui, fields: &mut Fields, inputs: &mut DecisionInputs, today: Option<Today>) {
    let label = ui.label("at no more than");
    let of_today = today.and_then(|today| today.usd);
    let entered = inputs.budget_usd;
    let mut usd = entered.or(of_today).unwrap_or(0.0);
    let shown = |usd: f64| match (entered, of_today) {
        (None, Some(today)) if usd == today => words::known_dollars(usd),
        (None, None) if usd == 0.0 => "today’s cost".to_owned(),
        _ => in_dollars(usd),
    };
    let speed = (0.01 * usd).max(LEAST_BUDGET);
    let format = Format { range: 0.0..=LARGEST, speed, shown: &shown, read: &budget_of };
    let meaning = "Largest cost of a run, US dollars; 0: today’s cost";
    if fields.add(ui, (&label, "budget", meaning), &mut usd, &format) {
        inputs.budget_usd = (usd >= LEAST_BUDGET).then_some(usd);
    }
    let is_of_today = inputs.budget_usd.is_none() && of_today.is_some();
    ui.label(if is_of_today { "per run, today’s cost" } else { "per run" });
}

/// A budget in US dollars; 0 is today's cost.
fn budget_of(text: &str) -> Result<f64, String> {
    let usd = dollars(text).map_err(|problem| format!("{problem}. The budget is for one run"))?;
    if usd > 0.0 && usd < LEAST_BUDGET {
        return Err(format!(
            "{} is too small; allowed: 0 for today’s cost, or at least {}",
            in_dollars(usd),
            in_dollars(LEAST_BUDGET)
        ));
    }
    Ok(usd)
}

/// That no option is likely to keep the time limit or the budget, in words, and the least one that an option is likely to keep.
pub(super) struct Unmet {
    text: String,
    button: String,
    least: Least,
}

/// The least limit that an option is likely to keep.
#[derive(Debug, Clone, Copy)]
enum Least {
    /// A time limit.
    Time(TimeLimit),
    /// US dollars of a run.
    Budget(f64),
}

impl Unmet {
    /// `None` if an option is likely to keep the limit.
    pub(super) fn of(decision: &Decision) -> Option<Self> {
        if let Some(limit) = shortest_limit(decision) {
            return Some(Self {
                text: format!("No option is likely to finish within {}.", decision.objective.time_limit.in_words()),
                button: format!("Set the limit to {}", in_limit(limit)),
                least: Least::Time(limit),
            });
        }
        let (now, budget) = decision.objective.budget_usd.zip(smallest_budget(decision))?;
        Some(Self {
            text: format!("No option is likely to cost at most {} per run.", words::known_dollars(now)),
            button: format!("Set the budget to {}", words::dollars(budget)),
            least: Least::Budget(budget),
        })
    }

    /// Says it, with a button that sets the least limit.
    pub(super) fn show(&self, ui: &mut Ui, study: &mut Placement) {
        if missing::with_button(ui, &self.text, &self.button) {
            study.edit_decision(|inputs| match self.least {
                Least::Time(limit) => inputs.set_limit(limit),
                Least::Budget(usd) => inputs.budget_usd = Some(usd),
            });
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

/// The time limit that the answer names, or else the shortest that an option is at least 50 % likely to keep, in hundredths of today's time, or
/// as a time with two digits; `None` if the present one is kept so, or if no option has a time.
fn shortest_limit(decision: &Decision) -> Option<TimeLimit> {
    if decision.objective.goal != Goal::Cost {
        return None;
    }
    let today = decision.baseline.time.value();
    let times = unlikely(decision)?.into_iter().filter_map(|option| option.candidate.time);
    let fastest = times.map(|time| time.value()).min_by(f64::total_cmp)?;
    let now = decision.objective.time_limit;
    let least = match now {
        TimeLimit::Factor(_) => TimeLimit::Factor((100.0 * fastest / today).ceil() / 100.0),
        TimeLimit::Seconds(_) => TimeLimit::Seconds(predicted_limit(fastest)),
    };
    // The limit that the answer names recommends an option. If it names none, no limit does so without a trial.
    let limit = decision.limit_of_a_move().map_or(least, |(limit, _)| limit);
    let is_allowed = limit.range().contains(&limit.amount()) && limit.amount() > now.amount();
    is_allowed.then_some(limit)
}

/// The smallest budget, with two digits, that an option is at least 50 % likely to keep, and keeps on average; `None` if the present one is
/// kept so, or if no option has a price.
fn smallest_budget(decision: &Decision) -> Option<f64> {
    if decision.objective.goal != Goal::Time {
        return None;
    }
    // The mean is not below the median, and an option whose mean cost is above the budget is not recommended.
    let costs = unlikely(decision)?.into_iter().filter_map(|option| decision.spending_with(option));
    let cheapest = costs.map(|spending| spending.usd_per_run).min_by(f64::total_cmp)?;
    let budget = predicted_limit(cheapest);
    (budget.is_finite() && budget > 0.0 && budget <= LARGEST).then_some(budget)
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::*;

    /// The GPUs take 12 s of today's 20 s: within 11 s with Φ(ln(11 ÷ 12) ÷ 0.0579) = 7 %, and with 90 % within 12 s · e^(1.282 · 0.0579) = 12.93 s.
    #[test]
    fn the_offered_limit_has_the_form_of_the_entered_one() {
        let of_limit = |time_limit: TimeLimit| {
            let baseline = Baseline::measured("today", 20.0, Some(Price::entered(3.6)));
            let option = Candidate::predicted("GPUs", PredictedTime::within(12.0, 1.1), Some(Price::entered(3.6)));
            decide(baseline, vec![option], Objective { time_limit, ..Objective::default() })
        };
        assert_eq!(shortest_limit(&of_limit(TimeLimit::Seconds(11.0))), Some(TimeLimit::Seconds(13.0)));
        // 12.93 of 20 s are 0.6463.
        let offered = shortest_limit(&of_limit(TimeLimit::Factor(0.55))).and_then(TimeLimit::as_factor);
        assert!(offered.is_some_and(|factor| (factor - 0.65).abs() < 1e-9), "{offered:?}");
        assert_eq!(shortest_limit(&of_limit(TimeLimit::Seconds(15.0))), None);
    }

    #[test]
    fn the_other_form_of_a_limit_is_beside_its_field() {
        // 20 s of 43.66 s are 0.458.
        assert_eq!(other_form(TimeLimit::Seconds(20.0), Some(43.66)), "0.46× today’s time");
        assert_eq!(other_form(TimeLimit::Factor(0.5), Some(20.0)), "today’s time: 10 s");
        assert_eq!(other_form(TimeLimit::TODAY, Some(20.0)), "today’s time");
        assert_eq!(other_form(TimeLimit::Seconds(20.0), None), "");
    }

    /// 10 s at $3.60 an hour cost $0.01, and a mean of 10 s·e^(σ²/2) with σ = ln 2 ÷ 1.645 = 0.421 costs $0.0109: two digits up, $0.011.
    #[test]
    fn the_offered_budget_is_kept_on_average() {
        let of_budget = |budget: f64| {
            let baseline = Baseline::measured("today", 20.0, Some(Price::entered(3.6)));
            let option = Candidate::predicted("GPUs", PredictedTime::within(10.0, 2.0), Some(Price::entered(3.6)));
            let objective = Objective { goal: Goal::Time, budget_usd: Some(budget), ..Objective::default() };
            decide(baseline, vec![option], objective)
        };
        let offered = smallest_budget(&of_budget(0.001)).expect("a budget");
        assert!((offered - 0.011).abs() < 1e-9, "{offered}");
        assert_eq!(of_budget(offered).best, Some(0));
    }
}
