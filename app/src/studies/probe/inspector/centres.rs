//! Centres with their types of units.

use crossover_model::probe::study::{MOST_CENTRES, MOST_TYPES};
use crossover_model::probe::{Centre, Probe, Route, UnitType};
use crossover_model::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};
use crate::widgets::form::list::{self, Edit, Limits};
use crate::widgets::form::{self, Choice, name};

/// Draws every centre.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.centres.len();
    for index in 0..count {
        ui.push_id(("centre", index), |ui| {
            let centre = &study.centres[index];
            let units: f64 = centre.units.iter().map(|of| of.count).sum();
            let title = format!("{} · {} units", centre.name, Unit::Count.format(units));
            CollapsingHeader::new(title).id_salt("centre").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("centres", index), env.commands);
                let part = format!("centres.{}", study.centres[index].name);
                form::all(ui, study, &part, &[], env.commands);
                route(ui, &part, &mut study.centres[index], env);
                units_of(ui, &part, study, index, env);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_CENTRES, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_centre(index),
        Some(Edit::Duplicate(index)) => drop(study.add_centre(study.centres[index].clone())),
        Some(Edit::Swap(a, b)) => study.centres.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add centre", count, MOST_CENTRES) {
        _ = study.add_centre(Centre::default());
    }
}

/// Who says which units run the probe.
fn route(ui: &mut Ui, part: &str, centre: &mut Centre, env: &mut Env<'_>) {
    let mut choices = vec![
        Choice::new(Route::Table, "first that supports all", "By the table of units below"),
        Choice::new(Route::Centre, "the centre's own choice", "Whatever it reports to have taken"),
    ];
    if let Route::Asked(names) = &centre.route {
        let text = format!("named by the centre: {}", names.join(", "));
        choices.push(Choice::new(centre.route.clone(), &text, "What the centre answered when it was asked"));
    }
    choices.extend(centre.units.iter().map(|of| Choice::new(Route::User(of.name.clone()), &of.name, "Chosen by you")));
    let title = ("units for the probe", "Who says which type of units runs the probe");
    form::choose(ui, title, &format!("{part}.route"), &mut centre.route, choices, env.commands);
}

/// Types of units, each with its numbers and what it supports.
fn units_of(ui: &mut Ui, part: &str, study: &mut Probe, centre: usize, env: &mut Env<'_>) {
    let mut gone = None;
    for place in 0..study.centres[centre].units.len() {
        ui.push_id(("units", place), |ui| {
            let of = &study.centres[centre].units[place];
            let supports = if of.supports.is_empty() { "every operator".to_owned() } else { of.supports.join(", ") };
            let runs = of.runs.seconds.len();
            ui.strong(&of.name);
            ui.weak(format!("supports {supports}; {runs} runs"));
            let part = format!("{part}.units.{}", of.name);
            form::all(ui, study, &part, &[], env.commands);
            let units = &mut study.centres[centre].units;
            if !units[place].runs.is_empty() {
                let text = "Removes its runs from this study; files and the history keep theirs";
                if ui.add(Button::new("Forget its runs").small()).on_hover_text(text).clicked() {
                    units[place].runs = crossover_model::probe::Runs::default();
                }
            }
            if units.len() > 1 && ui.add(Button::new("Remove these units").small()).clicked() {
                gone = Some(place);
            }
        });
    }
    if let Some(place) = gone {
        study.remove_units(centre, place);
    }
    let count = study.centres[centre].units.len();
    if list::add_button(ui, "Add type of units", count, MOST_TYPES) {
        _ = study.add_units(centre, UnitType::default());
    }
}
