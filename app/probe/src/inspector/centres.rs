//! Centres with their types of units.

use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, name};
use crossover_probe::study::MOST_CENTRES;
use crossover_probe::{Built, Centre, Probe, Route};
use crossover_quantity::text::counted;
use egui::{CollapsingHeader, Ui};

use super::{Env, State, units};

/// Draws every centre; `built` is the probe, if it was built already.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, built: Option<&Built>, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.centres.len();
    for index in 0..count {
        ui.push_id(("centre", index), |ui| {
            let centre = &study.centres[index];
            let units: f64 = centre.units.iter().map(|of| of.count).sum();
            let title = format!("{} · {}", centre.name, counted(units, "unit"));
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

/// The rule that selects the type of units for the probe.
fn route(ui: &mut Ui, part: &str, centre: &mut Centre, env: &mut Env<'_>) {
    let names: Vec<String> = centre.units.iter().map(|of| of.name.clone()).collect();
    let named = match &centre.route {
        Route::Named(named) => named.clone(),
        _ => names.clone(),
    };
    let mut choices = vec![
        Choice::new(Route::Table, "first that supports all", "By the operators that the types below support"),
        Choice::new(Route::Centre, "selected by the centre", "The type from which reports come"),
        Choice::new(Route::Named(named), "named by the centre", "The first type that the centre named"),
    ];
    choices.extend(names.iter().map(|name| Choice::new(Route::User(name.clone()), name, "Chosen by you")));
    let title = ("unit-type rule", "Rule that selects the type of units for the probe");
    let path = format!("{part}.route");
    form::choose(ui, title, &path, &mut centre.route, choices, env.commands);
    let Route::Named(named) = &mut centre.route else { return };
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "named types", "Types of units that the centre named as able to run the probe");
        for name in &names {
            let is_on = named.contains(name);
            let switched = form::switch(ui, name, "The centre named this type", &format!("{path}.{name}"), is_on);
            if let Some(is_on) = switched {
                // Switches have no order, so the names are in the order of the table.
                let is_named = |other: &&String| if *other == name { is_on } else { named.contains(*other) };
                *named = names.iter().filter(is_named).cloned().collect();
            }
        }
    });
}
