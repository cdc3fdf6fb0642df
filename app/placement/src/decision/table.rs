//! The options as a table: the columns and cells of every report, with interval, date and reason below the cell they belong to.

use crossover_chart::theme::Token;
use crossover_export::decision::{OptionColumn, OptionRow, OptionsTable};
use crossover_page::widgets::cell::right;
use crossover_page::widgets::wrapped::wrapped;
use crossover_quantity::text::{Align as Side, counted};
use egui::{
    Align, Grid, Label, Layout, Rect, RichText, ScrollArea, TextStyle, TextWrapMode, Ui, UiBuilder, WidgetText, vec2,
};

/// Between two columns, in points.
const GAP: f32 = 12.0;
/// Least and largest width of the column of the titles, in points.
const TITLES: [f32; 2] = [150.0, 460.0];
/// Where titles have less, what is below them takes the width of the table.
const NARROW: f32 = 260.0;

/// Draws the options, today first.
pub fn show(ui: &mut Ui, table: &OptionsTable) {
    let columns: Vec<OptionColumn> = table.columns.iter().copied().filter(|column| column.below().is_none()).collect();
    // The titles take several lines, so that every other column is in view.
    let others = columns.iter().filter(|column| **column != OptionColumn::Title);
    let taken: f32 = others.map(|column| width_of(ui, table, *column) + GAP).sum();
    let width = (ui.available_width() - taken).clamp(TITLES[0], TITLES[1]);
    let whole = (width + taken).min(ui.available_width()).max(width);
    ScrollArea::horizontal().id_salt("options").show(ui, |ui| {
        Grid::new("options").striped(true).spacing([GAP, 4.0]).show(ui, |ui| {
            for column in &columns {
                heading(ui, table, *column);
            }
            ui.end_row();
            for row in &table.rows {
                for column in &columns {
                    if *column == OptionColumn::Title {
                        let across = (width < NARROW).then(|| Across { whole, others: lines_of_others(table, row) });
                        title(ui, table, row, width, across);
                    } else {
                        cell(ui, table, row, *column);
                    }
                }
                ui.end_row();
            }
        });
    });
}

/// The columns whose cells are below those of a column.
fn below(table: &OptionsTable, column: OptionColumn) -> impl Iterator<Item = OptionColumn> {
    table.columns.iter().copied().filter(move |other| other.below() == Some(column))
}

/// Width of a column of numbers with its title, in points.
fn width_of(ui: &Ui, table: &OptionsTable, column: OptionColumn) -> f32 {
    let width = |text: &str| {
        let text = WidgetText::from(text);
        text.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body).size().x
    };
    // A grid has no narrower column.
    let mut widest = ui.spacing().interact_size.x.max(width(&heading_text(table, column)));
    for row in &table.rows {
        for shown in std::iter::once(column).chain(below(table, column)) {
            widest = widest.max(width(row.cell(shown)));
        }
    }
    widest
}

/// The title of a column with those of the cells below its own.
fn heading_text(table: &OptionsTable, column: OptionColumn) -> String {
    let own = table.heading(column);
    // Cells below the titles say themselves what they are.
    let others: Vec<OptionColumn> = below(table, column).filter(|_| column != OptionColumn::Title).collect();
    let is_of_month = |other: &OptionColumn| matches!(other, OptionColumn::MonthlyCost | OptionColumn::MonthlySaving);
    let own = if others.is_empty() || others.iter().any(is_of_month) { two_lines(own) } else { own.to_owned() };
    let short = |other: &OptionColumn| {
        if is_of_month(other) { "mean per month" } else { table.heading(*other).trim_end_matches(" of saving") }
    };
    std::iter::once(own.as_str()).chain(others.iter().map(short)).collect::<Vec<&str>>().join("\n")
}

/// The title of a column with those below it, and their meanings.
fn heading(ui: &mut Ui, table: &OptionsTable, column: OptionColumn) {
    let columns = std::iter::once(column).chain(below(table, column));
    let meanings: Vec<String> = columns.map(|shown| table.meaning(shown).text()).collect();
    let text = RichText::new(heading_text(table, column)).strong();
    let shown = match column.align() {
        Side::Left => ui.label(text),
        Side::Right => right(ui, text),
    };
    shown.on_hover_text(meanings.join("\n"));
}

/// A text on two lines, cut at the space that is nearest to its middle.
fn two_lines(text: &str) -> String {
    let middle = text.len() / 2;
    match text.match_indices(' ').min_by_key(|(at, _)| at.abs_diff(middle)) {
        Some((at, _)) => format!("{}\n{}", &text[..at], &text[at + 1..]),
        None => text.to_owned(),
    }
}

/// A text of a row; that of the recommended row is marked.
fn marked(ui: &Ui, text: &str, is_recommended: bool) -> RichText {
    let text = RichText::new(text);
    if is_recommended { text.strong().color(Token::Accent.color(ui.visuals().dark_mode)) } else { text }
}

/// A cell, and those below it, on the first lines of the row, beside the title of the option.
fn cell(ui: &mut Ui, table: &OptionsTable, row: &OptionRow, column: OptionColumn) {
    let align = match column.align() {
        Side::Left => Align::Min,
        Side::Right => Align::Max,
    };
    ui.with_layout(Layout::top_down(align), |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let text = marked(ui, row.cell(column), row.is_recommended);
        ui.add(Label::new(text).extend());
        for other in below(table, column).map(|other| row.cell(other)).filter(|text| !text.is_empty()) {
            ui.add(Label::new(RichText::new(other).weak()).extend());
        }
    });
}

