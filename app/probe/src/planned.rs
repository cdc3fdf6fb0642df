//! "Where should work run?": the plan from probes, task by task, and the baselines.

use crossover_chart::theme::Token;
use crossover_export::probe::{plan_start, task};
use crossover_page::widgets::cell::right;
use crossover_probe::{Plan, Planner, ScheduledTask};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use egui::{Grid, Label, RichText, ScrollArea, Ui};

use super::HOUR;
use super::board::Shown;

/// Most tasks that are listed; exports have all.
const LISTED: usize = 60;

/// Draws the plan; a hint where there is no work.
pub(super) fn show(ui: &mut Ui, shown: &Shown) {
    ui.add_space(8.0);
    ui.heading("Where should work run?");
    let outcome = &shown.outcome;
    let Some(plan) = outcome.plan() else {
        let text = if shown.study.work.is_empty() {
            "No work to schedule. Add work on the left, under Work."
        } else {
            "No centre has run the probe yet, so the time of tasks is not known."
        };
        ui.label(text);
        return;
    };
    ui.label(sentence(outcome.best_baseline(), plan));
    plans(ui, &outcome.plans, plan);
    ui.add_space(4.0);
    ui.weak(plan_start(&shown.study));
    ScrollArea::horizontal().id_salt("plan").show(ui, |ui| {
        Grid::new("scheduled").num_columns(7).striped(true).spacing([14.0, 3.0]).show(ui, |ui| {
            for title in ["task", "centre"] {
                ui.strong(title);
            }
            for title in ["units", "start", "end", "cost"] {
                right(ui, RichText::new(title).strong());
            }
            ui.strong("reason");
            ui.end_row();
            for scheduled in plan.tasks.iter().take(LISTED) {
                row(ui, shown, scheduled);
            }
        });
    });
    if plan.tasks.len() > LISTED {
        let more = counted((plan.tasks.len() - LISTED) as f64, "more task");
        ui.weak(format!("and {more}; the export has all of them"));
    }
}

fn row(ui: &mut Ui, shown: &Shown, scheduled: &ScheduledTask) {
    ui.label(task(&shown.study, scheduled));
    ui.label(&shown.study.centres[scheduled.centre].name);
    for text in [
        Unit::Count.format(scheduled.units),
        elapsed(scheduled.from * HOUR),
        elapsed(scheduled.until * HOUR),
        Unit::UsDollars.format(scheduled.cost),
    ] {
        right(ui, text);
    }
    ui.add(Label::new(&scheduled.reason).extend());
    ui.end_row();
}

/// A line for each plan; the chosen one is marked.
fn plans(ui: &mut Ui, plans: &[Plan], chosen: &Plan) {
    Grid::new("plans").num_columns(5).spacing([18.0, 3.0]).show(ui, |ui| {
        ui.strong("plan");
        for title in ["makespan", "cost", "objective (cost + value of time)"] {
            right(ui, RichText::new(title).strong());
        }
        ui.strong("method");
        ui.end_row();
        for plan in plans {
            let is_chosen = plan.planner == chosen.planner;
            let text = RichText::new(plan.planner.label());
            ui.label(if is_chosen { text.strong().color(Token::Accent.color(ui.visuals().dark_mode)) } else { text });
            let [cost, objective] = [plan.cost, plan.objective].map(|usd| Unit::UsDollars.format(usd));
            for text in [elapsed(plan.makespan * HOUR), cost, objective] {
                right(ui, text);
            }
            ui.weak(match plan.planner {
                Planner::Measured => "by score, scaling and hours of the day",
                Planner::MostUnits => "all units of the largest centre",
                Planner::Benchmark => "all units of the centre with the highest benchmark rate",
                Planner::RoundRobin => "all units of one centre after another",
            });
            ui.end_row();
        }
    });
}

/// "The makespan is 9 h and the cost 500 USD. The objective (cost + value of time) is 40 % below that of …"
fn sentence(best: Option<&Plan>, chosen: &Plan) -> String {
    let result = format!(
        "The makespan is {} and the cost {}",
        elapsed(chosen.makespan * HOUR),
        Unit::UsDollars.format(chosen.cost)
    );
    match best.filter(|best| best.objective > 0.0 && chosen.planner == Planner::Measured) {
        Some(best) => format!(
            "{result}. The objective (cost + value of time) is {} below that of the best baseline, {}.",
            Unit::Share.format(1.0 - chosen.objective / best.objective),
            best.planner.label()
        ),
        None => format!("{result}."),
    }
}
