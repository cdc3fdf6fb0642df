//! The form of a search: objectives, constraints and free parameters.

use crossover_page::command::Command;
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use crossover_study::{FigureValue, number_at};
use crossover_tools::search::{Bound, Objective};
use crossover_tools::titles::{title, title_at};
use egui::{Button, CollapsingHeader, ComboBox, Role, TextEdit, Ui, WidgetInfo};

use super::super::influence::Ranking;
use super::super::kept;
use super::super::pick::{self, Number};
use super::entered::{Around, Entered, State, around};

/// Numbers that a form without a free parameter offers first.
const MOST_OFFERED: usize = 3;

impl State {
    /// Where nothing is free, a button for the number to begin with.
    pub(super) fn first_step(&mut self, ui: &mut Ui, study: &Study, ranking: Option<&Ranking>) {
        if self.free.is_empty()
            && self.lists.is_empty()
            && let Some(ranking) = ranking
            && let Some(number) = self.offered(study, ranking).into_iter().next()
            && ui.button(format!("Search over {}", title(number.quantity, &number.path))).clicked()
        {
            self.free.push(around(number.path, number.quantity, number.value));
        }
    }

    /// The decision variables that the first objective depends on most, without prices: the lowest price is always the best one.
    fn offered(&self, study: &Study, ranking: &Ranking) -> Vec<Number> {
        let Some(objective) = self.objectives.first() else { return Vec::new() };
        let decisions = ranking.decisions(&objective.key).into_iter().filter_map(|path| {
            let (quantity, value) = number_at(study.subject(), &path)?;
            Some(Number { path, quantity, value: value? })
        });
        decisions.filter(|number| !number.quantity.unit.is_price()).take(MOST_OFFERED).collect()
    }
}

/// Draws the form.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    Around { study, figures, offers, shared }: &Around<'_>,
    ranking: Option<&Ranking>,
    commands: &mut Vec<Command>,
) {
    objectives(ui, state, figures);
    ui.add_space(8.0);
    constraints(ui, state, figures);
    ui.add_space(8.0);
    free(ui, state, study, ranking, commands);
    if let Some(shared) = shared.iter().find(|shared| state.free.iter().any(|range| range.path == shared.by)) {
        let mut stays = !state.weak_scaling;
        let titled = |path: &str| title_at(study.subject(), path);
        ui.checkbox(&mut stays, "Strong scaling").on_hover_ui(|ui| {
            ui.label(format!(
                "The total of {} is constant while {} changes; off: the amount of each is constant (weak scaling)",
                shared.paths.iter().map(|path| titled(path)).collect::<Vec<_>>().join(", "),
                titled(&shared.by)
            ));
        });
        state.weak_scaling = !stays;
    }
    ui.add_space(8.0);
    if !offers.is_empty() {
        ui.heading("Hardware choices");
        for offer in *offers {
            let name = &offer.choice.name;
            let mut is_on = state.lists.contains(name);
            let text = format!("{name}: any of {}", offer.choice.entries.len());
            let entries: Vec<&str> = offer.choice.entries.iter().map(|entry| entry.name.as_str()).collect();
            let mut hint = entries.join("\n");
            for sentence in offer.left_out_in_words() {
                hint += "\n";
                hint += &sentence;
            }
            if ui.checkbox(&mut is_on, text).on_hover_text(hint).changed() {
                state.lists.retain(|list| list != name);
                if is_on {
                    state.lists.push(name.clone());
                }
            }
        }
        ui.add_space(8.0);
    }
    required(ui, state);
}

/// The required likelihood.
fn required(ui: &mut Ui, state: &mut State) {
    ui.heading("Likelihood");
    let mut field = |label: &str, about: &str, text: &mut String| {
        ui.horizontal(|ui| {
            ui.label(label).on_hover_text(about);
            // A share as a hint would be read as a requirement that the answer breaks.
            let field = TextEdit::singleline(text).hint_text("none").desired_width(60.0);
            ui.add(field).on_hover_text(about).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, label));
        });
    };
    if !state.constraints.is_empty() {
        let about = "Also finds the best candidate that is feasible with at least this likelihood, given the uncertain \
                     numbers; for example 90 %";
        field("Likely feasible, at least", about, &mut state.share);
    }
    let about = "Uncertainty of numbers without a distribution, for example 20 %; empty: they are exact";
    field("Assumed uncertainty, ±", about, &mut state.spread_all);
}

