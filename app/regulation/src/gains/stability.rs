//! The stability map: computed in the background, a coarse one first, again whenever anything but Kp and Ki changes.

use crossover_chart::map::MapChart;
use crossover_chart::screen;
use crossover_chart::theme::Token;
use crossover_export::regulation::stability_csv;
use crossover_page::compute::background::Background;
use crossover_page::export_menu;
use crossover_page::page::Env;
use crossover_quantity::unit::Unit;
use crossover_regulation::pid::Gains;
use crossover_regulation::stability::{Axes, CELLS, Map, map};
use crossover_regulation::{Form, Regulation, Simulation};
use egui::{ComboBox, RichText, Spinner, Ui};

use super::map_chart::{self, Measure, TITLE};
use super::reduced::{Part, Reduced};
use super::{Performance, Proposal, watched};

/// Cells along an axis of the map that is shown while the fine one is computed. Its gains are every third of the
/// fine one's.
const COARSE: usize = 22;
/// Ends of an axis that can be chosen: 63 steps of 1, 2 or 5 times a power of ten, so that gains are round.
const ENDS: [f64; 10] = [0.063, 0.126, 0.315, 0.63, 1.26, 3.15, 6.3, 12.6, 31.5, 63.0];
/// First ends: Kp and Ki.
const FIRST_ENDS: [f64; 2] = [3.15, 1.26];

/// The inputs of a map.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    /// With the one controller, whose Kp, Ki and name are left out.
    study: Part,
    ends: [f64; 2],
}

impl Key {
    fn axes(&self, cells: usize) -> Axes {
        let [kp, ki] = self.ends;
        Axes { kp: [0.0, kp], ki: [0.0, ki], cells }
    }
}

/// A map with its inputs.
#[derive(Debug)]
struct Computed {
    key: Key,
    cells: usize,
    map: Map,
}

/// Why the map of the present study is missing.
#[derive(Debug)]
enum Stopped {
    Cancelled,
    Failed(String),
}

/// Settings, computation and chart.
#[derive(Debug)]
pub(super) struct State {
    measure: Measure,
    /// Ends of the axes, Kp and Ki.
    ends: [f64; 2],
    worker: Background<(Key, usize), Computed>,
    /// The last request to the worker.
    requested: Option<(Key, usize)>,
    shown: Option<Computed>,
    stopped: Option<(Key, Stopped)>,
    chart: Option<MapChart>,
}

impl Default for State {
    fn default() -> Self {
        let worker = Background::new("stability map", |(key, cells): (Key, usize), ticket| {
            let controller = key.study.controllers.first()?;
            let simulation = Simulation::new(&key.study);
            let axes = key.axes(cells);
            let map = watched(ticket, cells * cells, |watch| map(&simulation, controller, axes, watch))?;
            Some(Computed { key, cells, map })
        });
        Self {
            measure: Measure::default(),
            ends: FIRST_ENDS,
            worker,
            requested: None,
            shown: None,
            stopped: None,
            chart: None,
        }
    }
}

impl State {
    /// The map as it is on the screen.
    pub(super) fn chart(&self) -> Option<&MapChart> {
        self.chart.as_ref()
    }

