//! The left panel: every number of the study, section by section.

mod nodes;
mod pairs;
mod tasks;

use crossover_allocation::study::MOST_TYPES;
use crossover_allocation::{Allocation, GpuType, Policy, Timing};
use crossover_page::command::Command;
use crossover_page::widgets::focus;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, legend, name, section};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::counted;
use egui::{CollapsingHeader, Ui};

use super::Env;
use super::importing::Request;

/// The state of the panel between frames.
#[derive(Default)]
pub(super) struct State {
    pub(crate) name: name::State,
}

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    // Beside the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    ui.spacing_mut().indent = 12.0;
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        section(ui, "Demand and policy", true, |ui| {
            form::all(ui, study, "arrivals", &[], env.commands);
            let policies = Policy::ALL.map(|policy| Choice::new(policy, policy.label(), policy.meaning()));
            let policy = &mut study.policy.name;
            form::choose(
                ui,
                ("policy", "The scheduling policy: which node and which GPUs a task gets"),
                "policy.name",
                policy,
                policies,
                env.commands,
            );
            let groups: Vec<Choice<String>> =
                study.nodes.iter().map(|group| Choice::new(group.name.clone(), &group.name, "")).collect();
            let growing_nodes = &mut study.policy.growing_nodes;
            let explanation = "The group of nodes that is enlarged until the target is met";
            form::choose(
                ui,
                ("node group to scale", explanation),
                "policy.growing_nodes",
                growing_nodes,
                groups,
                env.commands,
            );
        });
        section(ui, "Replay", true, |ui| {
            recorded(ui, study, env);
            let but: &[&Quantity] = if study.replay.trace.is_some() { &[&Timing::SECONDS] } else { &[] };
            form::all(ui, study, "replay", but, env.commands);
            let explanation =
                "A latency-sensitive task that fits no node preempts other tasks whose GPUs are enough for it";
            let preempts = study.replay.preempts;
            let path = "replay.preempts";
            if let Some(is_on) = form::switch(ui, "latency-sensitive tasks preempt", explanation, path, preempts) {
                study.replay.preempts = is_on;
            }
        });
        section(ui, "GPUs", true, |ui| types(ui, state, study, env));
        section(ui, "Nodes", true, |ui| nodes::show(ui, state, study, env));
        section(ui, "Tasks", true, |ui| tasks::show(ui, state, study, env));
        section(ui, "Measured pairs", false, |ui| pairs::show(ui, study, env));
        legend(ui, study);
    });
}

/// Recorded tasks of the replay, if the study names a trace.
fn recorded(ui: &mut Ui, study: &mut Allocation, env: &mut Env<'_>) {
    let Some(named) = &study.replay.trace else {
        let text = "Replays tasks of Alibaba's traces or of Philly at their recorded times, instead of random tasks of the list";
        if ui.button("Replay recorded tasks…").on_hover_text(text).clicked() {
            env.commands.push(Command::ask(Request::Replay));
        }
        return;
    };
    let files: Vec<&str> = named.files.iter().map(|file| file.path.as_str()).collect();
    let state = match &named.found.trace {
        Some(_) => format!("{} of", counted(named.found.timed as f64, "recorded task")),
        None => "Not available:".to_owned(),
    };
    let mut is_left_out = false;
    ui.label(format!("{state} {}", named.name())).on_hover_text(files.join("\n"));
    ui.horizontal_wrapped(|ui| {
        if ui.small_button("Read again").on_hover_text("Reads the files again").clicked() {
            env.commands.push(Command::ask(Request::ReadAgain));
        }
        let text = "Replays random tasks of the list again";
        is_left_out = ui.small_button("Use generated tasks").on_hover_text(text).clicked();
    });
    ui.weak("They arrive at their recorded times; the replay numbers of task groups are not used");
    if is_left_out {
        study.replay.trace = None;
    }
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
                let is_needed = study.is_needed(&study.types[index].name);
                let stays = is_needed.then_some("Nodes have GPUs of this type, or a group of tasks runs on it only");
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
        study.add_type(GpuType { name: "GPU".to_owned(), watts: 0.0 });
    }
}