/// Numbers that are free, and others to choose from.
fn free(ui: &mut Ui, state: &mut State, study: &Study, ranking: Option<&Ranking>, commands: &mut Vec<Command>) {
    ui.heading("Free parameters");
    if state.free.is_empty()
        && let Some(ranking) = ranking
    {
        most_effect(ui, state, study, ranking);
    }
    let mut gone = None;
    for (place, range) in state.free.iter_mut().enumerate() {
        let number = number_at(study.subject(), &range.path).and_then(|(quantity, now)| Some((quantity, now?)));
        ui.horizontal(|ui| {
            let name = format!("remove free parameter {}", range.path);
            if small(ui, &name) {
                gone = Some(place);
            }
            pick::named(ui, study, &range.path);
        });
        let Some((quantity, now)) = number else {
            ui.weak(kept::lacks(&range.path));
            continue;
        };
        ui.weak(format!("now {}", quantity.unit.format(now)));
        pick::range(ui, &range.path.clone(), study, range, commands);
    }
    if let Some(place) = gone {
        state.free.remove(place);
    }
    let header = CollapsingHeader::new("Pick a number…").id_salt("free numbers").default_open(state.free.is_empty());
    header.show(ui, |ui| {
        if let Some(number) = pick::number_by_role(ui, study, &mut state.filter, ranking)
            && state.free.iter().all(|range| range.path != number.path)
        {
            state.free.push(around(number.path, number.quantity, number.value));
        }
    });
}

/// Buttons for the decision variables that the first objective depends on most.
fn most_effect(ui: &mut Ui, state: &mut State, study: &Study, ranking: &Ranking) {
    let most = state.offered(study, ranking);
    if most.is_empty() {
        return;
    }
    ui.weak(if ranking.is_complete() {
        "The first objective depends most on these decision variables:"
    } else {
        "Of the numbers tried so far, the first objective depends most on these decision variables:"
    });
    for Number { path, quantity, value } in most {
        let button = Button::new(title(quantity, &path)).truncate();
        let about = format!("Makes it a free parameter\n{}", pick::about(quantity, &path));
        if ui.add(button).on_hover_text(about).clicked() {
            state.free.push(around(path, quantity, value));
        }
    }
}

/// The constraints.
fn constraints(ui: &mut Ui, state: &mut State, figures: &[FigureValue]) {
    ui.heading("Constraints");
    let mut gone = None;
    for (place, constraint) in state.constraints.iter_mut().enumerate() {
        ui.push_id(("constraint", place), |ui| {
            ui.horizontal(|ui| {
                if small(ui, &format!("remove constraint {}", place + 1)) {
                    gone = Some(place);
                }
                figure(ui, &format!("figure of constraint {}", place + 1), figures, &mut constraint.key);
            });
            ui.horizontal(|ui| {
                ui.add_space(24.0);
                for (side, text) in [(Bound::AtMost, "at most"), (Bound::AtLeast, "at least")] {
                    ui.selectable_value(&mut constraint.side, side, text);
                }
                let unit =
                    figures.iter().find(|one| one.key() == constraint.key).map_or("", |one| one.figure.unit.symbol());
                let field = TextEdit::singleline(&mut constraint.value).hint_text(unit).desired_width(90.0);
                let name = format!("constraint {}", place + 1);
                ui.add(field).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &name));
            });
        });
    }
    if let Some(place) = gone {
        state.constraints.remove(place);
    }
    if ui.button("Add constraint").clicked() {
        let time = figures.iter().find(|one| one.figure.unit == Unit::Seconds).or(figures.first());
        if let Some(one) = time {
            state.constraints.push(Entered { key: one.key(), side: Bound::AtMost, value: String::new() });
        }
    }
}

/// The objectives.
fn objectives(ui: &mut Ui, state: &mut State, figures: &[FigureValue]) {
    ui.heading("Objectives");
    let mut gone = None;
    let is_only_objective = state.objectives.len() == 1;
    for (place, objective) in state.objectives.iter_mut().enumerate() {
        ui.push_id(("objective", place), |ui| {
            ui.horizontal(|ui| {
                if !is_only_objective && small(ui, &format!("remove objective {}", place + 1)) {
                    gone = Some(place);
                }
                ui.selectable_value(&mut objective.is_minimised, true, "minimise");
                ui.selectable_value(&mut objective.is_minimised, false, "maximise");
                figure(ui, &format!("objective {}", place + 1), figures, &mut objective.key);
            });
        });
    }
    if let Some(place) = gone {
        state.objectives.remove(place);
    }
    if ui.button("Add objective").on_hover_text("Lists the Pareto front of all objectives").clicked() {
        let is_new = |one: &&FigureValue| state.objectives.iter().all(|objective| objective.key != one.key());
        let next = figures.iter().filter(is_new).find_map(Objective::usual);
        state.objectives.extend(next);
    }
}

/// A list to choose a figure from.
fn figure(ui: &mut Ui, name: &str, figures: &[FigureValue], key: &mut String) {
    let label = figures.iter().find(|one| one.key() == *key).map_or_else(|| key.clone(), FigureValue::label);
    let combo = ComboBox::from_id_salt(name).selected_text(label).width(ui.available_width() - 8.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        for one in figures {
            if ui.selectable_label(one.key() == *key, one.label()).on_hover_text(one.figure.meaning).clicked() {
                *key = one.key();
            }
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
}

/// A button that removes a line; whether it was pressed.
fn small(ui: &mut Ui, name: &str) -> bool {
    let button = ui.small_button("×").on_hover_text("Remove");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    button.clicked()
}
