//! A row for each policy; a click chooses it for the study.

use crossover_allocation::{Allocation, Served};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::drawer::Below;
use crossover_page::widgets::table::{self, CELLS};
use crossover_quantity::unit::{Unit, elapsed};
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::Env;
use super::board::Shown;

/// Height of a row, in points.
pub(super) const ROW: f32 = 19.0;

/// Columns: title, whether it has numbers, whether only a replay fills it, meaning.
const COLUMNS: [(&str, bool, bool, Meaning); 9] = [
    ("policy", false, false, Meaning::term("scheduling policy")),
    ("allocated", true, false, Meaning::own("Share of all GPUs").and_term("allocated")),
    ("in fragments", true, false, Meaning::own("Share of all GPUs").and_term("fragment")),
    ("rejected", true, false, Meaning::own("Share of the tasks").and_term("rejected")),
    ("sensitive: wait", true, true, Meaning::own("Mean wait of latency-sensitive tasks").and_term("latency-sensitive")),
    ("sensitive: p99 wait", true, true, Meaning::own("Of latency-sensitive tasks").and_term("p99 wait")),
    ("SLO violations", true, true, Meaning::own("Share of latency-sensitive tasks").and_term("SLO violation")),
    ("others: wait", true, true, Meaning::own("Mean of all other tasks").and_term("wait")),
    ("GPU time allocated", true, true, Meaning::own("Share of the time of all GPUs")),
];

/// Draws the table in its panel.
pub(super) fn show(ui: &mut Ui, below: Below, shown: Option<&Shown>, study: &mut Allocation, env: &mut Env<'_>) {
    below.show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading("Which policy allocates most?");
            export_menu::results(ui, env, &[]);
            ui.label(
                RichText::new(
                    "Mean over the arrival orders ± standard deviation, once the demand is reached. Waits, SLO \
                     violations and GPU time are means over the replays. Click a policy to use it",
                )
                .weak(),
            );
        });
        let policy = study.policy.name;
        table::picked_text(ui, policy.label(), policy.meaning());
        match shown {
            Some(shown) => cells(ui, shown, study),
            None => drop(ui.weak("No result yet")),
        }
    });
}

fn cells(ui: &mut Ui, shown: &Shown, study: &mut Allocation) {
    let outcome = &shown.outcome;
    table::mark_picked(ui);
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let table = TableBuilder::new(ui)
            .striped(true)
            .min_scrolled_height(40.0)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(150.0))
            .columns(Column::exact(120.0), 3)
            .columns(Column::exact(118.0), if outcome.replayed.is_empty() { 0 } else { 5 });
        table
            .header(20.0, |mut header| {
                let is_replayed = !outcome.replayed.is_empty();
                for (text, is_number, is_timed, meaning) in COLUMNS {
                    if is_replayed || !is_timed {
                        header.col(|ui| table::fixed_title(ui, text, is_number, meaning));
                    }
                }
            })
            .body(|body| {
                body.rows(ROW, outcome.policies.len(), |mut row| {
                    let place = row.index();
                    let policy = &outcome.policies[place];
                    let is_chosen = policy.policy == study.policy.name;
                    row.set_selected(is_chosen);
                    let mut is_pressed = false;
                    let share = |percent: f64| Unit::Share.format(percent / 100.0);
                    row.col(|ui| {
                        is_pressed = table::stop(ui, is_chosen, &format!("policy {}", policy.policy.label()));
                        screen::swatch(ui, Token::Rule(u8::try_from(place).unwrap_or(0)), Swatch::Line);
                        ui.add(Label::new(policy.policy.label()).selectable(false));
                    });
                    // The standard deviation of ten arrival orders has one significant digit.
                    let deviation = share((10.0 * policy.standard_deviation).round() / 10.0);
                    let allocated = share(policy.end().allocated_percent);
                    let allocated =
                        if policy.ends.len() > 1 { format!("{allocated} ± {deviation}") } else { allocated };
                    row.col(|ui| drop(right(ui, allocated)));
                    row.col(|ui| drop(right(ui, share(policy.end().fragmented_percent))));
                    row.col(|ui| drop(right(ui, Unit::Share.format(policy.rejected))));
                    if let Some(replayed) = outcome.replayed.get(place) {
                        let [sensitive, others] = &replayed.served;
                        let wait = |of: &Served, wait: f64| {
                            if of.ended > 0.0 { elapsed(wait) } else { "–".to_owned() }
                        };
                        let slo_violations = sensitive
                            .slo_violation_share
                            .map_or_else(|| "–".to_owned(), |share| Unit::Share.format(share));
                        let cells = [
                            wait(sensitive, sensitive.mean_wait),
                            wait(sensitive, sensitive.p99_wait),
                            slo_violations,
                            wait(others, others.mean_wait),
                        ];
                        for cell in cells {
                            row.col(|ui| drop(right(ui, cell)));
                        }
                        row.col(|ui| drop(right(ui, Unit::Share.format(replayed.utilisation))));
                    }
                    let response = row.response().on_hover_text(policy.policy.meaning());
                    if is_pressed || response.clicked() {
                        study.policy.name = policy.policy;
                    }
                });
            });
    });
}
