//! The table of all measurements, and the explanation of the selected one.

use crossover_chart::theme::Token;
use crossover_gpu_bench::benchmarks;
use crossover_gpu_bench::report::{Measurement, Side, Verified, summary};
use crossover_page::widgets::table::{CELLS, mark_picked, name_edges, stop};
use crossover_quantity::unit::Unit;
use egui::{Align, Label, Layout, RichText, ScrollArea, TextEdit, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder, TableRow};

use super::run::Run;

/// Titles of the columns, and whether they hold numbers.
const COLUMNS: [(&str, bool); 9] = [
    ("measurement", false),
    ("side", false),
    ("parameters", false),
    ("median", true),
    ("95 % interval", true),
    ("throughput", true),
    ("share of roof", true),
    ("check", false),
    ("remark", false),
];

/// The filter and selection of the table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The selected measurement.
    picked: Option<usize>,
    /// Words that a measurement must contain.
    words: String,
    /// The remarks that are shown; none: all measurements.
    only: Option<Remarked>,
}

/// Measurements with a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Remarked {
    /// Without a value.
    Missing,
    /// With a warning.
    Warned,
}

impl Remarked {
    fn is(self, measurement: &Measurement) -> bool {
        match self {
            Self::Missing => measurement.reason.is_some(),
            Self::Warned => measurement.reason.is_none() && !measurement.warnings.is_empty(),
        }
    }
}

/// A line of the table.
enum Line<'a> {
    /// The group of the next lines, and its size.
    Group(&'a str, usize),
    /// Index among the results.
    Result(usize),
}

impl Table {
    /// Resets the table for another run.
    pub(super) fn of_another_run(&mut self) {
        self.picked = None;
    }

    fn shows(&self, measurement: &Measurement) -> bool {
        if self.only.is_some_and(|only| !only.is(measurement)) {
            return false;
        }
        if self.words.trim().is_empty() {
            return true;
        }
        let text = [name(measurement), side(measurement), summary::parameters(measurement), remark(measurement).0];
        let text = text.join(" ").to_lowercase();
        self.words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// While measuring in the order of measuring, the newest last; afterwards by group.
    fn lines<'a>(&self, run: &'a Run) -> Vec<Line<'a>> {
        let shown = run.results().iter().enumerate().filter(|(_, measurement)| self.shows(measurement));
        if run.is_going_on() {
            return shown.map(|(index, _)| Line::Result(index)).collect();
        }
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for (index, measurement) in shown {
            let group = measurement.id.split('.').next().unwrap_or_default();
            match groups.iter_mut().find(|(name, _)| *name == group) {
                Some((_, members)) => members.push(index),
                None => groups.push((group, vec![index])),
            }
        }
        let lines = groups.into_iter().flat_map(|(group, members)| {
            let heading = Line::Group(group, members.len());
            std::iter::once(heading).chain(members.into_iter().map(Line::Result))
        });
        lines.collect()
    }
}

/// Draws the table.
pub(super) fn show(ui: &mut Ui, run: &Run, table: &mut Table) {
    let results = run.results();
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("Measurements");
        filters(ui, results, table);
    });
    let explained = table.picked.and_then(|index| results.get(index));
    match explained.and_then(|measurement| Some((measurement, benchmarks::find(&measurement.id)?))) {
        Some((measurement, benchmark)) => {
            let sentence = format!("{} Bytes transferred: {}.", benchmark.explains, benchmark.traffic);
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(&measurement.id).strong());
                ui.label(sentence);
            });
        }
        None => drop(ui.weak("Click a row for its explanation.")),
    }
    mark_picked(ui);
    let lines = table.lines(run);
    if lines.is_empty() && !results.is_empty() {
        ui.label("No measurement matches the filter.");
        return;
    }
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        // Each run has its own scroll position; a finished run starts at its first row.
        let salt = ("results", run.shown_since(), run.is_going_on());
        let builder = TableBuilder::new(ui)
            .id_salt(salt)
            .striped(true)
            .sense(CELLS)
            .stick_to_bottom(run.is_going_on())
            // The panel is as high as the user wants it.
            .min_scrolled_height(40.0)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::initial(236.0).at_least(80.0).clip(true).resizable(true))
            .column(Column::exact(96.0))
            .column(Column::initial(220.0).at_least(80.0).clip(true).resizable(true))
            .column(Column::exact(74.0))
            .column(Column::exact(136.0))
            .column(Column::exact(84.0))
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
                body.rows(20.0, lines.len(), |mut row| match lines[row.index()] {
                    Line::Group(group, count) => {
                        row.col(|ui| {
                            // The heading may reach into the next column.
                            let text = RichText::new(format!("{} · {count}", group.replace('_', " "))).strong();
                            ui.add(Label::new(text).extend().selectable(false));
                        });
                        // The stripe goes all the way.
                        (1..COLUMNS.len()).for_each(|_| drop(row.col(|_| {})));
                    }
                    Line::Result(index) => result_row(&mut row, &results[index], index, &mut table.picked),
                });
            });
        name_edges(ui, salt, &[(0, "measurement"), (2, "parameters")]);
    });
}

