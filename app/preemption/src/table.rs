//! "Which policy is best?": a row for each policy and one for the upper bound; a click selects the policy.

use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_export::preemption::with_interval;
use crossover_page::compute::computed::Computed;
use crossover_page::export_menu;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::drawer::Below;
use crossover_page::widgets::table::{self, CELLS};
use crossover_preemption::outcome::seconds;
use crossover_preemption::{Outcome, PolicyOutcome, Preemption};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::board::Evaluation;
use super::charts::Metric;
use super::evaluated::EvaluatedStudy;
use super::{Env, token};

/// Height of a row, in points.
pub(super) const ROW: f32 = 19.0;

/// Marks of the best value of a column, and of values that do not differ significantly from it.
const BEST: &str = "◉";
const ALIKE: &str = "•";

/// Columns: title, whether it has numbers, meaning.
const COLUMNS: [(&str, bool, Meaning); 10] = [
    ("policy", false, Meaning::term("sharing policy")),
    ("throughput", true, Metric::Throughput.meaning()),
    ("turnaround", true, Metric::Turnaround.meaning()),
    ("fairness", true, Metric::Fairness.meaning()),
    ("mean latency", true, Metric::Latency.meaning()),
    ("p99 latency", true, Metric::Latency99.meaning()),
    ("preemptions", true, Meaning::own("Preemptions of kernels before they end, per launch")),
    ("switches, % of time", true, Meaning::term("context-switch time")),
    ("wasted, % of work", true, Meaning::term("wasted work")),
    ("busy, % of time", true, Meaning::own("GPU utilisation: share of the time in which a kernel runs")),
];

/// Draws the table in its room.
pub(super) fn show(ui: &mut Ui, below: Below, board: &Computed<Evaluation>, study: &mut Preemption, env: &mut Env<'_>) {
    below.show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading("Which policy is best?");
            export_menu::results(ui, env, &[]);
            let text = format!(
                "All policies on the same streams: means with 90 % intervals. {BEST} best of a column, {ALIKE} not \
                 significantly different from it. Click a policy to select it"
            );
            ui.label(RichText::new(text).weak());
        });
        let policy = study.rule.policy;
        table::picked_text(ui, policy.label(), policy.meaning());
        board.dim(ui);
        match board.shown() {
            Some(shown) => cells(ui, shown, study),
            None => drop(ui.weak("No results yet")),
        }
    });
}

fn cells(ui: &mut Ui, shown: &EvaluatedStudy, study: &mut Preemption) {
    let outcome = &shown.outcome;
    table::mark_picked(ui);
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let table = TableBuilder::new(ui)
            .striped(true)
            .min_scrolled_height(40.0)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(178.0))
            .columns(Column::exact(118.0), 2)
            .column(Column::exact(72.0))
            .columns(Column::exact(92.0), 3)
            .column(Column::exact(116.0))
            .column(Column::exact(108.0))
            .column(Column::exact(94.0));
        table
            .header(20.0, |mut header| {
                for (text, is_number, meaning) in COLUMNS {
                    header.col(|ui| table::fixed_title(ui, text, is_number, meaning));
                }
            })
            .body(|body| {
                body.rows(ROW, outcome.policies.len() + 1, |mut row| {
                    let Some(of) = outcome.policies.get(row.index()) else {
                        row.col(|ui| {
                            screen::swatch(ui, Token::Text, Swatch::Dashes);
                            ui.add(Label::new(RichText::new("bound").italics()).selectable(false));
                        });
                        for cell in bound(&shown.study, outcome) {
                            row.col(|ui| drop(right(ui, RichText::new(cell).italics())));
                        }
                        let text =
                            "Bound for any policy on these streams, including a clairvoyant one without switch cost.";
                        row.response().on_hover_text(text);
                        return;
                    };
                    let is_chosen = of.policy == study.rule.policy;
                    row.set_selected(is_chosen);
                    let mut is_pressed = false;
                    row.col(|ui| {
                        is_pressed = table::stop(ui, is_chosen, &format!("policy {}", of.policy.label()));
                        screen::swatch(ui, token::policy(of.policy), Swatch::Line);
                        let name = RichText::new(of.policy.label());
                        let name = if is_chosen { name.strong() } else { name };
                        ui.add(Label::new(name).selectable(false));
                    });
                    let place = row.index();
                    for (column, cell) in texts(&shown.study, of).into_iter().enumerate() {
                        let cell = match shown.best.get(column) {
                            Some((best, _)) if *best == place => RichText::new(format!("{BEST} {cell}")).strong(),
                            Some((_, is_apart)) if !is_apart[place] => RichText::new(format!("{ALIKE} {cell}")),
                            _ => RichText::new(cell),
                        };
                        row.col(|ui| drop(right(ui, cell)));
                    }
                    let response = row.response().on_hover_text(of.policy.meaning());
                    if is_pressed || response.clicked() {
                        study.rule.policy = of.policy;
                    }
                });
            });
    });
}

fn texts(study: &Preemption, of: &PolicyOutcome) -> [String; 9] {
    let means = &of.means;
    [
        with_interval(means.throughput, Unit::Ratio.formatter()),
        with_interval(means.turnaround, Unit::Factor.formatter()),
        Unit::Ratio.format(means.fairness.mean),
        elapsed(seconds(study, means.latency.mean)),
        elapsed(seconds(study, means.latency_p99.mean)),
        Unit::Ratio.format(means.preemptions),
        Unit::Share.format(means.context_switch_share),
        Unit::Share.format(means.wasted_share),
        Unit::Share.format(means.utilisation),
    ]
}

/// Cells of the upper bound: throughput, turnaround and mean latency.
fn bound(study: &Preemption, outcome: &Outcome) -> [String; 9] {
    let none = || "–".to_owned();
    [
        Unit::Ratio.format(outcome.bound.throughput),
        Unit::Factor.format(outcome.bound.turnaround),
        none(),
        elapsed(seconds(study, outcome.bound.latency)),
        none(),
        none(),
        none(),
        none(),
        none(),
    ]
}
