//! Rows of a form: numbers with their provenance, choices, switches, names and lists, of any study.
//!
//! The accessible name of each is the path of its field, as `--set` takes it.

pub mod list;
pub mod name;
pub mod quantity;
pub mod text;

use crossover_quantity::provenance::{Provenance, SourceKind};
use crossover_quantity::quantity::Quantity;
use crossover_study::sources::origins;
use crossover_study::{Subject, number_at, numbers_in, set_number};
use egui::{Align, CollapsingHeader, ComboBox, Label, Layout, Response, RichText, Role, Sense, Ui, WidgetInfo};

use crate::command::Command;
use quantity::Edit;

/// Width of the mark after a number, in points; other inputs end where the numbers do.
pub const MARK_WIDTH: f32 = 13.0;

/// A part of a form that folds away.
pub fn section(ui: &mut Ui, title: &str, is_open: bool, content: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(RichText::new(title).strong()).default_open(is_open).show_unindented(ui, content);
    ui.add_space(4.0);
}

/// Legend of the letters after the numbers.
pub fn legend(ui: &mut Ui, study: &dyn Subject) {
    ui.add_space(8.0);
    let letters = Label::new(RichText::new(SourceKind::legend()).weak().small()).wrap();
    ui.add(letters).on_hover_ui(|ui| drop(ui.label(format!("Numbers: {}", origins(study)))));
}

/// Numbers of a part of the study, such as `clusters.I`, as rows of a grid. Those that are absent have no row.
pub fn numbers(
    ui: &mut Ui,
    study: &mut dyn Subject,
    part: &str,
    quantities: &[&Quantity],
    commands: &mut Vec<Command>,
) {
    grid(ui, (part, quantities.first().map(|quantity| quantity.key)), |ui| {
        rows(ui, study, part, quantities, commands);
    });
}

/// All numbers of a part of the study as rows of a grid, except those shown elsewhere. New quantities get a row too.
pub fn all(ui: &mut Ui, study: &mut dyn Subject, part: &str, but: &[&Quantity], commands: &mut Vec<Command>) {
    let quantities = all_but(study, part, but);
    // An empty grid takes space too.
    if !quantities.is_empty() {
        grid(ui, (part, "all"), |ui| rows(ui, study, part, &quantities, commands));
    }
}

/// A grid of numbers whose [`rows`] belong to several parts.
pub fn grid(ui: &mut Ui, id: impl std::hash::Hash + std::fmt::Debug, content: impl FnOnce(&mut Ui)) {
    egui::Grid::new(id).num_columns(2).min_col_width(112.0).spacing([6.0, 4.0]).show(ui, content);
}

/// Numbers of a part of the study as rows of a [`grid`].
pub fn rows(ui: &mut Ui, study: &mut dyn Subject, part: &str, quantities: &[&Quantity], commands: &mut Vec<Command>) {
    for quantity in quantities {
        edit(study, part, quantity, commands, |path, value, source| {
            quantity::row(ui, quantity, path, value, Some(source))
        });
    }
}

/// All numbers of a part as rows of a [`grid`], except those shown elsewhere.
pub fn all_rows(ui: &mut Ui, study: &mut dyn Subject, part: &str, but: &[&Quantity], commands: &mut Vec<Command>) {
    let quantities = all_but(study, part, but);
    rows(ui, study, part, &quantities, commands);
}

fn all_but(study: &dyn Subject, part: &str, but: &[&Quantity]) -> Vec<&'static Quantity> {
    let mut quantities = numbers_in(study, part);
    quantities.retain(|quantity| but.iter().all(|elsewhere| elsewhere.key != quantity.key));
    quantities
}

/// One number of a part without its name, for a table.
pub fn cell(
    ui: &mut Ui,
    study: &mut dyn Subject,
    part: &str,
    quantity: &Quantity,
    width: f32,
    commands: &mut Vec<Command>,
) {
    edit(study, part, quantity, commands, |path, value, source| {
        quantity::cell(ui, quantity, path, value, source, width)
    });
}

