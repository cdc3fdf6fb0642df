//! "Operator placement": a row for each operator, with the reason.

use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_page::widgets::table::{self, CELLS, Sorted};
use crossover_placement::{Outcome, Placement, Row, Side, Variant};
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;
use crossover_scenario::views::SortedView;
use egui::{Align, Layout, Response, RichText, TextStyle, Ui};
use egui_extras::{Column, TableBuilder};

use super::{Board, Env, View};

/// Margins below this are too close to call: the inputs are less exact.
const TIE: f64 = 0.02;

/// A column that the table can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// As in the scenario.
    Order,
    /// By name.
    Name,
    /// By time on CPU.
    CpuSeconds,
    /// By time on GPU.
    GpuSeconds,
    /// By speedup in a variant.
    Speedup(Variant),
    /// GPU first.
    Placement,
    /// By distance from the threshold.
    Margin,
}

/// How the table is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// Column.
    pub key: Key,
    /// Smallest first.
    pub ascending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self { key: Key::Order, ascending: true }
    }
}

/// Columns that a link names: those that every study has.
const NAMED: [(Key, &str); 6] = [
    (Key::Order, "order"),
    (Key::Name, "name"),
    (Key::CpuSeconds, "CPU time"),
    (Key::GpuSeconds, "GPU time"),
    (Key::Placement, "placement"),
    (Key::Margin, "margin"),
];

impl Sort {
    /// For a link; none: as at first, or by a column that other studies lack.
    pub(super) fn shown(self) -> Option<SortedView> {
        let (_, name) = NAMED.iter().find(|(key, _)| *key == self.key).filter(|_| self != Self::default())?;
        Some(SortedView { column: (*name).to_owned(), descending: !self.ascending })
    }

    /// As in another window.
    pub(super) fn show_again(&mut self, shown: Option<&SortedView>) {
        let key = |shown: &SortedView| NAMED.iter().find(|(_, name)| *name == shown.column).map(|(key, _)| *key);
        if let Some((shown, key)) = shown.and_then(|shown| Some((shown, key(shown)?))) {
            *self = Self { key, ascending: !shown.descending };
        }
    }
}

/// Draws the table with its title.
pub(super) fn show(ui: &mut Ui, view: &mut View, board: &Board, env: &mut Env<'_>) {
    let (study, outcome) = (board.study(), board.outcome());
    ui.add_space(2.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading("Operator placement");
        export_menu::results(ui, env, &[]);
        ui.label(
            RichText::new("Below each network: speedup and side. Click a row to see its curves, a column to sort")
                .weak(),
        );
    });
    let order = sorted(study, outcome, view.sort);
    let variants: Vec<Variant> = Variant::all(study).collect();
    let is_any_pinned = study.operators.iter().any(|operator| operator.pin.is_some());
    let selected = view.look.selected(study);
    let mut clicked = None;
    let mut sort_by = None;
    table::mark_picked(ui);
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let builder = TableBuilder::new(ui)
            .id_salt("operators")
            .striped(true)
            .min_scrolled_height(0.0)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::initial(84.0).at_least(60.0).clip(true).resizable(true))
            .columns(Column::exact(60.0), 2)
            .columns(Column::exact(87.0), variants.len())
            .column(Column::exact(if is_any_pinned { 92.0 } else { 40.0 }))
            .column(Column::exact(72.0))
            .column(Column::remainder().at_least(348.0).clip(true));
        builder
            .header(32.0, |mut header| {
                let mut title = |text: &str, sub: &str, key: Key, meaning: Meaning| {
                    header.col(|ui| {
                        if column_title(ui, (text, sub), view.sort, key, meaning) {
                            sort_by = Some(key);
                        }
                    });
                };
                title("operator", "", Key::Name, Meaning::term("operator"));
                title("CPU time", "", Key::CpuSeconds, Meaning::default());
                title("GPU time", "", Key::GpuSeconds, Meaning::default());
                for variant in &variants {
                    let sub = if variant.compression { "compressed" } else { "raw" };
                    let network = &study.networks[variant.network].name;
                    title(network, sub, Key::Speedup(*variant), Meaning::term("speedup"));
                }
                title("side", "", Key::Placement, Meaning::term("side"));
                title("margin", "", Key::Margin, Meaning::term("margin"));
                title("reason", "", Key::Order, Meaning::default());
            })
            .body(|body| {
                body.rows(22.0, order.len(), |mut table_row| {
                    let operator = order[table_row.index()];
                    let is_picked = operator == selected;
                    table_row.set_selected(is_picked);
                    let Some(row) = outcome.row(operator, outcome.summary.variant) else { return };
                    let is_pressed = cells(&mut table_row, study, outcome, row, &variants, is_picked);
                    if is_pressed || table_row.response().clicked() {
                        clicked = Some(operator);
                    }
                });
            });
        table::name_edges(ui, "operators", &[(0, "operator")]);
    });
    if let Some(operator) = clicked {
        view.look.select(study, operator);
    }
    if let Some(key) = sort_by {
        let ascending = if view.sort.key == key { !view.sort.ascending } else { true };
        view.sort = Sort { key, ascending };
    }
}

