//! Pairs of tasks that were measured on one GPU.

use crossover_allocation::study::MOST_PAIRS;
use crossover_allocation::{Allocation, Pair};
use crossover_page::widgets::form::{self, Choice, list};
use egui::{Button, Ui};

use super::Env;

/// Draws every pair.
pub(super) fn show(ui: &mut Ui, study: &mut Allocation, env: &mut Env<'_>) {
    ui.weak("Speed of a task beside another one on the same GPU; all other pairs use the interference of the replay");
    let groups: Vec<Choice<String>> =
        study.tasks.iter().map(|group| Choice::new(group.name.clone(), &group.name, "")).collect();
    let mut gone = None;
    for place in 0..study.pairs.len() {
        ui.push_id(("pair", place), |ui| {
            let part = format!("pairs.{place}");
            let pair = &mut study.pairs[place];
            let title = ("task", "The task whose speed was measured");
            form::choose(ui, title, &format!("{part}.task"), &mut pair.task, groups.clone(), env.commands);
            let title = ("beside", "The other task on the same GPU");
            form::choose(ui, title, &format!("{part}.beside"), &mut pair.beside, groups.clone(), env.commands);
            form::all(ui, study, &part, &[], env.commands);
            if ui.add(Button::new("Remove pair").small()).clicked() {
                gone = Some(place);
            }
        });
    }
    if let Some(place) = gone {
        study.remove_pair(place);
    }
    if list::add_button(ui, "Add pair", study.pairs.len(), MOST_PAIRS)
        && let Some(first) = study.tasks.first()
    {
        let (task, beside) = (first.name.clone(), study.tasks.last().unwrap_or(first).name.clone());
        study.pairs.push(Pair { task, beside, speed: 0.8 });
    }
}
