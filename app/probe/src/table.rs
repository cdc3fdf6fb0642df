//! "What does each centre deliver?": a row for each centre; a click selects it.

use crossover_chart::screen::{self, Swatch};
use crossover_export::probe::network::clock;
use crossover_export::probe::{estimate_method, estimated, percent};
use crossover_page::export_menu;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::drawer::Below;
use crossover_page::widgets::table::{self, CELLS};
use crossover_probe::CentreOutcome;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::Env;
use super::board::Shown;
use super::charts::token;

/// Columns: title, whether it has numbers, meaning.
const COLUMNS: [(&str, bool, Meaning); 8] = [
    ("rank", true, Meaning::term("rank")),
    ("centre", false, Meaning::term("centre")),
    ("score", true, Meaning::term("score")),
    ("measured probe time, s", true, Meaning::term("probe time")),
    ("relative error", true, Meaning::term("relative error")),
    ("recommended units", true, Meaning::term("recommended units")),
    ("best window start, UTC", true, Meaning::term("window")),
    ("estimated task time, s", true, Meaning::term("task time")),
];

/// Height of a row, in points.
pub(super) const ROW: f32 = 19.0;

/// Draws the table; `picked` is the index of the selected centre.
pub(super) fn show(ui: &mut Ui, below: Below, shown: Option<&Shown>, picked: &mut usize, env: &mut Env<'_>) {
    below.show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading("What does each centre deliver?");
            export_menu::results(ui, env, &[]);
            ui.label(RichText::new("Means with 95 % intervals. Click a row to select a centre.").weak());
        });
        let centre = shown.and_then(|shown| shown.study.centres.get(*picked).zip(shown.outcome.centres.get(*picked)));
        if let Some((centre, of)) = centre {
            table::picked_text(ui, &centre.name, &basis(of));
        }
        match shown {
            Some(shown) => cells(ui, shown, picked),
            None => drop(ui.weak("No results yet")),
        }
    });
}

fn cells(ui: &mut Ui, shown: &Shown, picked: &mut usize) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    table::mark_picked(ui);
    let order = outcome.order();
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let table = TableBuilder::new(ui)
            .striped(true)
            .min_scrolled_height(40.0)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(44.0))
            .column(Column::exact(150.0))
            .column(Column::exact(156.0))
            .column(Column::exact(148.0))
            .column(Column::exact(90.0))
            .column(Column::exact(122.0))
            .column(Column::exact(148.0))
            .column(Column::exact(154.0));
        table
            .header(20.0, |mut header| {
                for (text, is_number, meaning) in COLUMNS {
                    header.col(|ui| table::fixed_title(ui, text, is_number, meaning));
                }
            })
            .body(|body| {
                body.rows(ROW, order.len(), |mut row| {
                    let centre = order[row.index()];
                    let name = &study.centres[centre].name;
                    let rank = outcome.ranking.iter().find(|rank| rank.centre == centre).map(|rank| rank.rank);
                    let is_picked = centre == *picked;
                    row.set_selected(is_picked);
                    let mut is_pressed = false;
                    row.col(|ui| drop(right(ui, rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string()))));
                    row.col(|ui| {
                        is_pressed = table::stop(ui, is_picked, &format!("centre {name}"));
                        screen::swatch(ui, token(centre), Swatch::Line);
                        ui.add(Label::new(name).selectable(false).truncate());
                    });
                    for cell in texts(&outcome.centres[centre]) {
                        row.col(|ui| drop(right(ui, cell)));
                    }
                    let response = row.response().on_hover_ui(|ui| drop(ui.label(basis(&outcome.centres[centre]))));
                    if is_pressed || response.clicked() {
                        *picked = centre;
                    }
                });
            });
    });
}

/// Score, time, error, units, window and time of the task.
fn texts(of: &CentreOutcome) -> [String; 6] {
    let none = || "–".to_owned();
    let number = |value: f64| Unit::Ratio.format(value);
    let score = of.score.map_or_else(none, |score| match score.interval {
        Some([low, high]) => format!("{} ({} – {})", number(score.value), number(low), number(high)),
        None => number(score.value),
    });
    let seconds = of.seconds.map_or_else(none, |seconds| match seconds.relative() {
        Some(half) => format!("{} ± {}", number(seconds.mean), percent(half)),
        None => number(seconds.mean),
    });
    let target = of.target.map_or_else(none, |(target, _)| match target.relative() {
        Some(half) => format!("{} ± {}", estimated(target.mean), percent(half)),
        None => estimated(target.mean),
    });
    [
        score,
        seconds,
        of.error.map_or_else(none, |error| number(error.mean)),
        of.seconds.map_or_else(none, |_| Unit::Count.format(of.recommended)),
        of.best_window().map_or_else(none, |best| clock(best.from)),
        target,
    ]
}

/// The runs and the method of the estimate, or why there is none: "101 runs on the compared units; scaling fit with R² 0.998; task: …".
fn basis(of: &CentreOutcome) -> String {
    match (&of.unit, of.seconds) {
        (Err(why), _) => why.clone(),
        (Ok(_), None) => "no runs on the compared units".to_owned(),
        (Ok(_), Some(seconds)) => {
            let runs = counted(seconds.runs as f64, "run");
            let law = match &of.scaled {
                Ok(scaled) => format!("scaling fit with R² {:.3}", scaled.law.r_squared),
                Err(why) => format!("no scaling fit: {why}"),
            };
            let target =
                of.target.map_or_else(String::new, |(_, method)| format!("; task: {}", estimate_method(method)));
            format!("{runs} on the compared units; {law}{target}")
        }
    }
}
