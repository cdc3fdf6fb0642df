//! The table of the queries of a file; only the rows in view are drawn.

use crossover_chart::theme::Token;
use crossover_page::widgets::table::{self, CELLS, Sorted};
use crossover_plan::Query;
use crossover_quantity::unit::{Unit, share_of_time};
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder, TableRow};

use super::count;
use super::found::{Found, Key, Listing, Row, obstacle};

/// Columns with their titles.
const COLUMNS: [(Key, &str); 6] = [
    (Key::Id, "id"),
    (Key::Description, "description"),
    (Key::Duration, "duration"),
    (Key::Share, "share"),
    (Key::Stages, "stages"),
    (Key::Operators, "operators"),
];
const ROW: f32 = 22.0;
/// What the share of a query is a share of, here and in a fleet.
pub const SHARE_OF_APPLICATION: Meaning = Meaning::own(
    "Share of the application's time from start to end, part of which may be outside of queries; queries that run at once share it equally",
);

/// Draws the table; true if a query was clicked twice. `scroll`: brings the selected row into view.
pub(super) fn show(ui: &mut Ui, found: &Found, listing: &mut Listing, scroll: bool, height: f32) -> bool {
    let (mut sort_by, mut selected, mut is_opened) = (None, None, false);
    table::mark_picked(ui);
    let mut builder = TableBuilder::new(ui)
        .id_salt("queries")
        .striped(true)
        // Rows are walked through by the arrow keys, not one by one with Tab.
        .sense(CELLS)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(64.0).clip(true))
        .column(Column::remainder().at_least(140.0).clip(true))
        .column(Column::exact(86.0))
        .column(Column::exact(70.0))
        .column(Column::exact(64.0))
        .column(Column::exact(80.0))
        .auto_shrink(false)
        .min_scrolled_height(height)
        .max_scroll_height(height)
        .animate_scrolling(false);
    if let Some(place) = listing.place().filter(|_| scroll) {
        builder = builder.scroll_to_row(place, None);
    }
    builder
        .header(24.0, |mut header| {
            for (key, title) in COLUMNS {
                header.col(|ui| {
                    if column_title(ui, listing, key, title) {
                        sort_by = Some(key);
                    }
                });
            }
        })
        .body(|body| {
            body.rows(ROW, listing.shown.len(), |mut table_row| {
                let index = listing.shown[table_row.index()];
                let (Some(query), Some(row)) = (found.query(index), found.rows.get(index)) else { return };
                let is_selected = listing.selected == Some(index);
                table_row.set_selected(is_selected);
                cells(&mut table_row, query, row);
                let response = table_row.response();
                response.widget_info(|| {
                    let name = format!("query {}: {}", query.id, row.line);
                    WidgetInfo::selected(Role::Row, obstacle(query).is_none(), is_selected, name)
                });
                if response.clicked() {
                    selected = Some(index);
                }
                is_opened |= response.double_clicked();
            });
        });
    if selected.is_some() {
        listing.selected = selected;
    }
    if let Some(key) = sort_by {
        listing.sort_by(found, key);
    }
    is_opened
}

/// The title of a column; true if it was clicked.
fn column_title(ui: &mut Ui, listing: &Listing, key: Key, title: &str) -> bool {
    let sorted = Sorted::new(listing.key == key, !listing.ascending);
    let layout = match key {
        Key::Id | Key::Description => Layout::left_to_right(Align::Center),
        Key::Duration | Key::Share | Key::Stages | Key::Operators => Layout::right_to_left(Align::Center),
    };
    let meaning = match key {
        Key::Share => SHARE_OF_APPLICATION,
        Key::Stages => Meaning::own("Number of stages").and_term("stage"),
        Key::Operators => Meaning::own("Number of operators").and_term("operator"),
        Key::Id | Key::Description | Key::Duration => Meaning::default(),
    };
    ui.with_layout(layout, |ui| table::title(ui, title, sorted, meaning)).inner
}

fn cells(table_row: &mut TableRow<'_, '_>, query: &Query, row: &Row) {
    let can_open = obstacle(query).is_none();
    let text = |ui: &mut Ui, text: &str| {
        let text = if can_open { RichText::new(text) } else { RichText::new(text).weak() };
        ui.add(Label::new(text).truncate().selectable(false));
    };
    table_row.col(|ui| text(ui, &query.id));
    table_row.col(|ui| {
        let dark = ui.visuals().dark_mode;
        let mark = match (can_open, &query.failure) {
            (false, _) => Some(("no plan", Token::Warning)),
            (true, Some(_)) => Some(("failed", Token::Error)),
            (true, None) => None,
        };
        if let Some((mark, token)) = mark {
            ui.add(Label::new(RichText::new(mark).color(token.color(dark))).selectable(false));
        }
        text(ui, &row.line);
    });
    let duration = query.duration_seconds.map_or_else(|| "–".to_owned(), |seconds| Unit::Seconds.format(seconds));
    let share = row.share.map_or_else(|| "–".to_owned(), share_of_time);
    for number in [duration, share, count(query.stages), count(row.operators)] {
        table_row.col(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| text(ui, &number));
        });
    }
}