    /// The map as CSV, unless it is of an earlier study.
    pub(super) fn csv(&self) -> Option<String> {
        let is_current = self.chart.as_ref().is_some_and(|chart| !chart.is_stale);
        self.shown.as_ref().filter(|_| is_current).map(|shown| stability_csv(&shown.map))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Takes a finished map, and starts the computation of the map of this key if it is missing.
    fn refresh(&mut self, ui: &Ui, key: &Key) {
        let mut is_part = false;
        match self.worker.poll() {
            Some((_, Ok(computed))) => {
                is_part = computed.key == *key;
                self.shown = Some(computed);
            }
            Some((_, Err(problem))) => {
                self.stopped = self.requested.take().map(|(key, _)| (key, Stopped::Failed(problem)));
            }
            None => {}
        }
        if self.stopped.as_ref().is_some_and(|(stopped, _)| stopped == key) {
            return;
        }
        self.stopped = None;
        let next = match &self.shown {
            Some(shown) if shown.key == *key && shown.cells == CELLS => return,
            Some(shown) if shown.key == *key => CELLS,
            _ => COARSE,
        };
        // A coarse map is never cancelled: while a number is dragged there would be none at all.
        let is_under_way =
            self.requested.as_ref().is_some_and(|(requested, cells)| *cells == COARSE || requested == key)
                && self.worker.is_busy();
        if !is_under_way {
            let input = (key.clone(), next);
            if is_part {
                self.worker.go_on(ui.ctx(), input);
            } else {
                self.worker.submit(ui.ctx(), input);
            }
            self.requested = Some((key.clone(), next));
        }
    }
}

/// Draws the map with its title, choices and answer, in about this height if it can be had.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    study: &mut Regulation,
    reduced: &Reduced,
    proposals: &[Proposal],
    height: f32,
    env: &mut Env<'_>,
) {
    let index = reduced.index;
    let Some(controller) = study.controllers.get(index) else { return };
    enclose(&mut state.ends, [controller.kp, controller.ki]);
    let key = Key { study: reduced.map.clone(), ends: state.ends };
    state.refresh(ui, &key);
    ui.horizontal_wrapped(|ui| {
        ui.heading(TITLE);
        ui.add_space(8.0);
        export_menu::show(ui, env, 0, true);
        for (name, end) in ["Kp", "Ki"].into_iter().zip(&mut state.ends) {
            pick_end(ui, name, end);
        }
        if state.worker.show_progress(ui, "stability map") {
            state.stopped = Some((key.clone(), Stopped::Cancelled));
        }
        if let Some((_, stopped)) = &state.stopped {
            match stopped {
                Stopped::Cancelled => ui.label("The map was cancelled."),
                Stopped::Failed(problem) => ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem),
            };
            if ui.button("Compute the map").clicked() {
                state.stopped = None;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        for measure in Measure::ALL {
            ui.selectable_value(&mut state.measure, measure, measure.label()).on_hover_text(measure.meaning());
        }
    });
    remarks(ui, study, index);
    let Some(shown) = &state.shown else {
        if state.worker.is_busy() {
            ui.horizontal(|ui| {
                ui.add(Spinner::new());
                ui.label("Simulating every pair of gains …");
            });
        }
        return;
    };
    let controller = &study.controllers[index];
    let mut chart = map_chart::chart(study, controller, &shown.map, state.measure, proposals);
    chart.is_stale = shown.key != key;
    if chart.is_stale {
        chart.subtitle += " · before the last change";
    }
    let (map, kd) = (&shown.map, controller.kd);
    let has_varying_gains = controller.has_varying_gains();
    ui.label(RichText::new(&chart.subtitle).weak());
    let height = (height - 230.0).clamp(280.0, 620.0);
    let read = |[column, row]: [usize; 2]| {
        let Some(cell) = map.cell(column, row) else { return String::new() };
        let [kp, ki] = [map.kp[column], map.ki[row]].map(|gain| Unit::Ratio.format(gain));
        let words = Performance::from(cell).in_words(study);
        format!("Kp {kp}, Ki {ki}: {words}")
    };
    let picked = screen::map(ui, "stability map", &chart, height, read);
    ui.label(&chart.answer);
    outside(ui, &mut state.ends, proposals);
    if has_varying_gains {
        ui.label(RichText::new("A click replaces these gains by constant ones.").weak());
    }
    state.chart = Some(chart);
    if let Some([kp, ki]) = picked {
        let form = study.controllers[index].form;
        study.set_gains(index, form, Gains { kp: tidy(kp), ki: tidy(ki), kd });
    }
}

/// What the map means for this controller, where it is not what one would think.
fn remarks(ui: &mut Ui, study: &mut Regulation, index: usize) {
    let controller = &study.controllers[index];
    let gains = Gains { kp: controller.kp, ki: controller.ki, kd: controller.kd };
    let form = controller.form;
    if controller.has_varying_gains() {
        let what = if controller.learned.is_some() { "A learned table" } else { "A gain schedule" };
        ui.horizontal_wrapped(|ui| {
            ui.label(format!("{what} sets the gains of this controller; the map shows constant gains instead."));
            if ui.button("Use constant gains").clicked() {
                study.set_gains(index, form, gains);
            }
        });
    }
    if !form.has_integral() {
        let (with, name) = if form.has_derivative() { (Form::PID, "PID") } else { (Form::PI, "PI") };
        ui.horizontal_wrapped(|ui| {
            ui.label("This controller has no integral part, so Ki has no effect: all rows are alike.");
            if ui.button(format!("Make it {name}")).on_hover_text("Adds the integral part").clicked() {
                study.controllers[index].form = with;
            }
        });
    }
}

/// Names the proposals outside the map, with a button that widens it.
fn outside(ui: &mut Ui, ends: &mut [f64; 2], proposals: &[Proposal]) {
    for proposal in proposals {
        let gains = [proposal.gains.kp, proposal.gains.ki];
        if gains.iter().zip(ends.iter()).any(|(gain, end)| gain > end) {
            ui.horizontal_wrapped(|ui| {
                let [kp, ki] = gains.map(|gain| Unit::Ratio.format(super::rounded(gain)));
                ui.label(format!("{} (Kp {kp}, Ki {ki}) lies outside the map.", proposal.name));
                let button = ui.button("Show it");
                button.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Show {} on the map", proposal.name))
                });
                if button.clicked() {
                    enclose(ends, gains);
                }
            });
        }
    }
}

/// Moves the ends of the axes so far that the gains lie inside.
fn enclose(ends: &mut [f64; 2], gains: [f64; 2]) {
    for (end, gain) in ends.iter_mut().zip(gains) {
        if gain > *end {
            *end = ENDS.into_iter().find(|end| gain <= *end).unwrap_or(2.0 * gain);
        }
    }
}

fn pick_end(ui: &mut Ui, gain: &str, end: &mut f64) {
    ui.label(format!("{gain} up to"));
    let combo = ComboBox::from_id_salt(gain).width(64.0).selected_text(Unit::Ratio.format(*end)).show_ui(ui, |ui| {
        for choice in ENDS {
            ui.selectable_value(end, choice, Unit::Ratio.format(choice));
        }
    });
    combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{gain} up to")));
}

/// Without what is left of dividing an axis: 0.3, not 0.30000000000000004.
fn tidy(gain: f64) -> f64 {
    format!("{gain:.6}").parse().unwrap_or(gain)
}
