//! "What changes in each cluster?": the table of the published method, for any study.

use crossover_page::export_menu;
use crossover_page::widgets::drawer::{self, Below};
use crossover_quantity::unit::Unit;
use crossover_regulation::{ClusterState, Comparison, Loads, State};
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::Env;
use super::board::{Board, Shown};

/// Height of a row, in points.
const ROW: f32 = 19.0;

/// Keeps room for the table.
pub(super) fn below(ui: &mut Ui) -> Below {
    // The five rows of the published table; what follows is scrolled to.
    let heights = drawer::below_charts(ui, [90.0, 76.0 + (ROW + 4.0) * 5.0]);
    drawer::below(ui, "before and after", "What changes in each cluster?", heights)
}

/// Draws the table in its room.
pub(super) fn show(ui: &mut Ui, below: Below, board: &Board, env: &mut Env<'_>) {
    below.show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading("What changes in each cluster?");
            export_menu::results(ui, env, &[]);
            if let Some(shown) = board.shown() {
                let light = Unit::Share.format(shown.study.run.light_share);
                ui.weak(format!(
                    "Light load is {light} of the work served at full load without control, scaled with the frequency; full load is the \
                     largest demand"
                ));
            }
        });
        match board.shown() {
            Some(shown) => {
                board.dim(ui);
                cells(ui, shown);
            }
            None => drop(ui.weak("No runs yet")),
        }
    });
}

/// A line of the table: its text for a cluster, and for all clusters.
struct Line {
    title: String,
    cluster: fn(&Shown, &Loads, &ClusterState) -> String,
    total: fn(&Shown, &State, &[&Loads]) -> String,
}

fn cells(ui: &mut Ui, shown: &Shown) {
    let comparison = &shown.outcome.comparison;
    let lines = lines();
    ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        let table = TableBuilder::new(ui)
            .striped(true)
            .min_scrolled_height(40.0)
            .cell_layout(Layout::right_to_left(Align::Center))
            .column(Column::exact(190.0).clip(true))
            .columns(Column::exact(108.0), 2 * comparison.len() + 2);
        table
            .header(34.0, |mut header| {
                header.col(|_| {});
                let clusters = shown.study.clusters.iter().map(|cluster| cluster.name.as_str());
                for name in clusters.chain(["all clusters"]) {
                    for when in ["before", "after"] {
                        header.col(|ui| title(ui, name, when));
                    }
                }
            })
            .body(|body| {
                body.rows(ROW, lines.len(), |mut row| {
                    let line = &lines[row.index()];
                    row.col(|ui| {
                        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                            ui.add(Label::new(&line.title).truncate())
                        });
                    });
                    let states = shown.outcome.before().clusters.iter().zip(&shown.outcome.after().clusters);
                    for ((cluster, loads), (before, after)) in shown.study.clusters.iter().zip(comparison).zip(states) {
                        let texts =
                            [(line.cluster)(shown, &loads.before, before), (line.cluster)(shown, &loads.after, after)];
                        two(&mut row, &line.title, &cluster.name, texts);
                    }
                    let of = |pick: fn(&Comparison) -> &Loads| comparison.iter().map(pick).collect::<Vec<_>>();
                    let texts = [
                        (line.total)(shown, shown.outcome.before(), &of(|loads| &loads.before)),
                        (line.total)(shown, shown.outcome.after(), &of(|loads| &loads.after)),
                    ];
                    two(&mut row, &line.title, "all clusters", texts);
                });
            });
    });
}

/// The two cells of a cluster; what has changed is strong.
fn two(row: &mut egui_extras::TableRow<'_, '_>, title: &str, cluster: &str, [before, after]: [String; 2]) {
    let has_changed = before != after;
    for (when, text, is_strong) in [("before", before, false), ("after", after, has_changed)] {
        row.col(|ui| {
            let written = if is_strong { RichText::new(&text).strong() } else { RichText::new(&text) };
            let label = ui.add(Label::new(written).truncate());
            let name = format!("{cluster} {when}, {title}: {text}");
            label.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name.clone()));
        });
    }
}

fn title(ui: &mut Ui, name: &str, when: &str) {
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.with_layout(Layout::top_down(Align::Max), |ui| {
            ui.add(Label::new(RichText::new(name).strong()).truncate());
            ui.label(RichText::new(when).weak().small());
        });
    });
}

/// "50 % / 100 %": at light and at full load.
fn light_and_full([light, full]: [f64; 2]) -> String {
    format!("{} / {}", Unit::Share.format(light), Unit::Share.format(full))
}

fn lines() -> Vec<Line> {
    let line = |title: &str, cluster, total| Line { title: title.to_owned(), cluster, total };
    vec![
        line("PCIe occupancy, light / full", |_, loads, _| light_and_full(loads.pcie), |_, _, _| String::new()),
        line("compute load, light / full", |_, loads, _| light_and_full(loads.load), |_, _, _| String::new()),
        line(
            "vGPUs",
            |_, loads, _| Unit::Count.format(loads.vgpus),
            |_, state, loads| {
                let clusters = Unit::Count.format(loads.iter().map(|loads| loads.vgpus).sum());
                if state.pool > 0.0 {
                    format!("{clusters} + {} spare", Unit::Count.format(state.pool))
                } else {
                    clusters
                }
            },
        ),
        line("frequency", |_, loads, _| Unit::Gigahertz.format(loads.frequency_ghz), |_, _, _| String::new()),
        line(
            "throughput at full load",
            |_, loads, _| Unit::Tops.format(loads.tops[1]),
            |_, _, loads| Unit::Tops.format(loads.iter().map(|loads| loads.tops[1]).sum()),
        ),
        line(
            "precision",
            |shown, loads, _| shown.study.precision_text(loads.precision, loads.converted_share),
            |_, _, _| String::new(),
        ),
        line(
            "mean throughput",
            |_, _, state| Unit::Tops.format(state.tops),
            |_, state, _| Unit::Tops.format(state.tops),
        ),
        line(
            "mean power",
            |_, _, state| Unit::Watts.format(state.watts),
            |_, state, _| Unit::Watts.format(state.watts),
        ),
        line(
            "throughput per watt",
            |_, _, state| if state.watts > 0.0 { per_watt(state.tops / state.watts) } else { String::new() },
            |_, state, _| per_watt(state.tops_per_watt()),
        ),
    ]
}

fn per_watt(tops: f64) -> String {
    format!("{}/W", Unit::Tops.format(tops))
}
