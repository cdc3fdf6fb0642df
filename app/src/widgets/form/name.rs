//! A name that is taken over when its field is left.

use crossover_model::study::{Subject, names_of, sources};
use egui::{Role, TextEdit, Ui, WidgetInfo};

use super::{MARK_WIDTH, label};
use crate::command::Command;
use crossover_chart::theme::Token;

/// A name that is being typed, if any.
#[derive(Default)]
pub(crate) struct State(Option<Typing>);

/// A name that is being typed.
struct Typing {
    list: &'static str,
    index: usize,
    /// The name before; if it changes otherwise (by undo), what was typed is dropped.
    before: String,
    text: String,
}

/// Draws the field; an empty or taken name is refused with the reason.
pub(crate) fn field(
    ui: &mut Ui,
    state: &mut State,
    study: &mut dyn Subject,
    (list, index): (&'static str, usize),
    commands: &mut Vec<Command>,
) {
    let others = names_of(study, list);
    let Some(current) = others.get(index).map(|name| (*name).to_owned()) else { return };
    let mut text = match &state.0 {
        Some(typing) if (typing.list, typing.index) == (list, index) && typing.before == current => typing.text.clone(),
        _ => current.clone(),
    };
    let path = format!("{list}.{current}.name");
    let response = ui.horizontal(|ui| {
        label(ui, "name", "Unique in its list; taken over when the field is left");
        ui.add(TextEdit::singleline(&mut text).desired_width(ui.available_width() - MARK_WIDTH))
    });
    let response = response.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &path));
    let trimmed = text.trim().to_owned();
    let problem = if trimmed.is_empty() {
        Some("A name must not be empty")
    } else if trimmed != current && others.contains(&trimmed.as_str()) {
        Some("This name is taken")
    } else {
        None
    };
    if let (true, Some(problem)) = (response.has_focus(), problem) {
        ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
    }
    if response.lost_focus() {
        state.0 = None;
        match problem {
            None => _ = sources::rename(study, list, index, &trimmed),
            Some(problem) => commands.push(Command::Notify(format!("{problem}; the name stays “{current}”"))),
        }
    } else if response.has_focus() {
        state.0 = Some(Typing { list, index, before: current, text });
    }
}
