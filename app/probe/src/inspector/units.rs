//! Types of units of a centre: name, device and supported operators.

use crossover_page::widgets::form::{self, Choice, list, text};
use crossover_probe::centre::supports;
use crossover_probe::study::MOST_TYPES;
use crossover_probe::{Built, Probe, Runs, UnitType};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use egui::{Button, CollapsingHeader, DragValue, Role, Ui, WidgetInfo};

use super::{Env, State};

/// Most threads of a unit.
const MOST_THREADS: u32 = 65_536;

/// Draws the types of a centre.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    study: &mut Probe,
    (centre, built): (usize, Option<&Built>),
    env: &mut Env<'_>,
) {
    let mut gone = None;
    let count = study.centres[centre].units.len();
    for place in 0..count {
        ui.push_id(("units", place), |ui| {
            let of = &study.centres[centre].units[place];
            let title = format!("{} × {}", Unit::Count.format(of.count), of.name);
            CollapsingHeader::new(title).id_salt("units").default_open(place == 0).show(ui, |ui| {
                name(ui, state, study, (centre, place), env);
                let part = part(study, (centre, place));
                form::all(ui, study, &part, &[], env.commands);
                runs_on(ui, &part, &mut study.centres[centre].units[place], env);
                supported(ui, &part, study, (centre, place), built);
                let units = &mut study.centres[centre].units;
                ui.horizontal_wrapped(|ui| {
                    remove_runs(ui, &mut units[place].runs);
                    if count > 1 && ui.add(Button::new("Remove these units").small()).clicked() {
                        gone = Some(place);
                    }
                });
            });
        });
    }
    if let Some(place) = gone {
        study.remove_units(centre, place);
    }
    if list::add_button(ui, "Add type of units", count, MOST_TYPES) {
        _ = study.add_units(centre, UnitType::default());
    }
}

/// Path of a type of units.
fn part(study: &Probe, (centre, place): (usize, usize)) -> String {
    let centre = &study.centres[centre];
    format!("centres.{}.units.{}", centre.name, centre.units[place].name)
}

fn name(ui: &mut Ui, state: &mut State, study: &mut Probe, (centre, place): (usize, usize), env: &mut Env<'_>) {
    let path = format!("{}.name", part(study, (centre, place)));
    let units = &study.centres[centre].units;
    let current = units[place].name.clone();
    let problem = |typed: &str| text::problem_of_name(typed, &current, units.iter().map(|of| of.name.as_str()));
    let title = ("name", "Unique in its centre; applied when you leave the field");
    if let Some(name) = text::field(ui, &mut state.name, title, (&path, &current), problem, env.commands) {
        study.rename_units(centre, place, &name);
    }
}

/// Device that gpu-bench uses as one unit.
fn runs_on(ui: &mut Ui, part: &str, of: &mut UnitType, env: &mut Env<'_>) {
    let path = format!("{part}.runs_on");
    let threads: Option<u32> = of.runs_on.strip_prefix("cpu:").and_then(|threads| threads.parse().ok());
    let with_threads = threads.unwrap_or(2);
    let mut choices = vec![
        Choice::new("cpu".to_owned(), "cpu", "A unit is one thread of the processor"),
        Choice::new(format!("cpu:{with_threads}"), &format!("cpu, {with_threads} threads"), "Threads of one unit"),
        Choice::new("gpu".to_owned(), "gpu", "A unit is a GPU"),
    ];
    if choices.iter().all(|choice| choice.value != of.runs_on) {
        choices.push(Choice::new(of.runs_on.clone(), &of.runs_on, "gpu-bench does not have this device"));
    }
    let title = ("runs on", "Device that gpu-bench uses as one unit");
    form::choose(ui, title, &path, &mut of.runs_on, choices, env.commands);
    let Some(mut threads) = threads.filter(|_| of.runs_on.starts_with("cpu:")) else { return };
    ui.horizontal(|ui| {
        form::label(ui, "threads per unit", "Processor threads on which each unit runs the probe");
        let drag = DragValue::new(&mut threads).range(1..=MOST_THREADS).clamp_existing_to_range(false);
        let drag = ui.add_sized([ui.available_width() - form::MARK_WIDTH, 18.0], drag);
        drag.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, format!("{path}.threads")));
        if drag.changed() {
            of.runs_on = format!("cpu:{threads}");
        }
    });
}

/// Supported operators: those of the task one by one, and other names in the list.
fn supported(ui: &mut Ui, part: &str, study: &mut Probe, (centre, place): (usize, usize), built: Option<&Built>) {
    let path = format!("{part}.supports");
    let operators: Vec<String> = study.operators.iter().map(|of| of.name.clone()).collect();
    let of = &mut study.centres[centre].units[place];
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "supports", "Operators that these units support");
        match form::switch(ui, "every operator", "All operators of the task", &path, of.supports.is_empty()) {
            Some(true) => of.supports.clear(),
            Some(false) => of.supports.clone_from(&operators),
            None => {}
        }
        let Some(built) = built.filter(|_| !of.supports.is_empty()) else { return };
        let executed = |name: &String| built.operators().find(|executed| executed.name == *name);
        let keys: Vec<&str> = built.operators().filter_map(|executed| executed.runs.key()).collect();
        let is_foreign = |name: &&String| !operators.contains(*name) && !keys.contains(&name.as_str());
        let foreign: Vec<String> = of.supports.iter().filter(is_foreign).cloned().collect();
        for (name, explanation) in operators
            .iter()
            .map(|name| (name, "An operator of the task"))
            .chain(foreign.iter().map(|name| (name, "No operator of the task has this name or runs it")))
        {
            let is_on = executed(name).map_or_else(|| of.supports.contains(name), |executed| supports(of, executed));
            if let Some(is_on) = form::switch(ui, name, explanation, &format!("{path}.{name}"), is_on) {
                of.support(name, is_on, built);
            }
        }
    });
}

/// Number of runs, and a button that removes them.
fn remove_runs(ui: &mut Ui, runs: &mut Runs) {
    let count = counted(runs.seconds.len() as f64, "run");
    let failed = match runs.failed.len() {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    ui.weak(format!("{count}{failed}"));
    if runs.is_empty() {
        return;
    }
    let text = "Removes the runs from this study; files and the history are not changed";
    if ui.add(Button::new("Remove runs").small()).on_hover_text(text).clicked() {
        *runs = Runs::default();
    }
}
