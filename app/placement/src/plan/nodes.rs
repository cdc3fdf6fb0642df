//! "Operator placement": a row for each operator of the plan, with the reason.

use std::sync::Arc;

use crossover_page::command::Command;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, Work};
use crossover_page::export_menu;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::table::{self, CELLS};
use crossover_placement::whole::{Decided, Fixed, Whole};
use crossover_query::Plan;
use crossover_scenario::glossary::Meaning;
use crossover_scenario::views::SortedView;
use egui::{Align, Label, Layout, RichText, Ui};
use egui_extras::{Column, TableBuilder};

use super::super::request::Request;
use super::super::{Env, View};
use super::PlanBoard;
use super::text::{bytes, factor, figure, rows, seconds};

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
    /// By output rows.
    Rows,
    /// By output bytes.
    Bytes,
}

/// How the table is sorted, and the order that follows.
pub(super) struct Table {
    key: Key,
    is_descending: bool,
    order: Computed<Sorting>,
    /// The operator whose row was brought into sight last.
    in_sight: Option<usize>,
}

impl Default for Table {
    fn default() -> Self {
        Self { key: Key::default(), is_descending: false, order: Computed::new(), in_sight: None }
    }
}

/// Columns by their names in links.
const NAMED: [(Key, &str); 8] = [
    (Key::Node, "node"),
    (Key::Name, "operator"),
    (Key::Side, "side"),
    (Key::CpuSeconds, "CPU time"),
    (Key::GpuSeconds, "GPU time"),
    (Key::Speedup, "speedup"),
    (Key::Rows, "output rows"),
    (Key::Bytes, "output bytes"),
];

impl Table {
    /// How it is sorted, for a link; none: as at first.
    pub(super) fn shown(&self) -> Option<SortedView> {
        let (_, name) = NAMED.iter().find(|(key, _)| *key == self.key)?;
        let is_first = self.key == Key::default() && !self.is_descending;
        (!is_first).then(|| SortedView { column: (*name).to_owned(), descending: self.is_descending })
    }

    /// As in another window.
    pub(super) fn show_again(&mut self, shown: Option<&SortedView>) {
        let key = |shown: &SortedView| NAMED.iter().find(|(_, name)| *name == shown.column).map(|(key, _)| *key);
        if let Some((shown, key)) = shown.and_then(|shown| Some((shown, key(shown)?))) {
            (self.key, self.is_descending) = (key, shown.descending);
        }
    }

    /// Whether the order is computed on another thread.
    pub(super) fn is_busy(&self) -> bool {
        self.order.is_busy()
    }
}

/// The operators of a page and their sort key.
#[derive(Clone)]
struct Sorting {
    board: Arc<PlanBoard>,
    key: Key,
    is_descending: bool,
}

/// Operators of a page in order.
struct Sorted {
    board: Arc<PlanBoard>,
    /// Their places.
    order: Vec<usize>,
}

impl Work for Sorting {
    type Outcome = Sorted;
    const NAME: &'static str = "sorting";
    const AGAIN: &'static str = "Sort";

    fn milliseconds(&self) -> f64 {
        /// Time for one operator, ms, by its name: about fifteen comparisons of texts; an upper estimate.
        const OPERATOR_MS: f64 = 0.001;
        OPERATOR_MS * self.board.whole().operators.len() as f64
    }

    fn in_words(&self) -> String {
        "Sorting operators".to_owned()
    }

    fn compute(&self, _: Option<&Sorted>, _: &Ticket) -> Option<Sorted> {
        let Self { board, key, is_descending } = self;
        let order = sorted(board.whole(), board.plan(), *key, *is_descending);
        Some(Sorted { board: Arc::clone(board), order })
    }
}

