//! The options as a table.

use crossover_decision::{Decision, DecisionOption, PredictedTime, Verdict, words};
use crossover_export::decision::why;
use crossover_page::widgets::cell::right;
use crossover_quantity::unit::{Unit, chance};
use egui::{Grid, RichText, ScrollArea, Ui};

/// Titles of the columns, and their meanings.
const COLUMNS: [(&str, &str); 8] = [
    ("option", "Engine and machines"),
    ("time", "Median of the predicted time of a run"),
    ("90 % interval", "Contains the time of a run with a likelihood of 90 %"),
    ("cost per run", "Median of the predicted cost of a run"),
    ("saving per run", "Mean saving of a run; negative if the option is worse than today"),
    ("likely faster", "Likelihood of being faster than today"),
    ("likely cheaper", "Likelihood of being cheaper than today"),
    ("likely to meet goal", "Likelihood of meeting the goal"),
];

pub(super) fn show(ui: &mut Ui, decision: &Decision) {
    ScrollArea::horizontal().id_salt("options").show(ui, |ui| {
        Grid::new("options").striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
            for (place, (title, meaning)) in COLUMNS.into_iter().enumerate() {
                let title = RichText::new(title).strong();
                if place == 0 {
                    ui.label(title).on_hover_text(meaning)
                } else {
                    right(ui, title).on_hover_text(meaning)
                };
            }
            ui.label(RichText::new("why").strong());
            ui.end_row();
            today(ui, decision);
            for (place, option) in decision.options.iter().enumerate() {
                if option.candidate.time.is_some() {
                    row(ui, decision, place, option);
                }
            }
        });
    });
}

fn today(ui: &mut Ui, decision: &Decision) {
    let is_best = decision.verdict == Verdict::Stay;
    let text = |text: String| if is_best { RichText::new(text).strong() } else { RichText::new(text) };
    ui.label(text(format!("stay: {}", decision.baseline.title)));
    right(ui, text(Unit::Seconds.format(decision.baseline.time.value())));
    ui.label("");
    right(ui, text(decision.today_usd().map(|usd| words::dollars(usd.value)).unwrap_or_default()));
    for _ in 0..4 {
        ui.label("");
    }
    ui.label(text(if is_best { "recommended".to_owned() } else { String::new() }));
    ui.end_row();
}

fn row(ui: &mut Ui, decision: &Decision, place: usize, option: &DecisionOption) {
    let is_best = decision.best == Some(place);
    let text = |text: String| if is_best { RichText::new(text).strong() } else { RichText::new(text) };
    let time = option.candidate.time.as_ref();
    let interval = time.and_then(PredictedTime::interval);
    let interval = interval.map(|[low, high]| format!("{} … {}", words::seconds(low), words::seconds(high)));
    let saving =
        option.saving.map(|saving| if decision.is_by_time() { words::seconds(saving) } else { words::dollars(saving) });
    ui.label(text(option.candidate.title.clone()));
    for cell in [
        time.map(|time| words::seconds(time.value())),
        interval,
        option.usd.map(|usd| words::dollars(usd.value)),
        saving,
        option.faster.map(chance),
        option.cheaper.map(chance),
        option.better.map(chance),
    ] {
        right(ui, text(cell.unwrap_or_default()));
    }
    ui.label(text(why(decision, place, option)));
    ui.end_row();
}
