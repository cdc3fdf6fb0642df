//! One operator of a plan: its numbers with their origin, its times on both sides, and the choice of its side.

use crossover_chart::plan::bus_mark;
use crossover_chart::screen::{self, Swatch};
use crossover_placement::whole::{Decided, OperatorCost};
use crossover_placement::{Placement, Side, Term};
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Node, Numbers, Scope};
use egui::{Grid, RichText, Ui};

use super::super::bars::term_token;
use super::super::side;
use super::text::{bytes, figure, rows};
use super::totals::{cell, first_up};
use super::{Choice, PlanBoard, State, pin, pin_choice};

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, board: &PlanBoard, node: usize, state: &mut State, study: &mut Placement) {
    let Some(decided) = board.decided(node) else { return };
    let facts = &board.plan().nodes[node];
    ui.horizontal_wrapped(|ui| {
        if ui.button("◀ Whole plan").on_hover_text("Show the totals again").clicked() {
            state.selected = None;
        }
        ui.label(RichText::new(format!("node {node} · {}", facts.kind.label())).weak());
    });
    ui.add(egui::Label::new(RichText::new(&facts.name).heading()).wrap());
    verdict(ui, decided, facts);
    let pinned = pin(study, node);
    let mut chosen = None;
    ui.horizontal(|ui| {
        ui.label("run");
        chosen = pin_choice(ui, pinned, false);
    });
    if let Some(unpinned) = board.whole().unpinned.filter(|_| matches!(pinned, Choice::Pinned(_))) {
        ui.label(first_up(&unpinned.sentence(board.whole().seconds)));
    }
    ui.separator();
    ui.strong("What does it read and produce?");
    numbers(ui, &board.whole().numbers[node], facts, &decided.cost);
    ui.add_space(8.0);
    ui.strong("What does it cost?");
    costs(ui, decided);
    ui.add_space(8.0);
    neighbours(ui, board, node, state);
    if !facts.metrics.is_empty() {
        ui.add_space(8.0);
        ui.strong("What did the engine report?");
        metrics(ui, facts);
    }
    if !facts.detail.is_empty() {
        ui.add_space(8.0);
        ui.strong("Description by the engine");
        ui.add(egui::Label::new(RichText::new(&facts.detail).monospace().weak()).wrap());
    }
    if let Some(choice) = chosen {
        study.pin_node(node, choice.pin());
    }
}

fn verdict(ui: &mut Ui, decided: &Decided, facts: &Node) {
    let color = side::token(decided.side).text(ui.visuals().dark_mode);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.label(RichText::new(decided.side.label()).strong().color(color));
        // The reason starts with the side.
        let reason = decided.reason.to_string();
        let why = reason.strip_prefix(decided.side.label()).unwrap_or(&reason);
        ui.label(why);
    });
    if decided.greedy_side != decided.side {
        ui.label(RichText::new(format!("Per-operator greedy placement: {}.", decided.greedy_side.label())).weak());
    }
    if facts.ran_on_gpu {
        ui.label(RichText::new("It ran on a GPU when the plan was recorded.").weak());
    }
}

/// Name, number and origin, line by line.
fn numbers(ui: &mut Ui, numbers: &Numbers, facts: &Node, cost: &OperatorCost) {
    let seconds = |value: f64| Unit::Seconds.format(value);
    Grid::new("node numbers").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
        line(ui, "rows read", numbers.rows_in, rows);
        line(ui, "output rows", numbers.rows_out, rows);
        if let Some(selectivity) = numbers.selectivity() {
            let is_guess = numbers.rows_in.is_estimated() || numbers.rows_out.is_estimated();
            let name = if selectivity > 1.0 { "output rows per row read" } else { "selectivity" };
            let unit = if selectivity > 1.0 { Unit::Factor } else { Unit::Share };
            let text = super::text::estimate(&unit.format(selectivity), is_guess);
            plain(ui, name, &text, is_guess, "output rows ÷ rows read");
        }
        line(ui, "bytes read", numbers.bytes_in, bytes);
        line(ui, "output bytes", numbers.bytes_out, bytes);
        line(ui, "row width", numbers.row_width, bytes);
        if let Some(wire) = facts.wire_bytes {
            line(ui, "on the network", wire, bytes);
        }
        if let Some(own) = facts.cpu_seconds {
            line(ui, "own CPU time", own, seconds);
        }
        if let Some(time) = facts.time {
            let scope = match time.scope {
                Scope::Exclusive => "reported by the engine: the operator's own",
                Scope::Inclusive => "reported by the engine: with all operators that it reads from",
            };
            plain(ui, "engine's time", &seconds(time.seconds), false, scope);
        }
        if let Some(id) = facts.spark_ui_id {
            plain(ui, "in Spark's UI", &id.to_string(), false, "number of the node on Spark's SQL page");
        }
        if !facts.stages.is_empty() {
            let stages: Vec<String> = facts.stages.iter().map(u64::to_string).collect();
            plain(ui, if stages.len() == 1 { "stage" } else { "stages" }, &stages.join(", "), false, "of the engine");
        }
        plain(ui, "machines", &Unit::Count.format(cost.machines), false, "machines that work on it");
        if cost.passes > 1.0 {
            plain(ui, "GPU passes", &Unit::Count.format(cost.passes), false, "its data does not fit into GPU memory");
        }
    });
}

