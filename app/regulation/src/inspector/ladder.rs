//! The precision ladder: how fast each precision computes, and how much it moves.

use crossover_page::widgets::form;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::name;
use crossover_quantity::unit::Unit;
use crossover_regulation::{Regulation, Rung};
use egui::{CollapsingHeader, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::Env;

/// Most rungs that the form adds.
const MOST_RUNGS: usize = 16;

/// A note that is being typed, if any.
#[derive(Default)]
pub(super) struct State {
    typed: Option<Typed>,
}

/// A note that is being typed.
struct Typed {
    index: usize,
    /// The note before; if it changes otherwise (by undo), what was typed is dropped.
    before: String,
    text: String,
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, names: &mut name::State, study: &mut Regulation, env: &mut Env<'_>) {
    ui.label(RichText::new("From the lowest precision to the highest").weak().small());
    let mut edit = None;
    let count = study.ladder.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let rung = &study.ladder[index];
            let title = format!("{} · {}", rung.name, Unit::Factor.format(rung.compute_factor));
            CollapsingHeader::new(title).id_salt("rung").default_open(false).show(ui, |ui| {
                name::field(ui, names, study, ("ladder", index), env.commands);
                let part = format!("ladder.{}", study.ladder[index].name);
                form::all(ui, study, &part, &[], env.commands);
                note(ui, state, index, &mut study.ladder[index]);
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
        Some(Edit::Swap(a, b)) => study.swap_rungs(a, b),
        None => {}
    }
    if list::add_button(ui, "Add precision", count, MOST_RUNGS) {
        let factor = study.ladder.last().map_or(1.0, |last| last.compute_factor);
        let rung = Rung { name: "precision".into(), compute_factor: factor, transfer_factor: 1.0, note: String::new() };
        study.add_rung(rung);
    }
}

/// The note on quality, taken over when the field is left.
fn note(ui: &mut Ui, state: &mut State, index: usize, rung: &mut Rung) {
    let path = format!("ladder.{}.note", rung.name);
    let mut text = match &state.typed {
        Some(typed) if typed.index == index && typed.before == rung.note => typed.text.clone(),
        _ => rung.note.clone(),
    };
    let response = ui.horizontal(|ui| {
        form::label(ui, "quality", "What this precision means for the quality of the result");
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - form::MARK_WIDTH))
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &path));
    if response.lost_focus() {
        state.typed = None;
        rung.note = text;
    } else if response.has_focus() {
        state.typed = Some(Typed { index, before: rung.note.clone(), text });
    }
}
