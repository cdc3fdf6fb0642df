//! The options as a table: the columns and cells of every report, with interval, date and reason below the cell they belong to.

use crossover_chart::theme::Token;
use crossover_export::decision::{OptionColumn, OptionRow, OptionsTable};
use crossover_page::widgets::cell::right;
use crossover_quantity::text::{Align as Side, counted};
use egui::{Align, Grid, Label, Layout, RichText, ScrollArea, Ui};

/// Width of all columns but that of the titles, in points.
const NUMBERS: f32 = 780.0;
/// Least and largest width of the column of the titles, in points.
const TITLES: [f32; 2] = [200.0, 460.0];

/// Draws the options, today first.
pub fn show(ui: &mut Ui, table: &OptionsTable) {
    let width = (ui.available_width() - NUMBERS).clamp(TITLES[0], TITLES[1]);
    let columns: Vec<OptionColumn> = table.columns.iter().copied().filter(|column| column.below().is_none()).collect();
    ScrollArea::horizontal().id_salt("options").show(ui, |ui| {
        Grid::new("options").striped(true).spacing([12.0, 4.0]).show(ui, |ui| {
            for column in &columns {
                heading(ui, table, *column);
            }
            ui.end_row();
            for row in &table.rows {
                for column in &columns {
                    if *column == OptionColumn::Title {
                        title(ui, table, row, width);
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

/// The title of a column with those below it, and their meanings.
fn heading(ui: &mut Ui, table: &OptionsTable, column: OptionColumn) {
    let columns = std::iter::once(column).chain(below(table, column));
    let meanings: Vec<String> = columns.map(|shown| table.meaning(shown).text()).collect();
    let own = table.heading(column);
    // Cells below the titles say themselves what they are.
    let of_others = below(table, column).filter(|_| column != OptionColumn::Title);
    let of_others: Vec<&str> = of_others.map(|other| table.heading(other).trim_end_matches(" of saving")).collect();
    let text = if of_others.is_empty() { two_lines(own) } else { format!("{own}\n{}", of_others.join("\n")) };
    let text = RichText::new(text).strong();
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

/// The option, and below it why it is recommended or not, the date of its measurements, and that it has warnings, on as many lines
/// as necessary.
fn title(ui: &mut Ui, table: &OptionsTable, row: &OptionRow, width: f32) {
    ui.vertical(|ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing.y = 0.0;
        let text = marked(ui, row.cell(OptionColumn::Title), row.is_recommended);
        ui.add(Label::new(text).wrap());
        let why = row.cell(OptionColumn::Why);
        if !why.is_empty() {
            // Without the colour, the words mark the row.
            let why = if row.is_recommended { marked(ui, why, true) } else { RichText::new(why).weak() };
            ui.add(Label::new(why).wrap());
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
    });
}

#[cfg(test)]
mod tests {
    use super::two_lines;

    #[test]
    fn a_title_of_several_words_has_two_lines_of_about_the_same_length() {
        for (title, expected) in
            [("row", "row"), ("likely faster", "likely\nfaster"), ("likely to meet goal", "likely to\nmeet goal")]
        {
            assert_eq!(two_lines(title), expected);
        }
    }
}
