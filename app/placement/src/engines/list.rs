//! The cases as a table; only the rows in view are drawn.

use crossover_chart::theme::Token;
use crossover_engine::predict::Range;
use crossover_export::placement::truth::{SideVerdict, range};
use crossover_page::widgets::table::{self, CELLS, Sorted};
use crossover_plan::cases::Compared;
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, Role, ScrollArea, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder};

const ROW: f32 = 22.0;

/// A column of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Key {
    /// As in the file.
    #[default]
    Name,
    Cpu,
    MeasuredCpu,
    Gpu,
    MeasuredGpu,
    Speedup,
    Interval,
    MeasuredSpeedup,
    /// Error of the speedup.
    SpeedupError,
    Side,
}

/// Columns with their titles, widths in points and meanings.
const COLUMNS: [(Key, &str, f32, Meaning); 10] = [
    (Key::Name, "case", 110.0, Meaning::own("A measured query")),
    (Key::Cpu, "CPU", 76.0, Meaning::own("Predicted time of the CPU engine")),
    (Key::MeasuredCpu, "measured", 76.0, Meaning::own("Measured time of the CPU engine")),
    (Key::Gpu, "GPU", 76.0, Meaning::own("Predicted time of the GPU engine")),
    (Key::MeasuredGpu, "measured", 76.0, Meaning::own("Measured time of the GPU engine")),
    (Key::Speedup, "speedup", 76.0, Meaning::own("Predicted").and_term("speedup")),
    (Key::Interval, "90 % interval", 124.0, Meaning::own("Of the speedup").and_term("90 % interval")),
    (Key::MeasuredSpeedup, "measured", 76.0, Meaning::own("Measured").and_term("speedup")),
    (Key::SpeedupError, "error", 76.0, Meaning::own("Of the speedup: |predicted ÷ measured − 1|")),
    (Key::Side, "side", 76.0, Meaning::own("Whether the side predicted to be faster was faster")),
];

/// How the table is sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sort {
    key: Key,
    is_descending: bool,
}

impl Sort {
    /// The positions of the cases in the order of the table; cases without the value come last.
    pub(super) fn order(self, cases: &[Compared]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..cases.len()).collect();
        let value = |at: &usize| self.key.value(&cases[*at]);
        match self.key {
            Key::Name if self.is_descending => order.reverse(),
            Key::Name => {}
            Key::Side => order.sort_by_key(|at| {
                let verdict = SideVerdict::of(&cases[*at].judged);
                (verdict.is_none(), (verdict != Some(SideVerdict::Wrong)) ^ self.is_descending)
            }),
            _ => order.sort_by(|a, b| match (value(a), value(b)) {
                (Some(a), Some(b)) if self.is_descending => b.total_cmp(&a),
                (Some(a), Some(b)) => a.total_cmp(&b),
                (a, b) => b.is_some().cmp(&a.is_some()),
            }),
        }
        order
    }
}

impl Key {
    fn value(self, compared: &Compared) -> Option<f64> {
        let judged = &compared.judged;
        // A query that cannot be judged has no predicted values.
        let found = judged.judgeable();
        let speedup = found.map(|found| found.speedup);
        match self {
            Self::Name | Self::Side => None,
            Self::Cpu => found.map(|found| found.cpu.value),
            Self::MeasuredCpu => judged.cpu_seconds,
            Self::Gpu => found.map(|found| found.gpu.value),
            Self::MeasuredGpu => judged.gpu_seconds,
            Self::Speedup => speedup.map(|speedup| speedup.value),
            Self::Interval => speedup.map(|Range { low, high, .. }| high / low),
            Self::MeasuredSpeedup => judged.speedup(),
            Self::SpeedupError => {
                speedup.zip(judged.speedup()).map(|(found, measured)| (found.value / measured - 1.0).abs())
            }
        }
    }

    fn text(self, compared: &Compared) -> String {
        let value = || self.value(compared);
        let written = |unit: Unit| value().map_or_else(|| "–".to_owned(), |value| unit.format(value));
        match self {
            Self::Name => compared.case.name.clone(),
            Self::Side if compared.judged.judgeable().is_none() => "outside".to_owned(),
            Self::Side => SideVerdict::of(&compared.judged).map_or("", SideVerdict::label).to_owned(),
            Self::Interval if value().is_none() => String::new(),
            Self::Interval => range(compared.judged.prediction.speedup),
            Self::Speedup | Self::MeasuredSpeedup => written(Unit::Factor),
            Self::SpeedupError => written(Unit::Share),
            Self::Cpu | Self::MeasuredCpu | Self::Gpu | Self::MeasuredGpu => written(Unit::Seconds),
        }
    }
}

/// Draws the cases in this order; a click on a title sorts, one on a row picks the case.
pub(super) fn show(ui: &mut Ui, cases: &[Compared], order: &[usize], sort: &mut Sort, picked: &mut Option<usize>) {
    let others: f32 = COLUMNS[1..].iter().map(|(_, _, width, _)| width + ui.spacing().item_spacing.x).sum();
    let name = (ui.available_width() - others).max(COLUMNS[0].2);
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| table(ui, cases, order, sort, picked, name));
}

/// The table itself, its first column being so wide.
fn table(ui: &mut Ui, cases: &[Compared], order: &[usize], sort: &mut Sort, picked: &mut Option<usize>, name: f32) {
    let dark = ui.visuals().dark_mode;
    table::mark_picked(ui);
    let mut table = TableBuilder::new(ui)
        .id_salt("cases")
        .striped(true)
        .sense(CELLS)
        .cell_layout(Layout::left_to_right(Align::Center))
        .auto_shrink(false);
    for (key, _, width, _) in COLUMNS {
        let width = if key == Key::Name { name } else { width };
        table = table.column(Column::exact(width).clip(true));
    }
    table
        .header(24.0, |mut header| {
            for (key, title, _, meaning) in COLUMNS {
                header.col(|ui| {
                    let sorted = Sorted::new(sort.key == key, sort.is_descending);
                    if aligned(ui, key, |ui| table::title(ui, title, sorted, meaning)) {
                        // Errors are sorted with the largest first.
                        let is_descending =
                            if sort.key == key { !sort.is_descending } else { key == Key::SpeedupError };
                        *sort = Sort { key, is_descending };
                    }
                });
            }
        })
        .body(|body| {
            body.rows(ROW, order.len(), |mut row| {
                let at = order[row.index()];
                let compared = &cases[at];
                let is_picked = *picked == Some(at);
                row.set_selected(is_picked);
                let is_wrong = SideVerdict::of(&compared.judged) == Some(SideVerdict::Wrong);
                let name = format!("case {}", compared.case.name);
                let mut is_pressed = false;
                for (key, ..) in COLUMNS {
                    row.col(|ui| {
                        if key == Key::Name {
                            is_pressed = table::stop(ui, is_picked, &name);
                        }
                        let text = RichText::new(key.text(compared));
                        let text =
                            if key == Key::Side && is_wrong { text.color(Token::Error.color(dark)) } else { text };
                        aligned(ui, key, |ui| ui.add(Label::new(text).truncate().selectable(false)));
                    });
                }
                let response = row.response();
                response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_picked, name.clone()));
                if is_pressed || response.clicked() {
                    *picked = (!is_picked).then_some(at);
                }
            });
        });
}

/// Text on the left, numbers on the right.
fn aligned<T>(ui: &mut Ui, key: Key, add: impl FnOnce(&mut Ui) -> T) -> T {
    match key {
        Key::Name => add(ui),
        _ => ui.with_layout(Layout::right_to_left(Align::Center), add).inner,
    }
}
