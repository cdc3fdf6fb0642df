//! "What goes where?": a row for each operator of the plan, with the reason.

use crossover_chart::theme::Token;
use crossover_model::placement::Placement;
use crossover_model::placement::whole::{Decided, Fixed, Whole};
use crossover_model::plan::Plan;
use crossover_model::unit::Unit;
use egui::{Align, Label, Layout, RichText, Sense, Ui};
use egui_extras::{Column, TableBuilder};

use super::super::{Env, View};
use super::PlanBoard;
use super::text::{bytes, factor, figure, rows};
use super::totals::right;
use crate::studies::export_menu;

/// A column that the table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Key {
    /// As in the plan.
    #[default]
    Node,
    /// By name.
    Name,
    /// GPU first.
    Side,
    /// By time on CPU.
    CpuSeconds,
    /// By time on GPU.
    GpuSeconds,
    /// By time on CPU ÷ time on GPU.
    Speedup,
    /// By rows given.
    Rows,
    /// By bytes given.
    Bytes,
}

/// How the table is sorted, and the order that follows.
#[derive(Default)]
pub(super) struct Table {
    key: Key,
    is_descending: bool,
    /// Places in order, and the evaluation that they are of.
    order: Vec<usize>,
    of: Option<(Key, bool, u64)>,
}

/// Draws the table with its title.
pub(in super::super) fn show(ui: &mut Ui, view: &mut View, study: &Placement, env: &mut Env<'_>) {
    let evaluations = view.board.evaluations();
    let (Some(board), Some(query)) = (view.board.plan(), study.query.as_deref()) else { return };
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("What goes where?");
        export_menu::plan_results(ui, env, study);
        ui.label(RichText::new("Click a row to see its operator, a column to sort").weak());
    });
    let table = &mut view.plan.table;
    let state = (table.key, table.is_descending, evaluations);
    if table.of != Some(state) {
        table.order = sorted(board.whole(), &query.plan, table.key, table.is_descending);
        table.of = Some(state);
    }
    let (mut clicked, mut sort_by) = (None, None);
    ui.visuals_mut().selection.bg_fill = Token::Accent.color(ui.visuals().dark_mode).gamma_multiply(0.14);
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let builder = TableBuilder::new(ui)
            .striped(true)
            .min_scrolled_height(0.0)
            .sense(Sense::click())
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(44.0))
            .column(Column::initial(180.0).at_least(90.0).clip(true).resizable(true))
            .column(Column::exact(84.0))
            .columns(Column::exact(72.0), 2)
            .column(Column::exact(64.0))
            .columns(Column::exact(98.0), 2)
            .column(Column::remainder().at_least(300.0).clip(true));
        builder
            .header(20.0, |mut header| {
                for (text, key) in [
                    ("node", Some(Key::Node)),
                    ("operator", Some(Key::Name)),
                    ("place", Some(Key::Side)),
                    ("CPU time", Some(Key::CpuSeconds)),
                    ("GPU time", Some(Key::GpuSeconds)),
                    ("speedup", Some(Key::Speedup)),
                    ("rows given", Some(Key::Rows)),
                    ("bytes given", Some(Key::Bytes)),
                    ("because", None),
                ] {
                    header.col(|ui| {
                        if column_title(ui, text, key, table) {
                            sort_by = key;
                        }
                    });
                }
            })
            .body(|body| {
                body.rows(20.0, table.order.len(), |mut row| {
                    let decided = &board.whole().operators[table.order[row.index()]];
                    row.set_selected(view.plan.selected == Some(decided.node));
                    cells(&mut row, board, &query.plan.nodes[decided.node].name, decided);
                    if row.response().clicked() {
                        clicked = Some(decided.node);
                    }
                });
            });
    });
    if let Some(key) = sort_by {
        table.is_descending = table.key == key && !table.is_descending;
        table.key = key;
    }
    if let Some(node) = clicked {
        view.plan.pick(node);
    }
}

fn column_title(ui: &mut Ui, text: &str, key: Option<Key>, table: &Table) -> bool {
    let arrow = match (key == Some(table.key) && key != Some(Key::Node), table.is_descending) {
        (false, _) => "",
        (true, false) => " ▲",
        (true, true) => " ▼",
    };
    let title = Label::new(RichText::new(format!("{text}{arrow}")).strong()).truncate();
    let Some(_) = key else {
        ui.add(title);
        return false;
    };
    ui.add(title.sense(Sense::click())).on_hover_text(format!("{text}: click to sort")).clicked()
}

fn cells(row: &mut egui_extras::TableRow<'_, '_>, board: &PlanBoard, name: &str, decided: &Decided) {
    let numbers = &board.whole().numbers[decided.node];
    let text = |ui: &mut Ui, text: String| drop(ui.add(Label::new(text).selectable(false).truncate()));
    row.col(|ui| text(ui, decided.node.to_string()));
    row.col(|ui| text(ui, name.to_owned()));
    row.col(|ui| {
        let pinned = if decided.fixed == Some(Fixed::Pinned) { " pinned" } else { "" };
        let text = RichText::new(format!("{}{pinned}", decided.side.label())).strong();
        let color = super::super::side::token(decided.side).color(ui.visuals().dark_mode);
        ui.add(Label::new(text.color(color)).selectable(false));
    });
    let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
    row.col(|ui| drop(right(ui, Unit::Seconds.format(cpu))));
    row.col(|ui| drop(right(ui, Unit::Seconds.format(gpu))));
    row.col(|ui| drop(right(ui, if gpu > 0.0 { factor(cpu / gpu) } else { "–".to_owned() })));
    row.col(|ui| drop(right(ui, weak_if(figure(numbers.rows_out, rows), numbers.rows_out.is_estimated()))));
    row.col(|ui| drop(right(ui, weak_if(figure(numbers.bytes_out, bytes), numbers.bytes_out.is_estimated()))));
    row.col(|ui| {
        // The column before says which side.
        let reason = decided.reason.to_string();
        let why = reason.split_once(": ").map_or(reason.as_str(), |(_, why)| why);
        ui.add(Label::new(why).truncate().selectable(false)).on_hover_text(&reason);
    });
}

fn weak_if(text: String, is_weak: bool) -> RichText {
    let text = RichText::new(text);
    if is_weak { text.weak() } else { text }
}

/// Places of the operators in the order of the table; node ids are that of the plan.
fn sorted(whole: &Whole, plan: &Plan, key: Key, is_descending: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..whole.operators.len()).collect();
    let node = |place: &usize| whole.operators[*place].node;
    order.sort_by_key(node);
    let number = |place: &usize| -> f64 {
        let decided = &whole.operators[*place];
        let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
        match key {
            Key::Node | Key::Name => 0.0,
            Key::Side => f64::from(u8::from(decided.side == crossover_model::placement::Side::Cpu)),
            Key::CpuSeconds => cpu,
            Key::GpuSeconds => gpu,
            Key::Speedup => cpu / gpu,
            Key::Rows => whole.numbers[decided.node].rows_out.value,
            Key::Bytes => whole.numbers[decided.node].bytes_out.value,
        }
    };
    match key {
        Key::Name => order.sort_by_cached_key(|place| plan.nodes[node(place)].name.to_lowercase()),
        _ => order.sort_by(|a, b| number(a).total_cmp(&number(b))),
    }
    if is_descending {
        order.reverse();
    }
    order
}
