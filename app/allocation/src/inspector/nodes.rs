//! Nodes that are alike, group by group.

use crossover_allocation::study::{MOST_BOARDS, MOST_GROUPS};
use crossover_allocation::{Allocation, Board};
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, name};
use crossover_quantity::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};

/// Draws every group.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.nodes.len();
    for index in 0..count {
        ui.push_id(("nodes", index), |ui| {
            let group = &study.nodes[index];
            let number = |value: f64| Unit::Count.format(value);
            let nodes = if group.nodes == 1.0 { "node" } else { "nodes" };
            let title =
                format!("{} · {} {nodes} × {} {}", group.name, number(group.nodes), number(group.gpus), group.gpu_type);
            CollapsingHeader::new(title).id_salt("nodes").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("nodes", index), env.commands);
                let part = format!("nodes.{}", study.nodes[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let types: Vec<Choice<String>> =
                    study.types.iter().map(|of| Choice::new(of.name.clone(), &of.name, "")).collect();
                let path = format!("{part}.gpu_type");
                let gpu_type = &mut study.nodes[index].gpu_type;
                let title = ("GPU type", "Type of the node's GPUs");
                form::choose(ui, title, &path, gpu_type, types.clone(), env.commands);
                boards(ui, &part, &types, study, index, env);
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

/// Further GPUs of a node, of another type or with other capacity left.
fn boards(ui: &mut Ui, part: &str, types: &[Choice<String>], study: &mut Allocation, index: usize, env: &mut Env<'_>) {
    let mut gone = None;
    for place in 0..study.nodes[index].more.len() {
        ui.push_id(("board", place), |ui| {
            let part = format!("{part}.more.{place}");
            form::all(ui, study, &part, &[], env.commands);
            let title = ("further GPU type", "Type of these further GPUs");
            let gpu_type = &mut study.nodes[index].more[place].gpu_type;
            form::choose(ui, title, &format!("{part}.gpu_type"), gpu_type, types.to_vec(), env.commands);
            if ui.add(Button::new("Remove these GPUs").small()).clicked() {
                gone = Some(place);
            }
        });
    }
    if let Some(place) = gone {
        study.remove_board(index, place);
    }
    let group = &mut study.nodes[index];
    if list::add_button(ui, "Add other GPUs", group.more.len(), MOST_BOARDS) {
        group.more.push(Board { gpu_type: group.gpu_type.clone(), gpus: 1.0, left: 1.0 });
    }
}
