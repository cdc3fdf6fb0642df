//! A table of texts as it stands in reports, on the screen: no title is cut off.

use crossover_quantity::text::{Align, Table};
use egui::{Grid, Label, Layout, RichText, ScrollArea, TextStyle, TextWrapMode, Ui, WidgetText, vec2};

use super::table::width_of;

/// Space between columns, in points.
const GAP: f32 = 14.0;
/// The width to which columns grow, in points: longer texts have several lines.
const MOST: f32 = 380.0;
/// By how much columns are narrowed at a time, in points.
const STEP: f32 = 5.0;

/// Draws a table; `id` tells it from others on the page. Where the page is too narrow, texts of the widest columns have several lines, and
/// where their words do not fit, the table scrolls. `about`: tooltips of its first titles.
pub fn show(ui: &mut Ui, id: &str, table: &Table, about: &[&str]) {
    let texts = |place: usize| {
        let rows = table.rows.iter().filter_map(move |row| row.get(place)).map(String::as_str);
        rows.chain([&*table.columns[place].title])
    };
    let column = |place: usize| {
        let word = width_of(ui, texts(place).flat_map(str::split_whitespace));
        [word, width_of(ui, texts(place))].map(|width| width + 1.0)
    };
    let columns: Vec<[f32; 2]> = (0..table.columns.len()).map(column).collect();
    let room = ui.available_width() - GAP * columns.len() as f32;
    let widths = widths(&columns, room);
    ScrollArea::horizontal().id_salt(("text table", id)).show(ui, |ui| {
        Grid::new(id).striped(true).min_col_width(0.0).spacing([GAP, 4.0]).show(ui, |ui| {
            let cell = |ui: &mut Ui, place: usize, height: f32, text: RichText| {
                let align = match table.columns[place].align {
                    Align::Right => egui::Align::Max,
                    Align::Left => egui::Align::Min,
                };
                let size = vec2(widths[place], height);
                let cell = ui.allocate_ui_with_layout(size, Layout::top_down(align), |ui| {
                    ui.set_width(size.x);
                    ui.add(Label::new(text).wrap())
                });
                cell.inner
            };
            let titles = || table.columns.iter().map(|column| RichText::new(&*column.title).strong());
            let height = height_of(ui, titles(), &widths);
            for (place, title) in titles().enumerate() {
                let title = cell(ui, place, height, title);
                if let Some(about) = about.get(place) {
                    title.on_hover_text(*about);
                }
            }
            ui.end_row();
            for row in &table.rows {
                let texts = || row.iter().map(RichText::new).take(widths.len());
                let height = height_of(ui, texts(), &widths);
                for (place, text) in texts().enumerate() {
                    cell(ui, place, height, text);
                }
                ui.end_row();
            }
        });
    });
}

/// The height of a row: that of the text with most lines. The grid centres a lower cell, and the rest of its text would be behind the next row.
fn height_of(ui: &Ui, texts: impl Iterator<Item = RichText>, widths: &[f32]) -> f32 {
    let height = |(text, width): (RichText, &f32)| {
        let text = WidgetText::from(text);
        text.into_galley(ui, Some(TextWrapMode::Wrap), *width, TextStyle::Body).size().y
    };
    texts.zip(widths).map(height).fold(0.0, f32::max)
}

/// The widths of columns in so much room, from the widths of the longest word and of the longest text of each: as wide as their texts
/// where these fit; else the widest ones are as narrow as they must be, and never narrower than their words.
fn widths(columns: &[[f32; 2]], room: f32) -> Vec<f32> {
    let at_most = |most: f32| columns.iter().map(move |[word, text]| text.min(most).max(*word));
    let mut limit = MOST;
    while limit > 0.0 && at_most(limit).sum::<f32>() > room {
        limit -= STEP;
    }
    at_most(limit).collect()
}

#[cfg(test)]
mod tests {
    use crossover_quantity::text::Column;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    /// The titles of the decisions of Accuracy, which has a list of 260 points beside them. At 800 points, one word a line.
    #[test]
    fn every_title_is_in_view_in_windows_of_1280_and_800_points() {
        let titles =
            ["query", "Spark time", "RAPIDS time", "Gluten time", "least cost", "regret", "least time", "result"];
        for width in [1280.0, 800.0_f32] {
            let mut page = Harness::builder().with_size([width - 260.0, 600.0]).build_ui(move |ui| {
                let mut columns: Vec<Column> = titles.map(Column::text).into();
                columns[5] = Column::number("regret");
                let texts = titles.map(|title| format!("{title} of a query"));
                show(ui, "decisions", &Table { columns, rows: vec![texts.to_vec()] }, &["A query"]);
            });
            page.run();
            for title in titles {
                let rect = page.get_by_label(title).rect();
                assert!(rect.left() >= 0.0 && rect.right() <= width - 260.0, "{title} at {width}: {rect:?}");
                // The first row does not hide the last line of a title.
                let below = page.get_by_label(&format!("{title} of a query")).rect();
                assert!(rect.bottom() <= below.top() + 0.5, "{title} at {width}: {rect:?}, {below:?}");
            }
        }
    }

    /// As *Fit engines* and *Search* have them: titles and texts on several lines. Each text begins at the top of its row and ends above
    /// the next one.
    #[test]
    fn no_text_of_several_lines_is_cut_in_windows_of_1280_and_800_points() {
        let titles = ["engine", "time of both engines for the same work", "what decides, and where it was measured"];
        let long = "machines of another type run the same work in about half the time, at a price for which no region is known";
        for width in [1280.0, 800.0_f32] {
            let mut page = Harness::builder().with_size([width - 260.0, 600.0]).build_ui(move |ui| {
                let row =
                    |name: &str| vec![name.to_owned(), format!("{name}: {long}"), format!("{name}; {long}; {long}")];
                let rows = ["first", "second", "third"].map(row).into();
                show(ui, "engines", &Table { columns: titles.map(Column::text).into(), rows }, &[]);
            });
            page.run();
            let rect = |label: &str| page.get_by_label(label).rect();
            let mut end = titles.map(rect).map(|title| title.bottom()).into_iter().fold(0.0, f32::max);
            for name in ["first", "second", "third"] {
                let row = [rect(name), rect(&format!("{name}: {long}")), rect(&format!("{name}; {long}; {long}"))];
                assert!(row[2].height() > 1.5 * row[0].height(), "several lines at {width}: {row:?}");
                for cell in row {
                    assert!(
                        (cell.top() - row[0].top()).abs() < 1.0 && cell.top() > end - 0.5,
                        "{width}: {row:?}, {end}"
                    );
                    assert!(cell.right() <= width - 260.0, "{width}: {row:?}");
                }
                end = row.map(|cell| cell.bottom()).into_iter().fold(0.0, f32::max);
            }
        }
    }

    /// 200 and 300 are too wide for 400 beside 70: 2 × 165 + 70 fits.
    #[test]
    fn the_widest_columns_are_narrowed_until_all_fit() {
        let columns = [[40.0, 70.0], [60.0, 200.0], [80.0, 300.0]];
        assert_eq!(widths(&columns, 400.0), [70.0, 165.0, 165.0]);
        assert_eq!(widths(&columns, 600.0), [70.0, 200.0, 300.0]);
        // A text of many words has several lines.
        assert_eq!(widths(&[[40.0, 40.0], [90.0, 900.0]], 2000.0), [40.0, 380.0]);
        // No word is cut off, so that the table is wider than its room.
        assert_eq!(widths(&columns, 100.0), [40.0, 60.0, 80.0]);
    }
}
