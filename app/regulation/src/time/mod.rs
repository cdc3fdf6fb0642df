//! The runs over time: occupancies, actions, throughput and power.

mod answer;
mod benefit;
mod charts;
mod compare;
mod curve;
mod drawing;
mod record;
mod scrub;
mod view_options;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_chart::screen::{self, Gesture};
use crossover_page::export_menu;
use crossover_page::tour::part;
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_page::widgets::{beside, drawer};
use crossover_regulation::Regulation;
use egui::{RichText, Ui};

use super::Env;
use super::board::{Board, Shown};
use super::tour;
use curve::Window;
use drawing::Charts;
use view_options::ViewOptions;

pub(super) use answer::{balance, percent, settling};
pub(super) use drawing::{COMPUTE, TRANSFER};

/// A narrower plot has no room for the labels of its time axis, in points.
const NARROWEST_PLOT: f32 = 330.0;
/// Most plots side by side.
const MOST_COLUMNS: usize = 3;
/// Periods up to which curves are not thinned, so that the cursor needs no points of its own.
const NEVER_THINNED: usize = 2000;

/// State of the section.
#[derive(Debug, Default)]
pub(super) struct State {
    options: ViewOptions,
    cursor: scrub::Cursor,
    drawn: Option<Drawn>,
}

/// Charts, and their inputs.
#[derive(Debug)]
struct Drawn {
    generation: u64,
    /// Whether the intervals were known.
    has_spread: bool,
    options: ViewOptions,
    cursor: Option<usize>,
    window: Window,
    charts: Charts,
}

impl State {
    /// Draws the charts again if their inputs have changed.
    pub(super) fn refresh(&mut self, board: &Board) {
        let Some(shown) = board.shown() else { return };
        let period = self.cursor.period;
        let is_current = |drawn: &Drawn| {
            let needs_no_point = drawn.window.periods <= NEVER_THINNED || drawn.cursor == period;
            let is_same = drawn.generation == board.generation() && drawn.has_spread == shown.spread.is_some();
            is_same && drawn.options == self.options && needs_no_point
        };
        if self.drawn.as_ref().is_some_and(is_current) {
            return;
        }
        let window = Window {
            periods: charts::shown_periods(shown, &self.options),
            seconds: shown.study.run.period_seconds,
            cursor: period,
        };
        self.cursor.keep_inside(window);
        let charts = Charts::new(shown, &self.options, window);
        self.drawn = Some(Drawn {
            generation: board.generation(),
            has_spread: shown.spread.is_some(),
            options: self.options.clone(),
            cursor: period,
            window,
            charts,
        });
    }

    /// The charts in the order of the page.
    pub(super) fn charts(&self) -> Vec<Chart> {
        self.drawn.as_ref().map(|drawn| drawn.charts.all()).unwrap_or_default()
    }
}

/// The charts of runs as they are first shown.
pub(super) fn charts(shown: &Shown) -> Vec<Chart> {
    let options = ViewOptions::default();
    let window = Window {
        periods: charts::shown_periods(shown, &options),
        seconds: shown.study.run.period_seconds,
        cursor: None,
    };
    Charts::new(shown, &options, window).all()
}

/// Draws the bar that moves through time, and below it the record of the period that it points at.
pub(super) fn scrub(ui: &mut Ui, state: &mut State, board: &Board) {
    let (Some(shown), Some(drawn)) = (board.shown(), &state.drawn) else { return };
    state.cursor.play(ui, drawn.window);
    scrub::show(ui, &mut state.cursor, &mut state.options, drawn.window);
    if let Some(period) = state.cursor.period {
        record::show(ui, shown, period);
    }
    state.refresh(board);
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, board: &Board, study: &mut Regulation, env: &mut Env<'_>) {
    let State { options, cursor, drawn } = state;
    let (Some(shown), Some(drawn)) = (board.shown(), drawn) else { return };
    let charts = &drawn.charts;
    let pinned = cursor.period.map(|period| drawn.window.at(period));
    let settings: usize = charts.clusters.iter().map(|cluster| cluster.settings.len()).sum();
    let first_setting = charts.clusters.len();
    let first_benefit = first_setting + settings;

    let tabs = [
        ChartTab { name: "Balance", parts: &[tour::BALANCE] },
        ChartTab::new("Actions"),
        ChartTab::new("Throughput and power"),
        ChartTab::new("Strategies"),
        ChartTab::new("Controllers"),
    ];
    let on_screen = chart_tabs::choose(ui, "regulation over time", 0, &tabs);
    let mut gesture = None;
    if on_screen.has(0) {
        let balances: Vec<&LineChart> = charts.clusters.iter().map(|cluster| &cluster.balance).collect();
        gesture = part(ui, tour::BALANCE, |ui| {
            section(ui, env, charts::BALANCE, &charts.about_intervals, 0, balances.iter().copied());
            clusters(ui, options, shown);
            screen::legend(ui, balances[0]);
            // In a short window the whole plot is on screen.
            let height = if balances.len() > MOST_COLUMNS || drawer::is_short(ui) { 140.0 } else { 185.0 };
            let gesture = plots(ui, &balances, 0, pinned, height);
            ui.label(&balances[0].answer);
            gesture
        });
        gap(ui);
    }
    if on_screen.has(1) {
        let of_settings = charts.clusters.iter().flat_map(|cluster| &cluster.settings);
        section(ui, env, charts::ACTIONS, &charts.about_intervals, first_setting, of_settings);
        gesture = actions(ui, charts, first_setting, pinned).or(gesture);
        gap(ui);
    }
    if on_screen.has(2) {
        gesture = benefit::show_curves(ui, charts, first_benefit, pinned, env).or(gesture);
        gap(ui);
    }
    if on_screen.has(3) {
        benefit::show_bars(ui, charts, first_benefit + 2, options, env);
        gap(ui);
    }
    if on_screen.has(4) {
        gesture = compare::show(ui, (shown, charts), first_benefit + 3, options, (study, pinned), env).or(gesture);
    }
    ui.add_space(8.0);

    if let Some(Gesture::Pinned(seconds)) = gesture {
        cursor.go_to(seconds, drawn.window);
    }
}