fn line(ui: &mut Ui, name: &str, number: Amount, format: impl Fn(f64) -> String) {
    plain(ui, name, &figure(number, format), number.is_estimated(), &number.origin.describe());
}

fn plain(ui: &mut Ui, name: &str, number: &str, is_guess: bool, origin: &str) {
    ui.label(name);
    let text = RichText::new(number);
    cell(ui, if is_guess { text.weak().italics() } else { text });
    ui.add(egui::Label::new(RichText::new(origin).weak().small()).truncate().show_tooltip_when_elided(false))
        .on_hover_text(origin);
    ui.end_row();
}

/// Term by term, CPU beside GPU.
fn costs(ui: &mut Ui, decided: &Decided) {
    let (cpu, gpu) = (&decided.cost.cpu, &decided.cost.gpu);
    Grid::new("node costs").num_columns(4).min_col_width(0.0).spacing([8.0, 2.0]).show(ui, |ui| {
        let dark = ui.visuals().dark_mode;
        ui.label("");
        ui.label("");
        for side in [Side::Cpu, Side::Gpu] {
            let here = if decided.side == side { " ◀" } else { "" };
            let title = RichText::new(format!("{}{here}", side.label())).strong();
            cell(ui, title.color(side::token(side).text(dark)));
        }
        ui.end_row();
        let seconds = |value: f64| if value > 0.0 { Unit::Seconds.format(value) } else { "–".to_owned() };
        for term in Term::ALL.into_iter().filter(|term| cpu.get(*term) > 0.0 || gpu.get(*term) > 0.0) {
            screen::swatch(ui, term_token(term), Swatch::Square);
            ui.label(term.label());
            cell(ui, seconds(cpu.get(term)));
            cell(ui, seconds(gpu.get(term)));
            ui.end_row();
        }
        ui.label("");
        ui.strong("together");
        cell(ui, RichText::new(seconds(cpu.total())).strong());
        cell(ui, RichText::new(seconds(gpu.total())).strong());
        ui.end_row();
    });
}

/// Data flows in and out, and the time to move them between CPU and GPU.
fn neighbours(ui: &mut Ui, board: &PlanBoard, node: usize, state: &mut State) {
    let flows: Vec<_> = board.flows(node).collect();
    if flows.is_empty() {
        return;
    }
    ui.strong("What does it cost to move its data?");
    for flow in flows {
        let reads = flow.edge.to == node;
        let other = if reads { flow.edge.from } else { flow.edge.to };
        let side = board.decided(other).map_or("", |decided| decided.side.label());
        let name = format!("{} {}", if reads { "from" } else { "to" }, board.plan().nodes[other].name);
        if ui.link(name).on_hover_text(format!("Show node {other}, on {side}")).clicked() {
            state.pick(other);
        }
        let data = figure(board.whole().numbers[flow.edge.from].bytes_out, bytes);
        let (to, from) =
            (Unit::Seconds.format(flow.cost.to_gpu.seconds()), Unit::Seconds.format(flow.cost.from_gpu.seconds()));
        let now = match flow.changes_to {
            Some(to) => format!("{} {}", bus_mark(side::processor(to)), Unit::Seconds.format(flow.seconds())),
            None => format!("both on {side}"),
        };
        ui.label(RichText::new(format!("{data} · {now} · {to} to a GPU, {from} back")).weak());
    }
}

/// Every counter, in the window's units if the engine's unit is known.
fn metrics(ui: &mut Ui, facts: &Node) {
    for metric in &facts.metrics {
        let (format, unit): (fn(f64) -> String, &str) = match metric.unit.as_str() {
            "timing" => (|value| Unit::Seconds.format(value / 1e3), ""),
            "nsTiming" => (|value| Unit::Seconds.format(value / 1e9), ""),
            "size" => (bytes, ""),
            unit => (|value| Unit::Count.format(value), unit),
        };
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let size = egui::vec2(56.0, ui.text_style_height(&egui::TextStyle::Body));
                ui.allocate_ui_with_layout(size, egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.set_min_width(size.x);
                    ui.add(egui::Label::new(RichText::new(unit).weak()).truncate());
                });
                match metric.total {
                    Some(total) => ui.label(format(total)),
                    None => ui.label(RichText::new("not reported").weak()),
                };
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.add(egui::Label::new(&metric.name).truncate());
                });
            });
        });
    }
}
