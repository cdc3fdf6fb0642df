//! Arrivals of launches: drawn, recorded or listed.

use crossover_page::widgets::form::{self, Choice, list};
use crossover_preemption::{Launch, Preemption, Stream};
use crossover_quantity::unit::Unit;
use crossover_study::sources;
use egui::{Button, Ui};

use super::super::request::ImportKind;
use super::{Env, import};

/// Launches that are listed on the screen, and at most in a study.
const SHOWN: usize = 40;
const MOST: usize = 10_000;

/// Draws the numbers that apply, and the list if there is one.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    if study.stream.listed.is_empty() {
        form::all(ui, study, "stream", &[], env.commands);
        recorded(ui, study);
        let hint = "Starts with one launch of each kernel; load, launches and streams then have no effect";
        if ui.add(Button::new("List launches one by one").small()).on_hover_text(hint).clicked() {
            let names = study.kernels.iter().map(|kernel| kernel.name.clone());
            study.stream.listed = names.map(|kernel| Launch { kernel, at_cycle: 0.0 }).take(MOST).collect();
        }
        import(ui, ImportKind::Arrivals, env);
        return;
    }
    let is_fixed = study.kernels.iter().all(|kernel| kernel.instruction_error == 0.0);
    if !is_fixed {
        form::all(ui, study, "stream", &[&Stream::LOAD, &Stream::LAUNCHES], env.commands);
    }
    listed(ui, study, env);
}

/// Recorded requests.
fn recorded(ui: &mut Ui, study: &mut Preemption) {
    let Some(recorded) = &study.stream.recorded else { return };
    let sizes = if recorded.sizes.is_empty() { "" } else { ", with their sizes" };
    let text = format!(
        "{} recorded requests{sizes}, stretched to the load",
        Unit::Count.format(recorded.seconds.len() as f64)
    );
    ui.horizontal_wrapped(|ui| {
        ui.weak(text);
        let hint = "Launches arrive at random times again";
        if ui.add(Button::new("Remove").small()).on_hover_text(hint).clicked() {
            study.stream.recorded = None;
            sources::purge(study);
        }
    });
}

/// Launches one by one.
fn listed(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    ui.weak("Listed launches: load, launches and streams have no effect");
    let names: Vec<Choice<String>> =
        study.kernels.iter().map(|kernel| Choice::new(kernel.name.clone(), &kernel.name, "")).collect();
    let count = study.stream.listed.len();
    let mut gone = None;
    for place in 0..count.min(SHOWN) {
        ui.push_id(("launch", place), |ui| {
            let part = format!("stream.listed.{place}");
            let launch = &mut study.stream.listed[place];
            let title = (&*format!("launch {}", place + 1), "The kernel that is launched");
            form::choose(ui, title, &format!("{part}.kernel"), &mut launch.kernel, names.clone(), env.commands);
            form::all(ui, study, &part, &[], env.commands);
            if count > 1 && ui.add(Button::new("Remove launch").small()).clicked() {
                gone = Some(place);
            }
        });
    }
    if count > SHOWN {
        ui.weak(format!("and {} more, in the file", Unit::Count.format((count - SHOWN) as f64)));
    }
    if let Some(gone) = gone {
        study.stream.listed.remove(gone);
        sources::move_entries(study, "stream.listed", |place| {
            (place != gone).then(|| if place > gone { place - 1 } else { place })
        });
    }
    ui.horizontal_wrapped(|ui| {
        if list::add_button(ui, "Add launch", count, MOST)
            && let Some(last) = study.stream.listed.last().cloned()
        {
            study.stream.listed.push(last);
        }
        let hint = "Removes the list; launches are drawn by load and shares";
        if ui.button("Draw launches").on_hover_text(hint).clicked() {
            study.stream.listed.clear();
            sources::purge(study);
        }
    });
}
