//! The precision levels: throughput factor, transfer factor and quality of each.

use crossover_page::widgets::form;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::name;
use crossover_quantity::unit::Unit;
use crossover_regulation::{PrecisionLevel, Regulation};
use egui::{CollapsingHeader, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::Env;

/// Most precision levels of the form.
const MOST_LEVELS: usize = 16;

/// A note that is being typed, if any.
#[derive(Default)]
pub(super) struct State {
    typed: Option<Typed>,
}

/// A note that is being typed.
struct Typed {
    index: usize,
    /// The note before; if it changes otherwise (by undo), the typed text is discarded.
    before: String,
    text: String,
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, names: &mut name::State, study: &mut Regulation, env: &mut Env<'_>) {
    ui.label(RichText::new("From the lowest precision to the highest").weak().small());
    let mut edit = None;
    let count = study.precisions.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let level = &study.precisions[index];
            let title = format!("{} · {}", level.name, Unit::Factor.format(level.compute_factor));
            CollapsingHeader::new(title).id_salt("precision level").default_open(false).show(ui, |ui| {
                name::field(ui, names, study, ("precisions", index), env.commands);
                let part = format!("precisions.{}", study.precisions[index].name);
                form::all(ui, study, &part, &[], env.commands);
                note(ui, state, index, &mut study.precisions[index]);
                let stays = study.uses_precision(index).then_some("A cluster uses this precision");
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_LEVELS, stays }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_precision(index),
        Some(Edit::Duplicate(index)) => {
            if let Some(level) = study.precisions.get(index).cloned() {
                study.add_precision(level);
            }
        }
        Some(Edit::Swap(a, b)) => study.swap_precisions(a, b),
        None => {}
    }
    if list::add_button(ui, "Add precision", count, MOST_LEVELS) {
        let factor = study.precisions.last().map_or(1.0, |last| last.compute_factor);
        let level = PrecisionLevel {
            name: "precision".into(),
            compute_factor: factor,
            transfer_factor: 1.0,
            note: String::new(),
        };
        study.add_precision(level);
    }
}

/// The note on quality, applied when the field loses the focus.
fn note(ui: &mut Ui, state: &mut State, index: usize, level: &mut PrecisionLevel) {
    let path = format!("precisions.{}.note", level.name);
    let mut text = match &state.typed {
        Some(typed) if typed.index == index && typed.before == level.note => typed.text.clone(),
        _ => level.note.clone(),
    };
    let response = ui.horizontal(|ui| {
        form::label(ui, "quality", "Effect of this precision on the quality of the result");
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - form::MARK_WIDTH))
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &path));
    if response.lost_focus() {
        state.typed = None;
        level.note = text;
    } else if response.has_focus() {
        state.typed = Some(Typed { index, before: level.note.clone(), text });
    }
}