/// Edits a number by a widget; dependent numbers follow, so that the study stays valid.
fn edit(
    study: &mut dyn Subject,
    part: &str,
    quantity: &Quantity,
    commands: &mut Vec<Command>,
    widget: impl FnOnce(&str, &mut f64, &Provenance) -> Option<Edit>,
) {
    let path = format!("{part}.{}", quantity.key);
    let source = study.sources().get(&path).cloned().unwrap_or_default();
    let Some((_, Some(before))) = number_at(study, &path) else { return };
    let mut value = before;
    match widget(&path, &mut value, &source) {
        Some(Edit::Changed) => set(study, &path, value),
        Some(Edit::Reset) => commands.push(Command::ResetField(path)),
        Some(Edit::Refused(problem)) => commands.push(Command::Notify(problem)),
        None => {}
    }
}

/// Sets a number to an entered value; dependent numbers follow.
fn set(study: &mut dyn Subject, path: &str, value: f64) {
    set_number(study, path, value);
    study.sources_mut().remove(path);
    study.settle(path);
}

/// One value of a choice.
#[derive(Clone)]
pub struct Choice<T> {
    /// The value.
    pub value: T,
    /// Its label.
    pub label: String,
    /// One sentence; may be empty.
    pub meaning: String,
}

impl<T> Choice<T> {
    /// A value with its name and its meaning.
    #[must_use]
    pub fn new(value: T, label: &str, meaning: &str) -> Self {
        Self { value, label: label.into(), meaning: meaning.into() }
    }
}

/// A name in front of an input, as wide as those of the numbers.
///
/// It senses clicks, and Tab skips it. (A widget made sensitive by `Response::interact` would get the focus and lose it in
/// the next frame, so that Tab could not reach the widgets after it.)
pub fn label(ui: &mut Ui, text: &str, explanation: &str) -> Response {
    let size = egui::vec2(quantity::LABEL_WIDTH, 18.0);
    let label = ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_width(size.x);
        ui.add(Label::new(text).truncate().sense(Sense::CLICK))
    });
    label.inner.on_hover_text(explanation)
}

/// One of several values from a list that opens; whether another one was picked.
pub fn choose<T: PartialEq>(
    ui: &mut Ui,
    (text, explanation): (&str, &str),
    path: &str,
    value: &mut T,
    choices: impl IntoIterator<Item = Choice<T>>,
    commands: &mut Vec<Command>,
) -> bool {
    let choices: Vec<_> = choices.into_iter().collect();
    let current = choices.iter().find(|choice| choice.value == *value);
    let shown = current.map_or_else(String::new, |choice| choice.label.clone());
    let meaning = current.map_or_else(String::new, |choice| choice.meaning.clone());
    let mut is_changed = false;
    ui.horizontal(|ui| {
        let label = label(ui, text, explanation);
        // Not on the list itself: the two would be one popup.
        reset_menu(&label, path, commands);
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
pub fn pick<T: PartialEq + std::fmt::Debug>(
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
            let button = if choice.meaning.is_empty() { button } else { button.on_hover_text(&choice.meaning) };
            if button.clicked() && !is_current {
                *value = choice.value;
                is_changed = true;
            }
        }
    });
    is_changed
}

/// A switch; the new position, if it was switched.
pub fn switch(ui: &mut Ui, text: &str, explanation: &str, path: &str, mut is_on: bool) -> Option<bool> {
    let response = ui.checkbox(&mut is_on, text);
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, path));
    response.on_hover_text(explanation).changed().then_some(is_on)
}

/// A right click offers the saved value.
fn reset_menu(response: &Response, path: &str, commands: &mut Vec<Command>) {
    response.context_menu(|ui| {
        if ui.button("Reset to the saved value").clicked() {
            commands.push(Command::ResetField(path.to_owned()));
        }
    });
}
