//! The two tables of a comparison: figures side by side, and the numbers that differ.

use crossover_chart::theme::Token;
use crossover_export::compare::{Named, Row, number_in_words};
use crossover_quantity::text::counted;
use crossover_tools::compare::Standing;
use crossover_tools::titles::title_with_unit;
use egui::{Align, Grid, Label, Layout, RichText, Ui, vec2};

use crate::pick::about;

/// Width of the column of a scenario, in points.
const COLUMN: f32 = 210.0;
/// Width of the column of names, in points.
const NAMES: f32 = 240.0;
/// Height of a line, and of one in small letters, in points.
const LINE: f32 = 18.0;
const SMALL_LINE: f32 = 13.0;

/// Every figure of every scenario: its value, its difference from the baseline, and the best.
pub(super) fn figures(ui: &mut Ui, named: &Named<'_>) {
    ui.label(RichText::new("Figures").heading());
    ui.label(
        RichText::new("● marks the best of a row; below each value: difference from the baseline (and ratio to it)")
            .weak(),
    );
    if let Some(note) = named.sampling_note() {
        ui.label(RichText::new(note).weak());
    }
    for sentence in named.not_allowed() {
        ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), sentence);
    }
    let dark = ui.visuals().dark_mode;
    table(ui, "figures", "figure", named.names, |ui| {
        for row in named.figures() {
            let cells: Vec<Vec<RichText>> = (0..named.names.len()).map(|place| lines(row, place, dark)).collect();
            let most = cells.iter().map(Vec::len).max().unwrap_or(1);
            let height = LINE + SMALL_LINE * (most - 1) as f32;
            ui.allocate_ui_with_layout(vec2(NAMES, height), Layout::top_down(Align::Min), |ui| {
                ui.add(Label::new(&row.figure.label)).on_hover_text(row.figure.figure.meaning);
            });
            for lines in cells {
                cell(ui, height, Layout::top_down(Align::Max), |ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    for line in lines {
                        ui.label(line);
                    }
                });
            }
            ui.end_row();
        }
    });
}

/// The value of a figure in a scenario, its 90 % interval, and the difference from the baseline with its likelihood.
fn lines(row: Row<'_>, place: usize, dark: bool) -> Vec<RichText> {
    let words = row.value_in_words(place);
    let is_best = row.figure.is_best(place);
    let mut lines = vec![if is_best { RichText::new(format!("● {words}")).strong() } else { RichText::new(words) }];
    let weak = Token::TextWeak.color(dark);
    lines.extend(row.range_in_words(place).map(|range| RichText::new(range).small().color(weak)));
    let change = row.change_in_words(place);
    if place > 0 && !change.is_empty() {
        let is_worse = row.figure.standing(place) == Some(Standing::Worse);
        let color = if is_worse { Token::Warning.color(dark) } else { weak };
        let small = |text: String| RichText::new(text).small().color(color);
        lines.push(small(change));
        lines.extend(row.cases_in_words(place).map(small));
    }
    lines
}

/// Every number that differs, with the kind of its source.
pub(super) fn numbers(ui: &mut Ui, named: &Named<'_>) {
    let comparison = named.comparison;
    ui.label(RichText::new("Numbers that differ").heading());
    if comparison.numbers.is_empty() {
        ui.label("All numbers are the same.");
        return;
    }
    let are = if comparison.same == 1 { "is" } else { "are" };
    let others = counted(comparison.same as f64, "other number");
    ui.label(RichText::new(format!("{others} {are} the same in all scenarios")).weak());
    table(ui, "numbers", "number", named.names, |ui| {
        for number in &comparison.numbers {
            let title = title_with_unit(number.quantity, &number.path);
            ui.add(Label::new(title)).on_hover_text(about(number.quantity, &number.path));
            for place in 0..named.names.len() {
                cell(ui, LINE, Layout::right_to_left(Align::Center), |ui| {
                    ui.label(number_in_words(number, place));
                });
            }
            ui.end_row();
        }
    });
}

/// A cell of the column of a scenario: all are equally wide.
fn cell(ui: &mut Ui, height: f32, layout: Layout, content: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(vec2(COLUMN, height), layout, |ui| {
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
            cell(ui, LINE, Layout::right_to_left(Align::Center), |ui| {
                let title = format!("{name}{role}");
                ui.add(Label::new(RichText::new(&title).strong()).truncate().show_tooltip_when_elided(false))
                    .on_hover_text(title);
            });
        }
        ui.end_row();
        rows(ui);
    });
}