/// Draws the filters of the table.
fn filters(ui: &mut Ui, results: &[Measurement], table: &mut Table) {
    let field = TextEdit::singleline(&mut table.words).hint_text("filter, e.g. join GPU").desired_width(160.0);
    let field = ui.add(field);
    field.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "filter of measurements"));
    let choices = [(Remarked::Missing, "without a value"), (Remarked::Warned, "with a warning")];
    let count = |only: Remarked| results.iter().filter(|measurement| only.is(measurement)).count();
    if table.only.is_some_and(|only| count(only) == 0) {
        table.only = None;
    }
    if choices.iter().all(|(only, _)| count(*only) == 0) {
        return;
    }
    ui.selectable_value(&mut table.only, None, format!("all {}", results.len()));
    for (only, text) in choices.into_iter().filter(|(only, _)| count(*only) > 0) {
        ui.selectable_value(&mut table.only, Some(only), format!("{} {text}", count(only)));
    }
}

fn result_row(row: &mut TableRow<'_, '_>, result: &Measurement, index: usize, picked: &mut Option<usize>) {
    let is_picked = *picked == Some(index);
    row.set_selected(is_picked);
    let described = format!("{}, {}, {}", name(result), side(result), summary::parameters(result));
    let is_pressed = cells(row, result, is_picked, &described);
    let response = row.response();
    if is_pressed || response.clicked() {
        *picked = (!is_picked).then_some(index);
    }
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Row, true, described.clone()));
    if let Some(benchmark) = benchmarks::find(&result.id) {
        response.on_hover_text(benchmark.explains);
    }
}

/// Draws the cells of a row; true if it was pressed by a key.
fn cells(row: &mut TableRow<'_, '_>, measurement: &Measurement, is_picked: bool, described: &str) -> bool {
    let mut is_pressed = false;
    row.col(|ui| {
        is_pressed = stop(ui, is_picked, described);
        text(ui, &name(measurement), Token::Text);
    });
    let side_token = match measurement.side {
        Side::Cpu => Token::Cpu,
        Side::Gpu | Side::EndToEnd => Token::Gpu,
    };
    row.col(|ui| text(ui, &side(measurement), side_token));
    row.col(|ui| text(ui, &summary::parameters(measurement), Token::Text));
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
    is_pressed
}

/// Why there is no value, or the warnings.
fn remark(measurement: &Measurement) -> (String, Token) {
    match &measurement.reason {
        Some(reason) => {
            let token = if measurement.verified == Verified::Failed { Token::Error } else { Token::Warning };
            (format!("no value: {reason}"), token)
        }
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

/// Id and variant of a measurement: "filter.append · subgroups".
pub(super) fn name(measurement: &Measurement) -> String {
    let Measurement { id, variant, .. } = measurement;
    if variant.is_empty() { id.clone() } else { format!("{id} · {variant}") }
}

/// Side of a measurement: "CPU, 1 thread", "GPU", "end to end".
pub(super) fn side(measurement: &Measurement) -> String {
    match (measurement.side, measurement.threads) {
        (Side::Cpu, 1) => "CPU, 1 thread".to_owned(),
        (Side::Cpu, threads) => format!("CPU, {threads} threads"),
        (side, _) => side.label().to_owned(),
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
    let color = token.text(ui.visuals().dark_mode);
    let label = Label::new(RichText::new(text).color(color)).truncate().selectable(false);
    // A cut text shows itself whole under the pointer.
    ui.add(label);
}