/// Draws the table with its title.
pub(in super::super) fn show(ui: &mut Ui, view: &mut View, board: &Arc<PlanBoard>, env: &mut Env<'_>) {
    let table = &mut view.plan.table;
    let (key, is_descending) = (table.key, table.is_descending);
    table.order.refresh(
        ui.ctx(),
        |former| Arc::ptr_eq(&former.board, board) && (former.key, former.is_descending) == (key, is_descending),
        || Sorting { board: Arc::clone(board), key, is_descending },
    );
    // The order belongs to its operators.
    let Some(sorted) = table.order.shown().map(Arc::clone) else {
        // The panel keeps its height until the order is ready.
        ui.take_available_space();
        return;
    };
    let board = &sorted.board;
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("Operator placement");
        let exports: Vec<Command> =
            board.exports().iter().map(|format| Command::ask(Request::Export(*format))).collect();
        export_menu::results(ui, env, &exports);
        ui.label(RichText::new("Click a row to see its operator, a column to sort").weak());
    });
    let (mut clicked, mut sort_by) = (None, None);
    table::mark_picked(ui);
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let mut builder = TableBuilder::new(ui);
        // A selection in the tree scrolls into view once, so that the table can be scrolled further.
        if table.in_sight != view.plan.selected {
            table.in_sight = view.plan.selected;
            let row =
                sorted.order.iter().position(|place| Some(board.whole().operators[*place].node) == table.in_sight);
            if let Some(row) = row {
                builder = builder.scroll_to_row(row, None);
            }
        }
        let builder = builder
            .id_salt("operators of a plan")
            .striped(true)
            .min_scrolled_height(0.0)
            .sense(CELLS)
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
                for (text, key, meaning) in [
                    ("node", Some(Key::Node), Meaning::own("Number of the node in the plan")),
                    ("operator", Some(Key::Name), Meaning::term("operator")),
                    ("side", Some(Key::Side), Meaning::term("side")),
                    ("CPU time", Some(Key::CpuSeconds), Meaning::default()),
                    ("GPU time", Some(Key::GpuSeconds), Meaning::default()),
                    ("speedup", Some(Key::Speedup), Meaning::term("speedup")),
                    ("output rows", Some(Key::Rows), Meaning::term("output rows")),
                    ("output bytes", Some(Key::Bytes), Meaning::term("output bytes")),
                    ("reason", None, Meaning::default()),
                ] {
                    header.col(|ui| {
                        if column_title(ui, text, key, table, meaning) {
                            sort_by = key;
                        }
                    });
                }
            })
            .body(|body| {
                body.rows(20.0, sorted.order.len(), |mut row| {
                    let decided = &board.whole().operators[sorted.order[row.index()]];
                    let is_picked = view.plan.selected == Some(decided.node);
                    row.set_selected(is_picked);
                    let is_pressed = cells(&mut row, board, decided, is_picked);
                    if is_pressed || row.response().clicked() {
                        clicked = Some(decided.node);
                    }
                });
            });
        table::name_edges(ui, "operators of a plan", &[(1, "operator")]);
    });
    if let Some(key) = sort_by {
        table.is_descending = table.key == key && !table.is_descending;
        table.key = key;
    }
    if let Some(node) = clicked {
        view.plan.pick(node);
    }
}

fn column_title(ui: &mut Ui, text: &str, key: Option<Key>, sort: &Table, meaning: Meaning) -> bool {
    let Some(key) = key else {
        table::fixed_title(ui, text, false, meaning);
        return false;
    };
    let sorted = table::Sorted::new(key == sort.key && key != Key::Node, sort.is_descending);
    table::title(ui, text, sorted, meaning)
}

/// Draws the cells of a row; true if it was pressed by a key.
fn cells(row: &mut egui_extras::TableRow<'_, '_>, board: &PlanBoard, decided: &Decided, is_picked: bool) -> bool {
    let name = board.plan().nodes[decided.node].title();
    let numbers = &board.whole().numbers[decided.node];
    let text = |ui: &mut Ui, text: String| drop(ui.add(Label::new(text).selectable(false).truncate()));
    let mut is_pressed = false;
    row.col(|ui| {
        is_pressed = table::stop(ui, is_picked, &format!("operator {}: {name}", decided.node));
        text(ui, decided.node.to_string());
    });
    row.col(|ui| text(ui, name.clone()));
    row.col(|ui| {
        let pinned = if decided.fixed == Some(Fixed::Pinned) { " pinned" } else { "" };
        let text = RichText::new(format!("{}{pinned}", decided.side.label())).strong();
        let color = super::super::side::token(decided.side).text(ui.visuals().dark_mode);
        ui.add(Label::new(text.color(color)).selectable(false));
    });
    let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
    row.col(|ui| drop(right(ui, seconds(cpu))));
    row.col(|ui| drop(right(ui, seconds(gpu))));
    row.col(|ui| drop(right(ui, if gpu > 0.0 { factor(cpu / gpu) } else { "–".to_owned() })));
    row.col(|ui| drop(right(ui, weak_if(figure(numbers.rows_out, rows), numbers.rows_out.is_estimated()))));
    row.col(|ui| drop(right(ui, weak_if(figure(numbers.bytes_out, bytes), numbers.bytes_out.is_estimated()))));
    row.col(|ui| {
        // The column before has the side.
        let reason = decided.reason.to_string();
        let why = reason.split_once(": ").map_or(reason.as_str(), |(_, why)| why);
        ui.add(Label::new(why).truncate().show_tooltip_when_elided(false).selectable(false)).on_hover_text(&reason);
    });
    is_pressed
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
            Key::Side => f64::from(u8::from(decided.side == crossover_placement::Side::Cpu)),
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