/// Draws the settings of each cluster over time; the first one is the chart of the page with this index.
fn actions(ui: &mut Ui, charts: &Charts, first: usize, pinned: Option<f64>) -> Option<Gesture> {
    screen::legend(ui, &charts.clusters[0].settings[0]);
    let most = charts.clusters.iter().map(|cluster| cluster.settings.len()).max().unwrap_or(0);
    let columns = columns(ui, charts.clusters.len());
    let mut gesture = None;
    let mut index = first;
    for row in charts.clusters.chunks(columns) {
        beside::show(ui, columns, |columns| {
            for (ui, cluster) in columns.iter_mut().zip(row) {
                for chart in &cluster.settings {
                    ui.label(RichText::new(&chart.subtitle).strong());
                    gesture = screen::lines(ui, ("setting", index), chart, pinned, 104.0).or(gesture);
                    index += 1;
                }
                ui.add_space(4.0 * (most - cluster.settings.len()) as f32);
            }
        });
    }
    ui.label(&charts.clusters[0].settings[0].answer);
    gesture
}

/// The title of a section with the menu that exports its charts. `first`: index of its first chart on the page; `about`: tooltip of the
/// title, about the intervals.
fn section<'a>(
    ui: &mut Ui,
    env: &mut Env<'_>,
    title: &str,
    about: &str,
    first: usize,
    charts: impl Iterator<Item = &'a LineChart>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.heading(title).on_hover_text(about);
        export_menu::of_charts(ui, env, first, charts.map(LineChart::captions));
    });
}

fn gap(ui: &mut Ui) {
    ui.add_space(10.0);
}

/// Which clusters are shown, where there are more than fit at once.
fn clusters(ui: &mut Ui, options: &mut ViewOptions, shown: &Shown) {
    let study = &shown.study;
    if study.clusters.len() < 2 {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for (index, cluster) in study.clusters.iter().enumerate() {
            let mut is_shown = options.is_shown(study, index);
            if ui.toggle_value(&mut is_shown, &cluster.name).on_hover_text("Show or hide this cluster").clicked() {
                options.toggle(study, index);
            }
        }
        if study.clusters.len() > 4 {
            ui.separator();
            if ui.button("All clusters").clicked() {
                options.show_all(study);
            }
            if ui.button("First four").clicked() {
                options.show_first();
            }
        }
    });
}

/// Number of plots side by side.
fn columns(ui: &Ui, plots: usize) -> usize {
    beside::fitting(ui, NARROWEST_PLOT, MOST_COLUMNS.min(plots))
}

/// Draws plots side by side; the first one is the chart of the page with this index.
fn plots(ui: &mut Ui, charts: &[&LineChart], first: usize, pinned: Option<f64>, height: f32) -> Option<Gesture> {
    let columns = columns(ui, charts.len());
    let mut gesture = None;
    for (row, charts) in charts.chunks(columns).enumerate() {
        beside::show(ui, columns, |uis| {
            for (column, (ui, chart)) in uis.iter_mut().zip(charts).enumerate() {
                ui.label(RichText::new(&chart.subtitle).strong());
                let id = ("chart", first + row * columns + column);
                gesture = screen::lines(ui, id, chart, pinned, height).or(gesture);
            }
        });
    }
    gesture
}
