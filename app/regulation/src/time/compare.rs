//! "Which controller is best here?": every controller on one chart, and its figures.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, LineChart, Marker, Samples, Series};
use crossover_chart::screen::{self, Gesture, Swatch};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_page::page::Env;
use crossover_quantity::unit::Unit;
use crossover_regulation::{Figures, Regulation, StrategyRun};
use egui::{Align, Layout, RichText, Ui};

use super::super::board::Shown;
use super::super::spread::Quantity;
use super::curve::{Steps, Window};
use super::drawing::{Charts, controller, empty, interval, range, series, stepped, whiskers};
use super::view_options::{Compared, ViewOptions};
use super::{answer, benefit};

const COMPARE: &str = "Which controller is best here?";
/// Height of the plot, in points.
const HEIGHT: f32 = 200.0;
/// Marks on each curve, which tell curves apart without colours.
const MARKS: usize = 7;
const MARKERS: [Marker; 4] = [Marker::Square, Marker::Diamond, Marker::Up, Marker::Down];

/// Every controller on one chart.
pub(super) fn curves(shown: &Shown, options: &ViewOptions, window: Window) -> LineChart {
    let Shown { study, outcome, .. } = shown;
    let clusters = study.clusters.len();
    let cluster = options.compared_cluster(study);
    let quantity = match options.compared {
        Compared::Error => Quantity::Error,
        Compared::Tops => Quantity::Tops,
        Compared::Vgpus => Quantity::Vgpus(cluster),
    };
    let curve = |(index, run): (usize, &StrategyRun)| -> Series {
        let steps = Steps { run, clusters };
        let value = |period: usize| quantity.of(study, steps.all(period));
        let token = controller(index);
        let line = match options.compared {
            Compared::Vgpus => stepped(&run.name, token, window.steps(value)),
            _ => series(&run.name, token, window.curve(value)),
        };
        let marked = marked(index, window);
        let places = marked.iter().map(|period| [window.at(*period), value(*period)]).collect();
        let whiskers =
            if index == outcome.chosen { Vec::new() } else { whiskers(shown, window, index, quantity, &marked) };
        Series { samples: Samples { marker: MARKERS[index % 4], places, whiskers, ..Samples::default() }, ..line }
    };
    let series: Vec<Series> = outcome.controllers.iter().enumerate().map(curve).collect();
    let band = interval(shown, window, outcome.chosen, quantity, controller(outcome.chosen));
    let name = &outcome.chosen().name;
    let bands: Vec<Band> =
        band.into_iter().map(|band| Band { name: format!("{name}: {}", band.name), ..band }).collect();
    let [low, high] = range(&series, &bands);
    let room = if high > low { 0.06 * (high - low) } else { (0.05 * high).max(0.01) };
    let (label, unit) = match options.compared {
        Compared::Error => ("largest |e|".to_owned(), Unit::Share),
        Compared::Tops => ("throughput".to_owned(), Unit::Tops),
        Compared::Vgpus => (format!("vGPUs of {}", study.clusters[cluster].name), Unit::Count),
    };
    let low = if options.compared == Compared::Error { 0.0 } else { (low - room).max(0.0) };
    let y = Axis {
        label: label.clone(),
        format: unit.formatter(),
        scale: Scale::Linear,
        range: [low, high + room],
        step_unit: 1.0,
    };
    LineChart { bands, series, ..empty(COMPARE, label, answer::best(study, outcome), window, y) }
}

/// Periods in which a curve has a mark. They differ from curve to curve, so that marks of equal curves do not overlap.
pub(super) fn marked(index: usize, window: Window) -> Vec<usize> {
    let places = (0..MARKS).map(|mark| (window.periods * (4 * mark + index + 1)) / (4 * MARKS + 1));
    let mut places: Vec<usize> = places.map(|period| period.min(window.periods.saturating_sub(1))).collect();
    places.dedup();
    places
}

/// Draws the chart and the figures of every controller; the chosen one can be changed.
pub(super) fn show(
    ui: &mut Ui,
    (shown, charts): (&Shown, &Charts),
    index: usize,
    options: &mut ViewOptions,
    (study, pinned): (&mut Regulation, Option<f64>),
    env: &mut Env<'_>,
) -> Option<Gesture> {
    ui.horizontal_wrapped(|ui| {
        ui.heading(COMPARE).on_hover_text(&charts.about_intervals);
        for compared in Compared::ALL {
            ui.selectable_value(&mut options.compared, compared, compared.label());
        }
        if options.compared == Compared::Vgpus && shown.study.clusters.len() > 1 {
            let names = shown.study.clusters.iter().map(|cluster| &cluster.name);
            let selected = shown.study.clusters[options.compared_cluster(&shown.study)].name.clone();
            let combo = egui::ComboBox::from_id_salt("compared cluster").selected_text(selected).show_ui(ui, |ui| {
                for name in names {
                    ui.selectable_value(&mut options.compared_cluster, name.clone(), name);
                }
            });
            combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "compared cluster"));
        }
        export_menu::show(ui, env, index, false);
    });
    let gesture = screen::lines(ui, "compare", &charts.compare, pinned, HEIGHT);
    figures(ui, shown, study);
    ui.label(&charts.compare.answer);
    gesture
}

