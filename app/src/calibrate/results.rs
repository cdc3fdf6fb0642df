//! The table of everything that was measured, and what the picked measurement means.

use crossover_gpu_bench::benchmarks;
use crossover_gpu_bench::report::{Measurement, Side, Verified};
use crossover_model::unit::Unit;
use egui::{Align, Label, Layout, RichText, ScrollArea, Sense, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder};

use super::run::Run;
use crate::theme::Token;

/// Titles of the columns, and whether they hold numbers.
const COLUMNS: [(&str, bool); 9] = [
    ("measurement", false),
    ("side", false),
    ("parameters", false),
    ("median", true),
    ("95 % interval", true),
    ("moved", true),
    ("of roof", true),
    ("check", false),
    ("remark", false),
];

/// Draws the table; `picked` is the measurement that is explained.
pub(super) fn show(ui: &mut Ui, run: &Run, picked: &mut Option<usize>) {
    let results = run.results();
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("What was measured?");
        let explained = picked.and_then(|index| results.get(index));
        match explained.and_then(|measurement| Some((measurement, benchmarks::find(&measurement.id)?))) {
            Some((measurement, benchmark)) => {
                ui.label(RichText::new(&measurement.id).strong());
                ui.label(format!("{} Bytes moved: {}.", benchmark.explains, benchmark.traffic));
            }
            None => drop(ui.weak("Click a row to read what it measures")),
        }
    });
    ui.visuals_mut().selection.bg_fill = Token::Accent.color(ui.visuals().dark_mode).gamma_multiply(0.14);
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let builder = TableBuilder::new(ui)
            // Another run is scrolled by itself.
            .id_salt(("results", run.shown_since()))
            .striped(true)
            .sense(Sense::click())
            .stick_to_bottom(run.is_going_on())
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::initial(160.0).at_least(80.0).clip(true).resizable(true))
            .column(Column::exact(96.0))
            .column(Column::initial(210.0).at_least(80.0).clip(true).resizable(true))
            .column(Column::exact(74.0))
            .column(Column::exact(136.0))
            .column(Column::exact(80.0))
            .column(Column::exact(60.0))
            .column(Column::exact(52.0))
            .column(Column::remainder().at_least(220.0).clip(true));
        builder
            .header(22.0, |mut header| {
                for (text, is_number) in COLUMNS {
                    header.col(|ui| title(ui, text, is_number));
                }
            })
            .body(|body| {
                body.rows(20.0, results.len(), |mut row| {
                    let index = row.index();
                    row.set_selected(*picked == Some(index));
                    cells(&mut row, &results[index]);
                    let response = row.response();
                    if response.clicked() {
                        *picked = if *picked == Some(index) { None } else { Some(index) };
                    }
                    let result = &results[index];
                    let name = format!("{}, {}, {}", result.id, side(result), params(result));
                    response.widget_info(|| WidgetInfo::labeled(egui::Role::Row, true, name.clone()));
                    if let Some(benchmark) = benchmarks::find(&result.id) {
                        response.on_hover_text(benchmark.explains);
                    }
                });
            });
    });
}

fn cells(row: &mut egui_extras::TableRow<'_, '_>, measurement: &Measurement) {
    let name = if measurement.variant.is_empty() {
        measurement.id.clone()
    } else {
        format!("{} · {}", measurement.id, measurement.variant)
    };
    row.col(|ui| text(ui, &name, Token::Text));
    let side_token = match measurement.side {
        Side::Cpu => Token::Cpu,
        Side::Gpu | Side::EndToEnd => Token::Gpu,
    };
    row.col(|ui| text(ui, &side(measurement), side_token));
    row.col(|ui| text(ui, &params(measurement), Token::Text));
    let time = measurement.time;
    row.col(|ui| number(ui, time.map_or_else(dash, |time| Unit::Seconds.format(time.median_s))));
    row.col(|ui| number(ui, time.map_or_else(dash, |time| interval(Unit::Seconds, time.ci95_s))));
    let moved = measurement.traffic_gb_per_s();
    row.col(|ui| number(ui, moved.map_or_else(dash, |speed| Unit::GigabytesPerSecond.format(speed))));
    row.col(|ui| number(ui, measurement.roof_share.map_or_else(dash, |share| Unit::Share.format(share))));
    row.col(|ui| {
        let (word, token) = check(measurement.verified);
        text(ui, word, token);
    });
    row.col(|ui| {
        let (remark, token) = remark(measurement);
        text(ui, &remark, token);
    });
}

