//! "Search": many runs with other gains; the best gains compared with the present ones.

use crossover_chart::theme::Token;
use crossover_page::compute::background::Background;
use crossover_page::widgets::warning;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_regulation::pid::Gains;
use crossover_regulation::tuning::search::{MOST_OVERSHOOT, SearchResult, Trial, Verdict, search};
use crossover_regulation::{Controller, Form, Regulation, Simulation};
use egui::{Button, DragValue, Grid, RichText, Ui};

use super::reduced::{Part, Reduced};
use super::{Proposal, settling, watched};

/// The inputs of a search.
#[derive(Debug, Clone)]
struct Key {
    /// With the one controller.
    study: Part,
    /// The same without gains.
    gainless: Part,
    most_overshoot: f64,
}

/// Inputs, computation and result.
#[derive(Debug)]
pub(super) struct State {
    most_overshoot: f64,
    worker: Background<Key, (Key, SearchResult)>,
    found: Option<(Key, SearchResult)>,
    problem: Option<String>,
    is_cancelled: bool,
}

impl Default for State {
    fn default() -> Self {
        let worker = Background::new("search for gains", |key: Key, ticket| {
            let controller = key.study.controllers.first()?;
            let simulation = Simulation::new(&key.study);
            let total = about_runs(controller.form);
            let found = watched(ticket, total, |watch| search(&simulation, controller, key.most_overshoot, watch))?;
            Some((key, found))
        });
        Self { most_overshoot: MOST_OVERSHOOT, worker, found: None, problem: None, is_cancelled: false }
    }
}

impl State {
    pub(super) fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// The best gains, if they are better and belong to this study.
    pub(super) fn proposal(&self, reduced: &Reduced) -> Option<Proposal> {
        let (key, found) = self.found.as_ref()?;
        let Controller { kp, ki, kd, form, .. } = found.best.controller;
        let is_of_this = differs_by_gains_at_most(key, &self.key(reduced));
        let proposal = Proposal { name: "search", form, gains: Gains { kp, ki, kd } };
        (is_of_this && found.verdict == Verdict::Better).then_some(proposal)
    }

    fn key(&self, reduced: &Reduced) -> Key {
        Key { study: reduced.one.clone(), gainless: reduced.gainless.clone(), most_overshoot: self.most_overshoot }
    }
}

/// About how many runs a search takes, for its progress: with one, two or three gains.
fn about_runs(form: Form) -> usize {
    match form {
        Form::P => 60,
        Form::PI | Form::PD => 500,
        Form::PID => 1600,
    }
}

/// Whether a result is still valid: only gains of the controller may have changed.
fn differs_by_gains_at_most(one: &Key, other: &Key) -> bool {
    one.gainless == other.gainless && one.most_overshoot.to_bits() == other.most_overshoot.to_bits()
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Regulation, reduced: &Reduced) {
    let dark = ui.visuals().dark_mode;
    ui.heading("Search for better gains");
    match state.worker.poll() {
        Some((_, Ok(found))) => state.found = Some(found),
        Some((_, Err(problem))) => state.problem = Some(problem),
        None => {}
    }
    ui.horizontal_wrapped(|ui| {
        ui.label("overshoot limit");
        let before = state.most_overshoot;
        let drag = DragValue::new(&mut state.most_overshoot).range(0.0..=10.0).speed(0.005);
        let drag = drag.update_while_editing(false).custom_formatter(|share, _| Unit::Share.format(share));
        // Leaving the field must not round the value to the shown text.
        let drag = ui.add(drag.custom_parser(move |text| {
            let is_shown = text == Unit::Share.format(before);
            if is_shown { Some(before) } else { Unit::Share.parse_typed(text).ok() }
        }));
        drag.widget_info(|| {
            let mut info = egui::WidgetInfo::new(egui::Role::SpinButton);
            info.label = Some("overshoot limit".to_owned());
            info.value = Some(before);
            info
        });
        let key = state.key(reduced);
        if ui.add_enabled(!state.worker.is_busy(), Button::new("Search")).clicked() {
            (state.problem, state.is_cancelled) = (None, false);
            state.worker.submit(ui.ctx(), key);
        }
        state.is_cancelled |= state.worker.show_progress(ui, "search");
        if state.is_cancelled {
            ui.label("The search was cancelled.");
        }
    });
    if let Some(problem) = &state.problem {
        ui.colored_label(Token::Error.color(dark), problem);
    }
    let Some((of, found)) = &state.found else {
        ui.label(
            RichText::new(
                "Simulates the controller with other gains. The best gains have the least settling time, within the \
                 overshoot limit and without remaining error.",
            )
            .weak(),
        );
        return;
    };
    let is_of_this = differs_by_gains_at_most(of, &state.key(reduced));
    if !is_of_this {
        warning::show(ui, "The study has changed. Search again.");
    }
    ui.label(format!("{} {}.", found.sentence(), counted(found.runs as f64, "simulation")));
    comparison(ui, study, found);
    if found.verdict == Verdict::Better {
        let Controller { form, kp, ki, kd, .. } = found.best.controller;
        let is_used =
            of.study.controllers.first().is_some_and(|searched| searched.name == study.controllers[reduced.index].name)
                && study.controllers[reduced.index] == found.best.controller;
        let text = if is_used { "These gains are in use" } else { "Use these gains" };
        if ui.add_enabled(is_of_this && !is_used, Button::new(text)).clicked() {
            study.set_gains(reduced.index, form, Gains { kp, ki, kd });
        }
    }
}

/// Gains and figures of the present controller and of the best one.
fn comparison(ui: &mut Ui, study: &Regulation, found: &SearchResult) {
    let ratio = |value: f64| Unit::Ratio.format(value);
    let share = |value: f64| Unit::Share.format(value);
    let settling =
        |trial: &Trial| trial.settling_periods.map_or_else(|| "not settled".to_owned(), |count| settling(study, count));
    let form = found.best.controller.form;
    let gain = |trial: &Trial, has: bool, value: fn(&Controller) -> f64| {
        if trial.controller.learned.is_some() {
            "learned".to_owned()
        } else if trial.controller.schedule.is_some() {
            "scheduled".to_owned()
        } else if has {
            ratio(value(&trial.controller))
        } else {
            "–".to_owned()
        }
    };
    let figures = |trial: &Trial| {
        [
            ("Kp", gain(trial, true, |controller| controller.kp)),
            ("Ki", gain(trial, form.has_integral(), |controller| controller.ki)),
            ("Kd", gain(trial, form.has_derivative(), |controller| controller.kd)),
            ("settling time", settling(trial)),
            ("overshoot", share(trial.overshoot)),
            ("remaining error", share(trial.remaining_error)),
            ("IAE, ∫|e| dt", Unit::Seconds.format(trial.integral_absolute_error)),
        ]
    };
    Grid::new("search result").num_columns(3).spacing([18.0, 3.0]).show(ui, |ui| {
        for title in ["", "current", "tuned"] {
            ui.label(RichText::new(title).weak());
        }
        ui.end_row();
        for ((name, before), (_, best)) in figures(&found.present).into_iter().zip(figures(&found.best)) {
            ui.label(RichText::new(name).weak());
            ui.label(before);
            ui.label(best);
            ui.end_row();
        }
    });
}