/// A column of the table of figures.
struct Column {
    title: &'static str,
    meaning: &'static str,
    /// In points.
    width: f32,
    /// The compared value; the smallest is best.
    rank: fn(&Figures) -> f64,
    text: fn(&Regulation, &Figures) -> String,
}

const COLUMNS: [Column; 7] = [
    Column {
        title: "settling time",
        width: 140.0,
        meaning: "Periods from the last change of demand to the last action",
        rank: |figures| figures.settling_periods.map_or(f64::INFINITY, |periods| periods as f64),
        text: |study, figures| {
            figures
                .settling_periods
                .map_or_else(|| "not settled".to_owned(), |periods| answer::settling(study, periods))
        },
    },
    Column {
        title: "overshoot",
        width: 90.0,
        meaning: "Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of all clusters",
        rank: |figures| figures.overshoot,
        text: |_, figures| answer::percent(figures.overshoot),
    },
    Column {
        title: "steady |e|",
        width: 76.0,
        meaning: "Steady-state error: mean |e| over the averaged periods, largest of all clusters",
        rank: |figures| figures.steady_state_error,
        text: |_, figures| Unit::Ratio.format(rounded(figures.steady_state_error)),
    },
    Column {
        title: "IAE",
        width: 76.0,
        meaning: "Integral of absolute error, ∫|e| dt, over the run, sum of all clusters, seconds",
        rank: |figures| figures.integral_absolute_error,
        text: |_, figures| Unit::Seconds.format(rounded(figures.integral_absolute_error)),
    },
    Column {
        title: "actions",
        width: 64.0,
        meaning: "Number of actions of all clusters",
        rank: |figures| figures.actions as f64,
        text: |_, figures| Unit::Count.format(figures.actions as f64),
    },
    Column {
        title: "TOPS",
        width: 104.0,
        meaning: "Throughput of all clusters, mean over the averaged periods",
        rank: |figures| -figures.state.tops,
        text: |_, figures| Unit::Tops.format(figures.state.tops),
    },
    Column {
        title: "energy per operation",
        width: 140.0,
        meaning: "Power ÷ throughput, over the averaged periods",
        rank: |figures| figures.state.joules_per_tera_operation(),
        text: |_, figures| benefit::energy_text(figures.state.joules_per_tera_operation()),
    },
];

/// Rounding errors around zero become zero.
fn rounded(value: f64) -> f64 {
    if value.abs() < 1e-12 { 0.0 } else { value }
}

/// A row for each controller; the best of each column is marked, unless all are alike.
fn figures(ui: &mut Ui, shown: &Shown, study: &mut Regulation) {
    let runs = &shown.outcome.controllers;
    let accent = Token::Accent.color(ui.visuals().dark_mode);
    egui::ScrollArea::horizontal().id_salt("figures").auto_shrink([false, true]).show(ui, |ui| {
        egui::Grid::new("controllers").num_columns(COLUMNS.len() + 1).striped(true).spacing([18.0, 4.0]).show(
            ui,
            |ui| {
                ui.label(RichText::new("controller").strong());
                for column in &COLUMNS {
                    right(ui, column.width, RichText::new(column.title).strong(), column.title)
                        .on_hover_text(column.meaning);
                }
                ui.end_row();
                for (index, run) in runs.iter().enumerate() {
                    ui.horizontal(|ui| {
                        screen::swatch(ui, controller(index), Swatch::Marked(MARKERS[index % 4]));
                        // The shown outcome may be of an earlier study, with controllers that no longer exist.
                        let is_there = study.controllers.iter().any(|controller| controller.name == run.name);
                        ui.add_enabled_ui(is_there, |ui| {
                            let radio = ui.radio_value(&mut study.policy.controller, run.name.clone(), &run.name);
                            radio
                                .on_hover_text("Use this controller")
                                .on_disabled_hover_text("The study no longer has this controller");
                        });
                    });
                    for column in &COLUMNS {
                        let rank = |run: &StrategyRun| (column.rank)(&run.figures);
                        let best = runs.iter().map(rank).fold(f64::INFINITY, f64::min);
                        let is_near = |value: f64| value <= best + 1e-9 * best.abs();
                        let is_best = is_near(rank(run)) && !runs.iter().all(|run| is_near(rank(run)));
                        let text = (column.text)(&shown.study, &run.figures);
                        let name =
                            format!("{} {}: {text}{}", run.name, column.title, if is_best { ", best" } else { "" });
                        let text = if is_best {
                            RichText::new(format!("• {text}")).strong().color(accent)
                        } else {
                            RichText::new(text)
                        };
                        right(ui, column.width, text, &name);
                    }
                    ui.end_row();
                }
            },
        );
    });
}

fn right(ui: &mut Ui, width: f32, text: RichText, name: &str) -> egui::Response {
    let layout = Layout::right_to_left(Align::Center);
    let cell = ui.allocate_ui_with_layout(egui::vec2(width, 18.0), layout, |ui| {
        ui.add(egui::Label::new(text).selectable(false))
    });
    let response = cell.inner;
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name));
    response
}