/// How many lines the cells of a row have that are beside its title.
fn lines_of_others(table: &OptionsTable, row: &OptionRow) -> usize {
    let others = table.columns.iter().filter(|column| **column != OptionColumn::Title && column.below().is_none());
    let lines = |column: &OptionColumn| 1 + below(table, *column).filter(|other| !row.cell(*other).is_empty()).count();
    others.map(lines).max().unwrap_or(0)
}

/// Room below all cells of a row.
#[derive(Clone, Copy)]
struct Across {
    /// Its width, in points.
    whole: f32,
    /// How many lines the cells have that are beside the title.
    others: usize,
}

/// The option, and below it what explains its row: below the cells beside it, too, where the titles are narrow.
fn title(ui: &mut Ui, table: &OptionsTable, row: &OptionRow, width: f32, across: Option<Across>) {
    ui.vertical(|ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 0.0;
        let text = marked(ui, row.cell(OptionColumn::Title), row.is_recommended);
        ui.add(Label::new(text).wrap());
        let Some(Across { whole, others }) = across else { return explanation(ui, table, row) };
        let below = ui.text_style_height(&TextStyle::Body) * others as f32 - ui.min_rect().height();
        ui.add_space(below.max(0.0));
        // The text takes more width than the column: a cell of the grid would widen that.
        let room = Rect::from_min_size(ui.cursor().min, vec2(whole, ui.available_height()));
        let mut lines = ui.new_child(UiBuilder::new().max_rect(room).layout(Layout::top_down(Align::Min)));
        explanation(&mut lines, table, row);
        let height = lines.min_rect().height();
        ui.allocate_space(vec2(width, height));
    });
}

/// Why the option is recommended or not, the date of its measurements, and that it has warnings, on as many lines as necessary.
fn explanation(ui: &mut Ui, table: &OptionsTable, row: &OptionRow) {
    let why = row.cell(OptionColumn::Why);
    if !why.is_empty() {
        // Without the colour, the words mark the row.
        let accent = Token::Accent.color(ui.visuals().dark_mode);
        let mark = |text: RichText| if row.is_recommended { text.strong().color(accent) } else { text.weak() };
        wrapped(ui, why, mark);
    }
    let measured = row.cell(OptionColumn::Measured);
    if !measured.is_empty() {
        let text = format!("{} {measured}", table.heading(OptionColumn::Measured));
        ui.add(Label::new(RichText::new(text).weak()).wrap());
    }
    if !row.warnings.is_empty() {
        // The texts are below the table, once for each engine.
        let text = format!("{}, see below", counted(row.warnings.len() as f64, "warning"));
        let color = Token::Warning.color(ui.visuals().dark_mode);
        ui.add(Label::new(RichText::new(text).color(color))).on_hover_text(row.warnings.join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::*;

    #[test]
    fn a_title_of_several_words_has_two_lines_of_about_the_same_length() {
        for (title, expected) in
            [("row", "row"), ("likely faster", "likely\nfaster"), ("likely to meet goal", "likely to\nmeet goal")]
        {
            assert_eq!(two_lines(title), expected);
        }
    }

    #[test]
    fn what_explains_a_row_with_a_narrow_title_is_below_its_cells_in_the_width_of_the_table() {
        // It is likely to cost more than today: several lines in such a column.
        const NARROW: f32 = 60.0;
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let option = Candidate::predicted("GPUs", PredictedTime::within(10.0, 1.1), Some(Price::entered(4.0)));
        let objective = Objective { runs_per_month: Some(100.0), ..Objective::default() };
        let table = OptionsTable::new(&decide(baseline, vec![option], objective));
        let row = &table.rows[1];
        // The saving of a run, its interval, and the saving of a month.
        assert_eq!(lines_of_others(&table, row), 3);
        let context = egui::Context::default();
        let heights = |across: Option<Across>| {
            let [mut height, mut line] = [0.0; 2];
            let output = context.run_ui(egui::RawInput::default(), |ui| {
                line = ui.text_style_height(&TextStyle::Body);
                height = ui.scope(|ui| title(ui, &table, row, NARROW, across)).response.rect.height();
            });
            output.drop_without_applying_deltas();
            (height, line)
        };
        let [(narrow, _), (wide, _), (below, line)] =
            [None, Some(Across { whole: 900.0, others: 1 }), Some(Across { whole: 900.0, others: 9 })].map(heights);
        assert!(wide < narrow, "{wide} of {narrow}");
        assert!(below > 9.5 * line, "{below}, lines of {line}");
    }

    #[test]
    fn amounts_of_a_month_have_a_line_in_narrow_titles() {
        let of = |runs_per_month: Option<f64>| {
            let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
            let option = Candidate::predicted("GPUs", PredictedTime::within(10.0, 1.1), Some(Price::entered(1.5)));
            let objective = Objective { runs_per_month, ..Objective::default() };
            let table = OptionsTable::new(&decide(baseline, vec![option], objective));
            [OptionColumn::Cost, OptionColumn::Saving].map(|column| heading_text(&table, column))
        };
        assert_eq!(of(None), ["median cost\nper run", "mean saving per run\n90 % interval"]);
        let monthly = ["median cost\nper run\nmean per month", "mean saving\nper run\n90 % interval\nmean per month"];
        assert_eq!(of(Some(100.0)), monthly);
    }
}
