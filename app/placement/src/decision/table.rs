//! The options as a table.

use crossover_chart::theme::Token;
use crossover_decision::{Decision, DecisionOption, PredictedTime, Verdict, words};
use crossover_export::decision::why;
use crossover_page::widgets::cell::right;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, chance};
use egui::{Align, Grid, Label, Layout, RichText, ScrollArea, Ui};

/// Titles of the columns, and their meanings.
const COLUMNS: [(&str, &str); 9] = [
    ("option", "Engine and machines, and why it is recommended or not"),
    ("time", "Median of the predicted time of a run"),
    ("90 % interval", "Contains the time of a run with a likelihood of 90 %"),
    ("cost\nper run", "Median of the predicted cost of a run"),
    ("saving\nper run", "Mean saving of a run; negative if the option is worse than today"),
    ("likely\nfaster", "Likelihood of being faster than today"),
    ("likely\ncheaper", "Likelihood of being cheaper than today"),
    ("likely to\nmeet goal", "Likelihood of meeting the goal"),
    ("Pareto\nfront", "yes: no other row is both faster and cheaper; the line in the chart joins these rows"),
];
/// Width of all columns but the first, in points.
const NUMBERS: f32 = 630.0;
/// Least and largest width of the first column, in points.
const OPTION: [f32; 2] = [220.0, 460.0];

pub(super) fn show(ui: &mut Ui, decision: &Decision) {
    let width = (ui.available_width() - NUMBERS).clamp(OPTION[0], OPTION[1]);
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
            ui.end_row();
            today(ui, decision, width);
            for (place, option) in decision.options.iter().enumerate() {
                if option.candidate.time.is_some() {
                    row(ui, decision, place, option, width);
                }
            }
        });
    });
}

/// A number, right-aligned on the first line of its row, beside the title of the option.
fn number(ui: &mut Ui, text: RichText) {
    ui.with_layout(Layout::right_to_left(Align::Min), |ui| ui.label(text));
}

/// A text of a row; that of the recommended row is marked.
fn marked(ui: &Ui, text: impl Into<String>, is_best: bool) -> RichText {
    let text = RichText::new(text);
    if is_best { text.strong().color(Token::Accent.color(ui.visuals().dark_mode)) } else { text }
}

/// The option, and below it why it is recommended or not, and that it has warnings, on as many lines as necessary.
fn name(ui: &mut Ui, (title, is_best): (&str, bool), why: &str, warnings: &[String], width: f32) {
    ui.vertical(|ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.add(Label::new(marked(ui, title, is_best)).wrap());
        if !why.is_empty() {
            // Without the colour, the words mark the row.
            let why = if is_best { marked(ui, why, true) } else { RichText::new(why).weak() };
            ui.add(Label::new(why).wrap());
        }
        if !warnings.is_empty() {
            // The texts are below the table, once for each engine.
            let text = format!("{}, see below", counted(warnings.len() as f64, "warning"));
            let color = Token::Warning.color(ui.visuals().dark_mode);
            ui.add(Label::new(RichText::new(text).color(color))).on_hover_text(warnings.join("\n"));
        }
    });
}

/// "yes" for what is on the Pareto front.
fn front(is_efficient: bool) -> String {
    if is_efficient { "yes".to_owned() } else { String::new() }
}

fn today(ui: &mut Ui, decision: &Decision, width: f32) {
    let is_best = decision.verdict == Verdict::Stay;
    let cell = |ui: &mut Ui, text: String| {
        let text = marked(ui, text, is_best);
        number(ui, text);
    };
    let why = if is_best { "recommended" } else { "" };
    let title = format!("stay: {}", decision.baseline.title);
    name(ui, (title.as_str(), is_best), why, &[], width);
    cell(ui, Unit::Seconds.format(decision.baseline.time.value()));
    ui.label("");
    cell(ui, decision.today_usd().map(|usd| words::dollars(usd.value)).unwrap_or_default());
    for _ in 0..4 {
        ui.label("");
    }
    cell(ui, front(decision.is_today_efficient() == Some(true)));
    ui.end_row();
}

fn row(ui: &mut Ui, decision: &Decision, place: usize, option: &DecisionOption, width: f32) {
    let is_best = decision.best == Some(place);
    let time = option.candidate.time.as_ref();
    let interval = time.and_then(PredictedTime::interval);
    let interval = interval.map(|[low, high]| format!("{} … {}", words::seconds(low), words::seconds(high)));
    let saving =
        option.saving.map(|saving| if decision.is_by_time() { words::seconds(saving) } else { words::dollars(saving) });
    let warnings = &option.candidate.evidence.warnings;
    name(ui, (option.candidate.title.as_str(), is_best), &why(decision, place, option), warnings, width);
    for cell in [
        time.map(|time| words::seconds(time.value())),
        interval,
        option.usd.map(|usd| words::dollars(usd.value)),
        saving,
        option.faster.map(chance),
        option.cheaper.map(chance),
        option.better.map(chance),
        Some(front(option.is_efficient)),
    ] {
        let text = marked(ui, cell.unwrap_or_default(), is_best);
        number(ui, text);
    }
    ui.end_row();
}
