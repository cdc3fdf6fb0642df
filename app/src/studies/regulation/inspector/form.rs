//! Rows of a form: numbers, choices and switches. The accessible name of each is the path of its field.

use crossover_model::provenance::Provenance;
use crossover_model::quantity::Quantity;
use crossover_model::regulation::Regulation;
use egui::{Align, ComboBox, Layout, Response, Role, Sense, Ui, WidgetInfo};

use super::Env;
use crate::command::Command;
use crate::widgets::quantity::{self, Edit};

/// What the mark behind a number takes of a row, in points; other inputs end where the numbers do.
pub(super) const MARK_WIDTH: f32 = 13.0;

/// Numbers of a part of the study, such as `clusters.I`, as rows of a grid.
pub(super) fn numbers(ui: &mut Ui, study: &mut Regulation, part: &str, quantities: &[&Quantity], env: &mut Env<'_>) {
    let id = (part, quantities.first().map(|quantity| quantity.key));
    egui::Grid::new(id).num_columns(2).min_col_width(112.0).spacing([6.0, 4.0]).show(ui, |ui| {
        for quantity in quantities {
            edit(study, part, quantity, env, |path, value, source| quantity::row(ui, quantity, path, value, source));
        }
    });
}

/// One number of a part without its name, for a table.
pub(super) fn cell(
    ui: &mut Ui,
    study: &mut Regulation,
    part: &str,
    quantity: &Quantity,
    width: f32,
    env: &mut Env<'_>,
) {
    edit(study, part, quantity, env, |path, value, source| quantity::cell(ui, quantity, path, value, source, width));
}

/// Lets a widget edit a number; what depends on it follows, so that the study stays valid.
fn edit(
    study: &mut Regulation,
    part: &str,
    quantity: &Quantity,
    env: &mut Env<'_>,
    widget: impl FnOnce(&str, &mut f64, &Provenance) -> Option<Edit>,
) {
    let path = format!("{part}.{}", quantity.key);
    let source = study.sources.get(&path).cloned().unwrap_or_default();
    let Some(number) = study.number_mut(&path) else { return };
    match widget(&path, number, &source) {
        Some(Edit::Changed) => {
            study.sources.remove(&path);
            study.settle(&path);
        }
        Some(Edit::Reset) => env.commands.push(Command::ResetField(path)),
        Some(Edit::Refused(problem)) => env.commands.push(Command::Notify(problem)),
        None => {}
    }
}

/// One value of a choice.
pub(super) struct Choice<T> {
    pub(super) value: T,
    pub(super) label: String,
    /// One sentence; may be empty.
    pub(super) meaning: String,
}

impl<T> Choice<T> {
    pub(super) fn new(value: T, label: &str, meaning: &str) -> Self {
        Self { value, label: label.into(), meaning: meaning.into() }
    }
}

/// A name in front of an input, as wide as those of the numbers.
pub(super) fn label(ui: &mut Ui, text: &str, explanation: &str) -> Response {
    let size = egui::vec2(quantity::LABEL_WIDTH, 18.0);
    let label = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(size.x);
        ui.add(egui::Label::new(text).truncate())
    });
    label.inner.on_hover_text(explanation)
}

/// One of several values from a list that opens; whether another one was picked.
pub(super) fn choose<T: PartialEq>(
    ui: &mut Ui,
    (text, explanation): (&str, &str),
    path: &str,
    value: &mut T,
    choices: impl IntoIterator<Item = Choice<T>>,
    env: &mut Env<'_>,
) -> bool {
    let choices: Vec<_> = choices.into_iter().collect();
    let current = choices.iter().find(|choice| choice.value == *value);
    let shown = current.map_or_else(String::new, |choice| choice.label.clone());
    let meaning = current.map_or_else(String::new, |choice| choice.meaning.clone());
    let mut is_changed = false;
    ui.horizontal(|ui| {
        let label = label(ui, text, explanation).interact(Sense::click());
        // Not on the list itself: the two would be one popup.
        reset_menu(&label, path, env);
        let combo = ComboBox::from_id_salt(path)
            .selected_text(&shown)
            .width(ui.available_width() - MARK_WIDTH)
            .truncate()
            .show_ui(ui, |ui| {
                for choice in choices {
                    let is_current = choice.value == *value;
                    let mut entry = ui.selectable_label(is_current, &choice.label);
                    if !choice.meaning.is_empty() {
                        entry = entry.on_hover_text(&choice.meaning);
                    }
                    if entry.clicked() && !is_current {
                        *value = choice.value;
                        is_changed = true;
                    }
                }
            });
        combo.response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::ComboBox, true, path);
            info.current_text_value = Some(shown.clone());
            info
        });
        combo.response.on_hover_text(if meaning.is_empty() { explanation } else { &meaning });
    });
    is_changed
}

/// One of a few values side by side; whether another one was picked. The accessible name of each is
/// `path=value`, as it is given on the command line.
pub(super) fn pick<T: PartialEq + std::fmt::Debug>(
    ui: &mut Ui,
    (text, explanation): (&str, &str),
    path: &str,
    value: &mut T,
    choices: impl IntoIterator<Item = Choice<T>>,
) -> bool {
    let mut is_changed = false;
    ui.horizontal(|ui| {
        label(ui, text, explanation);
        for choice in choices {
            let is_current = choice.value == *value;
            let button = ui.selectable_label(is_current, &choice.label);
            let name = format!("{path}={:?}", choice.value);
            button.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_current, &name));
            if button.on_hover_text(&choice.meaning).clicked() && !is_current {
                *value = choice.value;
                is_changed = true;
            }
        }
    });
    is_changed
}

/// A switch; the new position, if it was switched.
pub(super) fn switch(ui: &mut Ui, text: &str, explanation: &str, path: &str, mut is_on: bool) -> Option<bool> {
    let response = ui.checkbox(&mut is_on, text);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, path));
    response.on_hover_text(explanation).changed().then_some(is_on)
}

/// A right click offers the saved value.
fn reset_menu(response: &Response, path: &str, env: &mut Env<'_>) {
    response.context_menu(|ui| {
        if ui.button("Reset to the saved value").clicked() {
            env.commands.push(Command::ResetField(path.to_owned()));
        }
    });
}
