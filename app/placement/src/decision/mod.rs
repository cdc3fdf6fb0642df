//! "What should run this query?": the decision between today's engine and its options, in time and money.

mod next_steps;
mod table;

use std::sync::Arc;

use crossover_chart::lines::LineChart;
use crossover_chart::screen;
use crossover_decision::{Decision, Goal, Objective, Verdict, decide, words};
use crossover_export::decision::{chart, what_changes_it, without_data};
use crossover_page::headline::{headline, strip};
use crossover_page::widgets::focus;
use crossover_quantity::unit::{Unit, chance};
use egui::{CollapsingHeader, ComboBox, DragValue, RichText, Role, ScrollArea, Ui, WidgetInfo};

use super::plan::PlanBoard;
use super::{Env, Mode, Modes, mode_switch};

/// The question of the page.
pub(super) const TITLE: &str = "What should run this query?";
/// Height of the chart, in points.
const CHART: f32 = 230.0;
/// Largest time limit that can be dragged to, as a factor of today's time.
const LARGEST_LIMIT: f64 = 100.0;
/// Most runs in a month.
const MOST_RUNS: f64 = 1e9;

/// What the user wants, and the decision for it.
#[derive(Default)]
pub(super) struct State {
    objective: Objective,
    decided: Option<Decided>,
}

/// A decision, and what it was made from.
struct Decided {
    plan: Arc<PlanBoard>,
    objective: Objective,
    decision: Decision,
    chart: Option<LineChart>,
}

impl State {
    /// The decision about a plan, made anew if the plan or the objective changed; `None` without engines.
    pub(super) fn decide(&mut self, plan: &Arc<PlanBoard>) -> Option<&Decision> {
        let (baseline, candidates) = plan.workload()?;
        let is_same = |of: &Decided| Arc::ptr_eq(&of.plan, plan) && of.objective == self.objective;
        if !self.decided.as_ref().is_some_and(is_same) {
            let decision = decide(baseline.clone(), candidates.to_vec(), self.objective);
            let chart = chart(&decision);
            self.decided = Some(Decided { plan: Arc::clone(plan), objective: self.objective, decision, chart });
        }
        self.decided.as_ref().map(|decided| &decided.decision)
    }

    /// The chart on screen.
    pub(super) fn charts(&self) -> Vec<LineChart> {
        self.decided.as_ref().and_then(|decided| decided.chart.clone()).into_iter().collect()
    }
}

/// The figures of the strip: what to do, time, cost and chance.
pub(super) fn figures(ui: &mut Ui, decision: &Decision) {
    let today = &decision.baseline.time;
    let now =
        if decision.baseline.is_measured { Unit::Seconds.format(today.value()) } else { words::seconds(today.value()) };
    strip(ui, |ui| {
        let best = decision.best_option();
        let (figure, meaning) = match (decision.verdict, best) {
            (Verdict::Move, Some(best)) => ("Move".to_owned(), format!("to {}", best.candidate.title)),
            (Verdict::Try, Some(best)) => ("Try".to_owned(), best.candidate.title.clone()),
            (Verdict::CannotJudge, _) => ("Cannot be judged".to_owned(), "see what is missing below".to_owned()),
            _ => ("Stay".to_owned(), decision.baseline.title.clone()),
        };
        headline(ui, &figure, &meaning, &decision.sentence());
        let Some(best) = best else {
            headline(ui, &now, "time today", &decision.baseline.title);
            return;
        };
        if let Some(time) = &best.candidate.time {
            let then = words::seconds(time.value());
            headline(ui, &format!("{now} → {then}"), "time, today → option", &words::time(time));
        }
        if let (Some(now), Some(then)) = (decision.today_usd(), best.usd) {
            let [now, then_text] = [now.value, then.value].map(words::dollars);
            headline(ui, &format!("{now} → {then_text}"), "cost, today → option", &words::cost(&then));
        }
        if let Some(better) = best.better {
            headline(ui, &chance(better), &format!("likely to be {}", decision.wanted()), &decision.sentence());
        }
        if let Some(saving) = decision.saving_per_month() {
            headline(
                ui,
                &words::dollars(saving),
                "expected saving per month",
                "Mean saving of a run × runs per month.",
            );
        }
    });
}

