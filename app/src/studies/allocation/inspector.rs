//! The left panel: every number of the study, section by section.

use crossover_model::allocation::study::{MOST_GROUPS, MOST_TYPES};
use crossover_model::allocation::{Allocation, Policy, RunsOn};
use crossover_model::unit::Unit;
use egui::{CollapsingHeader, Ui};

use super::Env;
use crate::widgets::focus;
use crate::widgets::form::list::{self, Edit, Limits};
use crate::widgets::form::{self, Choice, legend, name, section};

/// What the panel remembers between frames.
#[derive(Default)]
pub(super) struct State {
    name: name::State,
}

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        section(ui, "Demand and rule", true, |ui| {
            form::all(ui, study, "arrivals", &[], env.commands);
            let rules = Policy::ALL.map(|policy| Choice::new(policy, policy.label(), policy.meaning()));
            let rule = &mut study.policy.rule;
            form::choose(
                ui,
                ("rule", "Which node a task gets, and which GPUs of it"),
                "policy.rule",
                rule,
                rules,
                env.commands,
            );
            let groups: Vec<Choice<String>> =
                study.nodes.iter().map(|group| Choice::new(group.name.clone(), &group.name, "")).collect();
            let grows = &mut study.policy.grows;
            let explanation = "The group of nodes that grows to meet the target";
            form::choose(ui, ("grows", explanation), "policy.grows", grows, groups, env.commands);
        });
        section(ui, "Replay", true, |ui| {
            form::all(ui, study, "replay", &[], env.commands);
            let explanation = "A latency-sensitive task that fits nowhere stops others whose GPUs suffice for it";
            let does_release = study.replay.does_release;
            let path = "replay.does_release";
            if let Some(is_on) = form::switch(ui, "sensitive tasks stop others", explanation, path, does_release) {
                study.replay.does_release = is_on;
            }
        });
        section(ui, "GPUs", true, |ui| types(ui, state, study, env));
        section(ui, "Nodes", true, |ui| nodes(ui, state, study, env));
        section(ui, "Tasks", true, |ui| tasks(ui, state, study, env));
        legend(ui, study);
    });
}

fn types(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.types.len();
    for index in 0..count {
        ui.push_id(("type", index), |ui| {
            let title = study.types[index].name.clone();
            CollapsingHeader::new(title).id_salt("type").show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("types", index), env.commands);
                let part = format!("types.{}", study.types[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let is_used = study.has_nodes_of(&study.types[index].name);
                let stays = is_used.then_some("Nodes have such GPUs");
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_TYPES, stays }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_type(index),
        Some(Edit::Duplicate(index)) => study.add_type(study.types[index].clone()),
        Some(Edit::Swap(a, b)) => study.types.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add type of GPU", count, MOST_TYPES) {
        study.add_type(crossover_model::allocation::GpuType { name: "GPU".to_owned(), watts: 0.0 });
    }
}

fn nodes(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.nodes.len();
    for index in 0..count {
        ui.push_id(("nodes", index), |ui| {
            let group = &study.nodes[index];
            let number = |value: f64| Unit::Count.format(value);
            let title =
                format!("{} · {} nodes × {} {}", group.name, number(group.nodes), number(group.gpus), group.gpu_type);
            CollapsingHeader::new(title).id_salt("nodes").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("nodes", index), env.commands);
                let part = format!("nodes.{}", study.nodes[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let types: Vec<Choice<String>> =
                    study.types.iter().map(|of| Choice::new(of.name.clone(), &of.name, "")).collect();
                let path = format!("{part}.gpu_type");
                let gpu_type = &mut study.nodes[index].gpu_type;
                form::choose(ui, ("type of GPU", "Type of the node's GPUs"), &path, gpu_type, types, env.commands);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_GROUPS, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_nodes(index),
        Some(Edit::Duplicate(index)) => study.add_nodes(study.nodes[index].clone()),
        Some(Edit::Swap(a, b)) => study.nodes.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add group of nodes", count, MOST_GROUPS)
        && let Some(last) = study.nodes.last().cloned()
    {
        study.add_nodes(last);
    }
}

fn tasks(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.tasks.len();
    for index in 0..count {
        ui.push_id(("tasks", index), |ui| {
            let group = &study.tasks[index];
            let title = format!("{} · {} tasks", group.name, Unit::Count.format(group.tasks));
            CollapsingHeader::new(title).id_salt("tasks").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("tasks", index), env.commands);
                let part = format!("tasks.{}", study.tasks[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let is_sensitive = study.tasks[index].is_sensitive;
                let path = format!("{part}.is_sensitive");
                let explanation = "Somebody waits for its answers: in the replay it is served first";
                if let Some(is_on) = form::switch(ui, "latency-sensitive", explanation, &path, is_sensitive) {
                    study.tasks[index].is_sensitive = is_on;
                }
                runs_on(ui, &part, study, index);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_GROUPS, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_tasks(index),
        Some(Edit::Duplicate(index)) => study.add_tasks(study.tasks[index].clone()),
        Some(Edit::Swap(a, b)) => study.tasks.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add group of tasks", count, MOST_GROUPS)
        && let Some(last) = study.tasks.last().cloned()
    {
        study.add_tasks(last);
    }
}

/// The types of GPUs on which a task can run; none of them marked means all.
fn runs_on(ui: &mut Ui, part: &str, study: &mut Allocation, index: usize) {
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "runs on", "Types of GPUs on which such a task can run; none marked: all");
        for place in 0..study.types.len() {
            let name = study.types[place].name.clone();
            let runs_on = &mut study.tasks[index].runs_on;
            let is_on = runs_on.iter().any(|on| on.gpu_type == name);
            let path = format!("{part}.runs_on.{name}");
            match form::switch(ui, &name, "Such a task can run there", &path, is_on) {
                Some(true) => runs_on.push(RunsOn { gpu_type: name }),
                Some(false) => runs_on.retain(|on| on.gpu_type != name),
                None => {}
            }
        }
    });
}
