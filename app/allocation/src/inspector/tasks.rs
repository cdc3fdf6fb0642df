//! Tasks that are alike, group by group.

use crossover_allocation::study::MOST_GROUPS;
use crossover_allocation::{Allocation, RunsOn, TaskGroup};
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, name};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::counted;
use egui::{CollapsingHeader, Ui};

use super::{Env, State};

/// Draws every group.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Allocation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.tasks.len();
    for index in 0..count {
        ui.push_id(("tasks", index), |ui| {
            let group = &study.tasks[index];
            let title = format!("{} · {}", group.name, counted(group.tasks, "task"));
            CollapsingHeader::new(title).id_salt("tasks").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("tasks", index), env.commands);
                let part = format!("tasks.{}", study.tasks[index].name);
                let is_sensitive = study.tasks[index].is_sensitive;
                // Other tasks have no SLO.
                let but: &[&Quantity] = if is_sensitive { &[] } else { &[&TaskGroup::SLO_FACTOR] };
                form::all(ui, study, &part, but, env.commands);
                let path = format!("{part}.is_sensitive");
                let explanation = "The task has an SLO: in the replay its queue is served first";
                if let Some(is_on) = form::switch(ui, "latency-sensitive", explanation, &path, is_sensitive) {
                    study.tasks[index].is_sensitive = is_on;
                }
                runs_on(ui, &part, study, index, env);
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

/// The types of GPUs on which a task can run; none selected means all.
fn runs_on(ui: &mut Ui, part: &str, study: &mut Allocation, index: usize, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        form::label(ui, "runs on", "Types of GPUs on which the task can run; none selected: all");
        for place in 0..study.types.len() {
            let name = study.types[place].name.clone();
            let runs_on = &mut study.tasks[index].runs_on;
            let is_on = runs_on.iter().any(|on| on.gpu_type == name);
            let path = format!("{part}.runs_on.{name}");
            match form::switch(ui, &name, "The task can run on this type", &path, is_on) {
                Some(true) => runs_on.push(RunsOn { gpu_type: name, share: 0.0, memory_share: 0.0, speed: 1.0 }),
                Some(false) => runs_on.retain(|on| on.gpu_type != name),
                None => {}
            }
        }
    });
    for place in 0..study.tasks[index].runs_on.len() {
        ui.push_id(("runs on", place), |ui| {
            ui.weak(format!("on {}", study.tasks[index].runs_on[place].gpu_type));
            form::all(ui, study, &format!("{part}.runs_on.{place}"), &[], env.commands);
        });
    }
}