/// Why there is no number, or what to keep in mind about it.
fn remark(measurement: &Measurement) -> (String, Token) {
    match &measurement.skipped {
        Some(reason) if measurement.verified == Verified::Failed => (format!("no number: {reason}"), Token::Error),
        Some(reason) => (format!("skipped: {reason}"), Token::Warning),
        None => (measurement.warnings.join("; "), Token::Warning),
    }
}

fn check(verified: Verified) -> (&'static str, Token) {
    match verified {
        Verified::Exact => ("exact", Token::Text),
        Verified::Digest => ("digest", Token::Text),
        Verified::Failed => ("failed", Token::Error),
        Verified::NothingToCheck => ("none", Token::TextWeak),
        Verified::Skipped => ("–", Token::TextWeak),
    }
}

/// Where it ran: "CPU, 1 thread", "GPU", "end to end".
pub(super) fn side(measurement: &Measurement) -> String {
    match (measurement.side, measurement.threads) {
        (Side::Cpu, 1) => "CPU, 1 thread".to_owned(),
        (Side::Cpu, threads) => format!("CPU, {threads} threads"),
        (side, _) => side.label().to_owned(),
    }
}

/// "16.78 M rows, selectivity 0.1".
pub(super) fn params(measurement: &Measurement) -> String {
    let rows = measurement.param("rows").filter(|rows| *rows > 0.0).map(|rows| format!("{} rows", many(rows)));
    let others = measurement.params.iter().filter(|(name, _)| *name != "rows");
    let others = others.map(|(name, value)| format!("{} {}", name.replace('_', " "), many(*value)));
    rows.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// A count with a prefix: "16.78 M".
fn many(value: f64) -> String {
    let prefixes = [(1e9, " G"), (1e6, " M"), (1e4, " k")];
    match prefixes.into_iter().find(|(size, _)| value >= *size) {
        Some((1e4, prefix)) => format!("{}{prefix}", Unit::Ratio.format(value / 1e3)),
        Some((size, prefix)) => format!("{}{prefix}", Unit::Ratio.format(value / size)),
        None => Unit::Ratio.format(value),
    }
}

/// "1.2 ms – 1.3 ms".
pub(super) fn interval(unit: Unit, (low, high): (f64, f64)) -> String {
    format!("{} – {}", unit.format(low), unit.format(high))
}

pub(super) fn dash() -> String {
    "–".to_owned()
}

/// The title of a column, above its numbers or its text.
pub(super) fn title(ui: &mut Ui, text: &str, is_number: bool) {
    let label = Label::new(RichText::new(text).strong()).selectable(false);
    if is_number {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(label));
    } else {
        ui.add(label);
    }
}

/// Ends a row of a grid: the last column takes the width that is left, so that the others stay narrow.
pub(super) fn rest(ui: &mut Ui) {
    ui.label("");
    ui.end_row();
}

/// A number in a table: right-aligned.
pub(super) fn number(ui: &mut Ui, text: String) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(Label::new(text).selectable(false)));
}

fn text(ui: &mut Ui, text: &str, token: Token) {
    let color = token.color(ui.visuals().dark_mode);
    let label = Label::new(RichText::new(text).color(color)).truncate().selectable(false);
    // A cut text shows itself whole under the pointer.
    ui.add(label);
}
