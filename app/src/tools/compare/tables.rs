//! The two tables of a comparison: figures side by side, and the numbers that differ.

use crossover_chart::theme::Token;
use crossover_model::tools::compare::Standing;
use egui::{Align, Grid, Label, Layout, RichText, Ui, vec2};

use crate::export::compare::{Named, Row, number_in_words};

/// Width of the column of a scenario, in points.
const COLUMN: f32 = 210.0;

/// Every figure of every scenario: its value, how it stands against the baseline, and which is the best.
pub(super) fn figures(ui: &mut Ui, named: &Named<'_>) {
    ui.label(RichText::new("Figures").heading());
    ui.label(RichText::new("● is the best of a row; below each value stands how it differs from the baseline").weak());
    if let Some(how_sure) = named.how_sure() {
        ui.label(RichText::new(how_sure).weak());
    }
    for sentence in named.not_allowed() {
        ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), sentence);
    }
    table(ui, "figures", "figure", named.names, |ui| {
        for row in named.figures() {
            ui.add(Label::new(&row.figure.label)).on_hover_text(row.figure.figure.meaning);
            for place in 0..named.names.len() {
                value(ui, row, place);
            }
            ui.end_row();
        }
    });
}

/// The value of a figure in a scenario with its range, and its change against the baseline below.
fn value(ui: &mut Ui, row: Row<'_>, place: usize) {
    cell(ui, Layout::top_down(Align::Max), |ui| {
        let words = row.value_in_words(place);
        let dark = ui.visuals().dark_mode;
        if row.figure.is_best(place) {
            ui.label(RichText::new(format!("● {words}")).strong()).on_hover_text("The best of these scenarios");
        } else {
            ui.label(words);
        }
        if let Some(range) = row.range_in_words(place) {
            ui.label(RichText::new(range).small().weak()).on_hover_text("90 of 100 cases are within");
        }
        let change = row.change_in_words(place);
        if place > 0 && !change.is_empty() {
            let token = match row.figure.standing(place) {
                Some(Standing::Worse) => Token::Warning,
                _ => Token::TextWeak,
            };
            ui.label(RichText::new(change).small().color(token.color(dark)));
            if let Some(cases) = row.cases_in_words(place) {
                ui.label(RichText::new(cases).small().color(token.color(dark)));
            }
        }
    });
}

/// Every number that differs, with the kind of its source.
pub(super) fn numbers(ui: &mut Ui, named: &Named<'_>) {
    let comparison = named.comparison;
    ui.label(RichText::new("Numbers that differ").heading());
    if comparison.numbers.is_empty() {
        ui.label("All numbers are the same.");
        return;
    }
    ui.label(RichText::new(format!("{} more are the same in all of them", comparison.same)).weak());
    table(ui, "numbers", "number", named.names, |ui| {
        for number in &comparison.numbers {
            let explained = format!("{}: {}", number.quantity.label, number.quantity.meaning);
            ui.add(Label::new(&number.path)).on_hover_text(explained);
            for place in 0..named.names.len() {
                cell(ui, Layout::right_to_left(Align::Center), |ui| {
                    ui.label(number_in_words(number, place));
                });
            }
            ui.end_row();
        }
    });
}

/// A cell of the column of a scenario: all are equally wide.
fn cell(ui: &mut Ui, layout: Layout, content: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(vec2(COLUMN, 18.0), layout, |ui| {
        ui.set_width(COLUMN);
        content(ui);
    });
}

/// A table with a column for each scenario, the baseline first.
fn table(ui: &mut Ui, id: &str, what: &str, names: &[String], rows: impl FnOnce(&mut Ui)) {
    let grid = Grid::new(id).striped(true).num_columns(names.len() + 1).min_col_width(150.0).spacing([18.0, 6.0]);
    grid.show(ui, |ui| {
        ui.label(RichText::new(what).strong());
        for (place, name) in names.iter().enumerate() {
            let role = if place == 0 { " · baseline" } else { "" };
            cell(ui, Layout::right_to_left(Align::Center), |ui| {
                let title = format!("{name}{role}");
                ui.add(Label::new(RichText::new(&title).strong()).truncate()).on_hover_text(title);
            });
        }
        ui.end_row();
        rows(ui);
    });
}
