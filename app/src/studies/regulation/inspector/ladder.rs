//! The precision ladder: how fast each precision computes, and how much it moves.

use crossover_model::regulation::numbers::{COMPUTE_FACTOR, TRANSFER_FACTOR};
use crossover_model::regulation::{Regulation, Rung};
use crossover_model::unit::Unit;
use egui::{CollapsingHeader, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::list::{self, Edit, Limits};
use super::name::{self, Named};
use super::{Env, form};

/// Most rungs that the form adds.
const MOST_RUNGS: usize = 16;

/// Draws the section.
pub(super) fn show(ui: &mut Ui, names: &mut name::State, study: &mut Regulation, env: &mut Env<'_>) {
    ui.label(RichText::new("From the lowest precision to the highest").weak().small());
    let mut edit = None;
    let count = study.ladder.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let rung = &study.ladder[index];
            let title = format!("{} · {}", rung.name, Unit::Factor.format(rung.compute_factor));
            CollapsingHeader::new(title).id_salt("rung").default_open(false).show(ui, |ui| {
                name::field(ui, names, study, Named::Rung(index), env);
                let part = format!("ladder.{}", study.ladder[index].name);
                form::numbers(ui, study, &part, &[&COMPUTE_FACTOR, &TRANSFER_FACTOR], env);
                note(ui, &mut study.ladder[index]);
                let stays = study.uses_rung(index).then_some("A cluster names this precision");
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_RUNGS, stays }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_rung(index),
        Some(Edit::Duplicate(index)) => {
            if let Some(rung) = study.ladder.get(index).cloned() {
                study.add_rung(rung);
            }
        }
        Some(Edit::Swap(a, b)) => {
            study.ladder.swap(a, b);
            keep_order(study);
        }
        None => {}
    }
    if list::add_button(ui, "Add precision", count, MOST_RUNGS) {
        let factor = study.ladder.last().map_or(1.0, |last| last.compute_factor);
        let rung = Rung { name: "precision".into(), compute_factor: factor, transfer_factor: 1.0, note: String::new() };
        study.add_rung(rung);
    }
}

/// After rungs changed places, the limits of each cluster enclose its precision again.
fn keep_order(study: &mut Regulation) {
    let paths: Vec<String> =
        study.clusters.iter().map(|cluster| format!("clusters.{}.precision", cluster.name)).collect();
    for path in paths {
        study.settle(&path);
    }
}

fn note(ui: &mut Ui, rung: &mut Rung) {
    let path = format!("ladder.{}.note", rung.name);
    ui.horizontal(|ui| {
        form::label(ui, "quality", "What this precision means for the quality of the result");
        let edit = TextEdit::singleline(&mut rung.note).desired_width(ui.available_width() - form::MARK_WIDTH);
        let response = ui.add(edit);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &path));
    });
}
