//! Centres with their types of units.

use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, name};
use crossover_probe::study::MOST_CENTRES;
use crossover_probe::{Built, Centre, Probe, Route};
use crossover_quantity::unit::Unit;
use egui::{CollapsingHeader, Ui};

use super::{Env, State, units};

/// Draws every centre; `built` is the probe, if it is known yet.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, built: Option<&Built>, env: &mut Env<'_>) {
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
                units::show(ui, state, study, (index, built), env);
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
    let names: Vec<String> = centre.units.iter().map(|of| of.name.clone()).collect();
    let asked = match &centre.route {
        Route::Asked(named) => named.clone(),
        _ => names.clone(),
    };
    let mut choices = vec![
        Choice::new(Route::Table, "first that supports all", "By the table of units below"),
        Choice::new(Route::Centre, "the centre's own choice", "Whatever it reports to have taken"),
        Choice::new(Route::Asked(asked), "the centre was asked", "The first of those that it named"),
    ];
    choices.extend(names.iter().map(|name| Choice::new(Route::User(name.clone()), name, "Chosen by you")));
    let title = ("units for the probe", "Who says which type of units runs the probe");
    let path = format!("{part}.route");
    form::choose(ui, title, &path, &mut centre.route, choices, env.commands);
    let Route::Asked(named) = &mut centre.route else { return };
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "it named", "The types of units that it says can run the probe");
        for name in &names {
            let is_on = named.contains(name);
            let switched = form::switch(ui, name, "The centre named these units", &format!("{path}.{name}"), is_on);
            if let Some(is_on) = switched {
                // In the order of the table, which is all that switches can tell.
                let is_named = |other: &&String| if *other == name { is_on } else { named.contains(*other) };
                *named = names.iter().filter(is_named).cloned().collect();
            }
        }
    });
}