fn column_title(ui: &mut Ui, (text, sub): (&str, &str), sort: Sort, key: Key, meaning: Meaning) -> bool {
    let sorted = Sorted::new(sort.key == key && key != Key::Order, !sort.ascending);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        if !sub.is_empty() {
            ui.style_mut().override_text_style = Some(TextStyle::Small);
        }
        let clicked = table::title(ui, text, sorted, meaning);
        if !sub.is_empty() {
            ui.label(RichText::new(sub).weak());
        }
        clicked
    })
    .inner
}

/// Draws the cells of a row; true if it was pressed by a key.
fn cells(
    table_row: &mut egui_extras::TableRow<'_, '_>,
    study: &Placement,
    outcome: &Outcome,
    row: &Row,
    variants: &[Variant],
    is_picked: bool,
) -> bool {
    let operator = &study.operators[row.operator];
    let mut is_pressed = false;
    table_row.col(|ui| {
        is_pressed = table::stop(ui, is_picked, &format!("operator {}", operator.name));
        ui.add(egui::Label::new(&operator.name).truncate().selectable(false));
    });
    for seconds in [row.cost.cpu.total(), row.cost.gpu.total()] {
        table_row.col(|ui| drop(right(ui, Unit::Seconds.format(seconds), None)));
    }
    for variant in variants {
        table_row.col(|ui| {
            let Some(other) = outcome.row(row.operator, *variant) else { return };
            let text = format!("{}, {}", Unit::Factor.format(other.speedup()), other.recommended_side.label());
            right(ui, text, Some((super::side::token(other.recommended_side), *variant == outcome.summary.variant)));
        });
    }
    table_row.col(|ui| {
        let pinned = if operator.pin.is_some() { " pinned" } else { "" };
        let text = RichText::new(format!("{}{pinned}", row.placement.label())).strong();
        let color = super::side::token(row.placement).text(ui.visuals().dark_mode);
        ui.add(egui::Label::new(text.color(color)).selectable(false));
    });
    table_row.col(|ui| {
        let is_tie = row.margin().abs() < TIE;
        let margin = right(ui, if is_tie { format!("{} ≈", margin(row)) } else { margin(row) }, None);
        if is_tie {
            margin.on_hover_text("Within 2 % of the threshold: too close to call");
        }
    });
    table_row.col(|ui| {
        // The column before has the side.
        let why = row.reason.split_once(": ").map_or(row.reason.as_str(), |(_, why)| why);
        ui.add(egui::Label::new(why).truncate().show_tooltip_when_elided(false).selectable(false))
            .on_hover_text(&row.reason);
    });
    is_pressed
}

/// How far the speedup is from the threshold, to a hundredth of a percent: "+131.6 %", "−0.65 %".
fn margin(row: &Row) -> String {
    // Nothing added to a negative zero makes it positive.
    let margin = (row.margin() * 1e4).round() / 1e4 + 0.0;
    let sign = if margin > 0.0 { "+" } else { "" };
    format!("{sign}{}", Unit::Share.format(margin))
}

fn right(ui: &mut Ui, text: String, emphasis: Option<(Token, bool)>) -> Response {
    let mut text = RichText::new(text);
    if let Some((token, strong)) = emphasis {
        text = text.color(token.text(ui.visuals().dark_mode));
        if strong {
            text = text.strong().underline();
        }
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(egui::Label::new(text).selectable(false))).inner
}

/// Operators in the order of the table.
pub(super) fn sorted(study: &Placement, outcome: &Outcome, sort: Sort) -> Vec<usize> {
    let mut order: Vec<usize> = (0..study.operators.len()).collect();
    let row = |operator: usize, variant: Variant| outcome.row(operator, variant);
    let chosen = outcome.summary.variant;
    let number = |operator: usize| -> f64 {
        match sort.key {
            Key::Order | Key::Name => 0.0,
            Key::CpuSeconds => row(operator, chosen).map_or(0.0, |row| row.cost.cpu.total()),
            Key::GpuSeconds => row(operator, chosen).map_or(0.0, |row| row.cost.gpu.total()),
            Key::Speedup(variant) => row(operator, variant).map_or(0.0, Row::speedup),
            Key::Placement => {
                row(operator, chosen).map_or(0.0, |row| if row.placement == Side::Gpu { 0.0 } else { 1.0 })
            }
            Key::Margin => row(operator, chosen).map_or(0.0, Row::speedup),
        }
    };
    match sort.key {
        Key::Order => {}
        Key::Name => order.sort_by_key(|operator| study.operators[*operator].name.to_lowercase()),
        _ => order.sort_by(|a, b| number(*a).total_cmp(&number(*b))),
    }
    if !sort.ascending {
        order.reverse();
    }
    order
}
