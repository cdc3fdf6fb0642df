//! The section on gains: the stability map, and tuning by relay experiment and by search.

mod map_chart;
mod reduced;
mod relay;
mod search;
mod stability;

use crossover_chart::Chart;
use crossover_page::compute::watched::watched;
use crossover_page::widgets::chart_tabs::{self, ChartTab, OnScreen};
use crossover_quantity::unit::Unit;
use crossover_regulation::pid::Gains;
use crossover_regulation::stability::Cell;
use crossover_regulation::{Form, Regulation};
use egui::{Align, Layout, Ui, vec2};

use super::Env;
use super::time::settling;
use reduced::Reduced;

/// From this width on the map and the tuning are side by side, in points.
const SIDE_BY_SIDE: f32 = 700.0;
/// Share of the width that the map takes then.
const MAP_SHARE: f32 = 0.56;
/// Free space between the two, in points.
const GAP: f32 = 20.0;

/// Free space before the scroll bar, in points.
const EDGE: f32 = 8.0;

/// A smaller error is not mentioned.
const NO_ERROR: f64 = 0.005;

/// Settings and computations of the section.
#[derive(Debug, Default)]
pub(super) struct State {
    reduced: Option<Reduced>,
    map: stability::State,
    relay: relay::State,
    search: search::State,
}

impl State {
    /// The charts of the section, as they are on the screen.
    pub(super) fn charts(&self) -> Vec<Chart> {
        let map = self.map.chart().cloned().map(Chart::Map);
        map.into_iter().chain(self.relay.chart().cloned().map(Chart::Lines)).collect()
    }

    /// The map as CSV, or why there is none of the present study.
    pub(super) fn map_csv(&self) -> Result<String, String> {
        self.map
            .csv()
            .ok_or_else(|| "The stability map is not computed yet; export it after the computation".to_owned())
    }

    /// Whether something is being computed.
    pub(super) fn is_busy(&self) -> bool {
        self.map.is_busy() || self.relay.is_busy() || self.search.is_busy()
    }
}

/// Gains for the chosen controller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Proposal {
    /// The method that found them.
    name: &'static str,
    form: Form,
    gains: Gains,
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Regulation, env: &mut Env<'_>) {
    let State { reduced, map, relay, search } = state;
    let reduced = Reduced::refresh(reduced, study, chosen(study));
    let on_screen = chart_tabs::choose(ui, "gains", 0, &["Stability map", "Tuning"].map(ChartTab::new));
    let (width, height) = (ui.available_width(), ui.available_height());
    let is_wide = width >= SIDE_BY_SIDE && on_screen == OnScreen::All;
    let (left, right) = if is_wide {
        let left = (width - GAP) * MAP_SHARE;
        (left, width - GAP - left - EDGE)
    } else {
        (width, width)
    };
    let layout = if is_wide { Layout::left_to_right(Align::TOP) } else { Layout::top_down(Align::LEFT) };
    ui.with_layout(layout, |ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        if on_screen.has(0) {
            column(ui, left, |ui| {
                let proposals = [relay.proposal(study, reduced), search.proposal(reduced)];
                let proposals: Vec<Proposal> = proposals.into_iter().flatten().collect();
                stability::show(ui, map, study, reduced, &proposals, height, env);
            });
        }
        if on_screen.has(1) {
            column(ui, right, |ui| {
                let chart = usize::from(map.chart().is_some());
                relay::show(ui, relay, study, reduced, chart, env);
                ui.add_space(10.0);
                search::show(ui, search, study, reduced);
            });
        }
    });
}

fn column(ui: &mut Ui, width: f32, content: impl FnOnce(&mut Ui)) {
    let spacing = ui.ctx().global_style().spacing.item_spacing;
    ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::LEFT), |ui| {
        ui.spacing_mut().item_spacing = spacing;
        ui.set_width(width);
        content(ui);
    });
}

/// The chosen controller.
fn chosen(study: &Regulation) -> usize {
    let is_chosen = |name: &str| name == study.policy.controller;
    study.controllers.iter().position(|controller| is_chosen(&controller.name)).unwrap_or_default()
}

/// Figures of a controller.
#[derive(Debug, Clone, Copy)]
struct Performance {
    settling_periods: Option<usize>,
    overshoot: f64,
    /// Error that the controller could reduce.
    remaining_error: f64,
    /// All error at the end.
    steady_state_error: f64,
}

impl Performance {
    /// "settling time 12 periods (12 s), overshoot 3 %, remaining error 0 %".
    fn in_words(&self, study: &Regulation) -> String {
        let settles = match self.settling_periods {
            Some(count) => format!("settling time {}", settling(study, count)),
            None => "not settled".to_owned(),
        };
        let share = |share: f64| Unit::Share.format(share);
        let limits = if self.steady_state_error > self.remaining_error + NO_ERROR {
            format!("; steady-state error due to cluster limits {}", share(self.steady_state_error))
        } else {
            String::new()
        };
        let (overshoot, remaining) = (share(self.overshoot), share(self.remaining_error));
        format!("{settles}, overshoot {overshoot}, remaining error {remaining}{limits}")
    }
}

impl From<&Cell> for Performance {
    fn from(cell: &Cell) -> Self {
        let Cell { settling_periods, overshoot, remaining_error, steady_state_error, .. } = *cell;
        Self { settling_periods, overshoot, remaining_error, steady_state_error }
    }
}

/// A gain with three significant digits.
fn rounded(gain: f64) -> f64 {
    format!("{gain:.2e}").parse().unwrap_or(gain)
}