/// Draws the decision: what is wanted, the recommendation, the options, what would change it, and the evidence.
pub(super) fn show(ui: &mut Ui, state: &mut State, mode: &mut Option<Mode>, plan: &Arc<PlanBoard>, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Answer, Modes::of(plan));
        ui.heading(TITLE);
        crossover_page::export_menu::show(ui, env, 0..state.charts().len(), true);
    });
    objective(ui, &mut state.objective);
    state.decide(plan);
    let Some(Decided { decision, chart, .. }) = &state.decided else { return };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        ui.add_space(4.0);
        ui.label(RichText::new(decision.sentence()).size(16.0).strong());
        ui.add_space(6.0);
        if let Some(chart) = chart {
            ui.strong(&chart.title);
            screen::legend(ui, chart);
            screen::lines(ui, "options", chart, None, CHART);
            ui.add_space(6.0);
        }
        ui.strong("Options");
        table::show(ui, decision);
        if let Some(without) = without_data(decision) {
            ui.add(egui::Label::new(RichText::new(without).weak()).wrap());
        }
        let changes = what_changes_it(decision);
        if !changes.is_empty() {
            ui.add_space(8.0);
            ui.strong("What would change it");
            for sentence in changes {
                ui.label(sentence);
            }
        }
        next_steps::show(ui, decision);
        evidence(ui, decision);
    });
}

/// What the user wants: least cost or least time, the limit, and the runs of a month.
fn objective(ui: &mut Ui, objective: &mut Objective) {
    ui.horizontal_wrapped(|ui| {
        let goals = [(Goal::Cost, "least cost"), (Goal::Time, "least time")];
        let name = |goal: Goal| goals.iter().find(|(other, _)| *other == goal).map_or("", |(_, name)| *name);
        ui.label("Goal");
        let combo = ComboBox::from_id_salt("goal").selected_text(name(objective.goal)).width(100.0);
        let combo = combo.show_ui(ui, |ui| {
            for (goal, name) in goals {
                ui.selectable_value(&mut objective.goal, goal, name);
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "goal"));
        if objective.goal == Goal::Cost {
            let label = ui.label("within");
            let limit = DragValue::new(&mut objective.time_limit).range(0.01..=LARGEST_LIMIT).speed(0.01).suffix("×");
            ui.add(limit).labelled_by(label.id).on_hover_text("Longest time of a run, as a factor of today’s time");
            ui.label("today’s time");
        } else {
            ui.label("at no more than today’s cost");
        }
        ui.add_space(12.0);
        let label = ui.label("Runs per month");
        let mut runs = objective.runs_per_month.unwrap_or(0.0);
        let drag = DragValue::new(&mut runs).range(0.0..=MOST_RUNS).speed(1.0).max_decimals(0);
        if ui.add(drag).labelled_by(label.id).on_hover_text("For the saving per month; 0 if not known").changed() {
            objective.runs_per_month = (runs > 0.0).then_some(runs);
        }
    });
}

/// What the prediction is based on, opened on request.
fn evidence(ui: &mut Ui, decision: &Decision) {
    ui.add_space(8.0);
    CollapsingHeader::new("Evidence").show(ui, |ui| {
        let price = match decision.baseline.usd_per_hour {
            Some(usd) => format!(
                "Price of today’s machines: {} per hour ({}).",
                words::dollars(usd),
                decision.baseline.price_source
            ),
            None => "Today’s machines have no price: enter one under Engines.".to_owned(),
        };
        ui.label(price);
        for option in decision.options.iter().filter(|option| option.candidate.time.is_some()) {
            let evidence = &option.candidate.evidence;
            let runs = if evidence.runs.is_empty() { "no measured runs" } else { &evidence.runs };
            ui.label(format!("{}: fitted to {runs}.", option.candidate.title));
            if !evidence.distance.is_empty() {
                ui.label(RichText::new(format!("    {}", evidence.distance.join("; "))).weak());
            }
        }
        ui.weak("docs/FIDELITY.md shows how accurate these predictions are.");
    });
}
