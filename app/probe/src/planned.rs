//! "Where should work run?": the plan by probes, task by task, beside plans made without measurements.

use crossover_chart::theme::Token;
use crossover_export::probe::task;
use crossover_page::widgets::cell::right;
use crossover_probe::{Maker, Placed, Plan};
use crossover_quantity::unit::{Unit, elapsed};
use egui::{Grid, Label, RichText, ScrollArea, Ui};

use super::HOUR;
use super::board::Shown;

/// Tasks that are listed; exports have all.
const LISTED: usize = 60;

/// Draws the plan; a hint where there is no work.
pub(super) fn show(ui: &mut Ui, shown: &Shown) {
    ui.add_space(8.0);
    ui.heading("Where should work run?");
    let outcome = &shown.outcome;
    let Some(plan) = outcome.plan() else {
        let text = if shown.study.work.is_empty() {
            "There is no work to be done: add some on the left, under Work."
        } else {
            "No centre has run the probe yet, so nobody knows how long work takes."
        };
        ui.label(text);
        return;
    };
    ui.label(sentence(outcome.best_naive(), plan));
    plans(ui, &outcome.plans, plan);
    ui.add_space(4.0);
    ScrollArea::horizontal().id_salt("plan").show(ui, |ui| {
        Grid::new("placed").num_columns(7).striped(true).spacing([14.0, 3.0]).show(ui, |ui| {
            for title in ["task", "centre"] {
                ui.strong(title);
            }
            for title in ["units", "from", "until", "cost"] {
                right(ui, RichText::new(title).strong());
            }
            ui.strong("because");
            ui.end_row();
            for placed in plan.placed.iter().take(LISTED) {
                row(ui, shown, placed);
            }
        });
    });
    if plan.placed.len() > LISTED {
        ui.weak(format!("and {} more tasks; the export has all of them", plan.placed.len() - LISTED));
    }
}

fn row(ui: &mut Ui, shown: &Shown, placed: &Placed) {
    ui.label(task(&shown.study, placed));
    ui.label(&shown.study.centres[placed.centre].name);
    for text in [
        Unit::Count.format(placed.units),
        elapsed(placed.from * HOUR),
        elapsed(placed.until * HOUR),
        Unit::Ratio.format(placed.cost),
    ] {
        right(ui, text);
    }
    ui.add(Label::new(&placed.why).extend());
    ui.end_row();
}

/// Every plan in a line, the one that is taken marked.
fn plans(ui: &mut Ui, plans: &[Plan], taken: &Plan) {
    Grid::new("plans").num_columns(5).spacing([18.0, 3.0]).show(ui, |ui| {
        ui.strong("plan");
        for title in ["done after", "cost", "cost and worth of hours"] {
            right(ui, RichText::new(title).strong());
        }
        ui.strong("what it is");
        ui.end_row();
        for plan in plans {
            let is_taken = plan.maker == taken.maker;
            let text = RichText::new(plan.maker.label());
            ui.label(if is_taken { text.strong().color(Token::Accent.color(ui.visuals().dark_mode)) } else { text });
            for text in [elapsed(plan.makespan * HOUR), Unit::Ratio.format(plan.cost), Unit::Ratio.format(plan.worth)] {
                right(ui, text);
            }
            ui.weak(match plan.maker {
                Maker::Measured => "by score, scaling and hours of the day",
                Maker::MostUnits => "all units of the largest centre",
                Maker::Benchmark => "all units of the centre with the best benchmark",
                Maker::RoundRobin => "all units of one centre after the other",
            });
            ui.end_row();
        }
    });
}

/// "By probes all is done after 9 h for 500: 40 % less than by the best plan without measurements."
fn sentence(best: Option<&Plan>, taken: &Plan) -> String {
    let done =
        format!("All is done after {} and costs {}", elapsed(taken.makespan * HOUR), Unit::Ratio.format(taken.cost));
    match best.filter(|best| best.worth > 0.0 && taken.maker == Maker::Measured) {
        Some(best) => format!(
            "{done}: cost and hours are worth {} less than in the best plan without measurements, {}.",
            Unit::Share.format(1.0 - taken.worth / best.worth),
            best.maker.label()
        ),
        None => format!("{done}."),
    }
}
